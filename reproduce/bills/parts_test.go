package bills

import (
	"context"
	"math"
	"testing"

	"github.com/lightpath-net/lightpath/reproduce/claim"
	"github.com/lightpath-net/lightpath/reproduce/claim/claimtest"
)

// Ratios and shares follow from the line items shown beside them.
func TestValuesFollowFromLineItems(t *testing.T) {
	for id, from := range map[string]func(p []float64) float64{
		"bills/opus/power":     func(p []float64) float64 { return (p[0] + p[1]) / (p[2] + p[3]) },
		"bills/mixnet/100Gbps": func(p []float64) float64 { return (p[0] + p[3] + p[5] + p[7]) / (p[1] + p[2] + p[4] + p[6] + p[8]) },
		"bills/mixnet/400Gbps": func(p []float64) float64 { return (p[0] + p[3] + p[5] + p[7]) / (p[1] + p[2] + p[4] + p[6] + p[8]) },
		"bills/tpu-v4/power":   func(p []float64) float64 { return 100 * (p[0] + p[1]) / (p[0] + p[1] + p[2] + p[3]) },
	} {
		parts, want := claimtest.Parts(t, Paper().Entries, id, func(e claim.Entry) func(context.Context) (float64, error) { return e.Ours })
		if got := from(parts); !near(got, want) {
			t.Errorf("%s: parts %v give %v, the value is %v", id, parts, got, want)
		}
	}
}

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-9*math.Abs(b) }

// The assumptions stated to give the published value do give it.
func TestAssumptionsThatGiveThePublishedValue(t *testing.T) {
	ours := func(e claim.Entry) func(context.Context) (float64, error) { return e.Ours }
	p, _ := claimtest.Parts(t, Paper().Entries, "bills/opus/power", ours)
	left := p[3] * (1 - p[7]/100) // transceivers that are not counted
	if got := (p[0] + p[1] - left) / (p[2] + p[3] - left); !near(got, 23) {
		t.Errorf("%v%% of the transceivers of GPUs give %v", p[7], got)
	}
	p, _ = claimtest.Parts(t, Paper().Entries, "bills/tpu-v4/power", ours)
	optics := p[0] + p[1]/p[8]*p[9]
	if got := 100 * optics / (optics + p[2] + p[3]); !near(got, 3) {
		t.Errorf("transceivers of %v W give %v%%", p[9], got)
	}
}
