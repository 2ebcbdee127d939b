package iterations

import (
	"context"
	"math"
	"testing"

	"github.com/lightpath-net/lightpath/reproduce/claim"
)

// The value is the first part, the chain of computation is a part of it, and with the share that is
// said to give what is published, the iteration takes that.
func TestPartsOfAnIteration(t *testing.T) {
	for _, s := range steps() {
		if s.why == "" {
			continue
		}
		p, want := partsOf(t, "iterations/"+s.id, func(e claim.Entry) func(context.Context) (float64, error) { return e.Ours })
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

// partsOf are the parts of a claim, which are finite and have names, and its value.
func partsOf(t *testing.T, id string, value func(e claim.Entry) func(context.Context) (float64, error)) (parts []float64, want float64) {
	t.Helper()
	for _, e := range Paper().Entries {
		if e.ID != id {
			continue
		}
		list, err := e.Parts(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range list {
			if p.Name == "" || math.IsNaN(p.Value) || math.IsInf(p.Value, 0) {
				t.Errorf("%s: part %q is %v", id, p.Name, p.Value)
			}
			parts = append(parts, p.Value)
		}
		if want, err = value(e)(t.Context()); err != nil {
			t.Fatal(err)
		}
		return parts, want
	}
	t.Fatalf("no claim %s", id)
	return nil, 0
}

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-9*math.Abs(b) }
