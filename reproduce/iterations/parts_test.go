package iterations

import (
	"context"
	"math"
	"testing"

	"github.com/lightpath-net/lightpath/reproduce/claim"
	"github.com/lightpath-net/lightpath/reproduce/claim/claimtest"
)

// The value is the first part, and the chain of computation is a part of the value. With the
// share stated to give the published time, the iteration takes that time.
func TestPartsOfAnIteration(t *testing.T) {
	for _, s := range steps() {
		if s.why == "" {
			continue
		}
		p, want := claimtest.Parts(t, Paper().Entries, "iterations/"+s.id, func(e claim.Entry) func(context.Context) (float64, error) { return e.Ours })
		if len(p) != 9 || !near(p[0], want) || p[1] >= p[0] || !near(p[6], p[4]/p[0]) || !near(p[7], p[5]/s.seconds) {
			t.Errorf("%s: %v s, parts %v", s.id, want, p)
		}
		s.config.Efficiency = p[3] / 100
		got, err := s.takes(t.Context())
		if err != nil || math.Abs(got/s.seconds-1) > 1e-3 {
			t.Errorf("%s: %v s with %v%% of the peak, %v", s.id, got, p[3], err)
		}
	}
}

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-9*math.Abs(b) }
