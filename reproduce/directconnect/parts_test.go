package directconnect

import (
	"context"
	"math"
	"testing"

	"github.com/lightpath-net/lightpath/reproduce/claim"
	"github.com/lightpath-net/lightpath/reproduce/claim/claimtest"
)

// Values follow from the times shown beside them.
func TestValuesFollowFromTheirParts(t *testing.T) {
	for id, from := range map[string]func(p []float64) float64{
		"direct-connect/fig7/tree":                  func(p []float64) float64 { return p[1] / p[2] },
		"direct-connect/fig6/1KB/tree":              func(p []float64) float64 { return 100 * (1 - (p[8]+p[1]+p[2])/(p[8]+p[5]+p[6])) },
		"direct-connect/fig15/small":                func(p []float64) float64 { return 100 * (1 - (p[8]+p[1]+p[2])/(p[8]+p[5]+p[6])) },
		"direct-connect/fig15/large":                func(p []float64) float64 { return 100 * (1 - (p[8]+p[1]+p[2])/(p[8]+p[5]+p[6])) },
		"direct-connect/fig8b/minibatch/bound-mean": func(p []float64) float64 { return p[0] },
		"direct-connect/fig8b/minibatch/bound-most": func(p []float64) float64 { return p[0] },
	} {
		parts, want := claimtest.Parts(t, Paper().Entries, id, func(e claim.Entry) func(context.Context) (float64, error) { return e.Ours })
		if got := from(parts); !near(got, want) {
			t.Errorf("%s: parts %v give %v, the value is %v", id, parts, got, want)
		}
	}
}

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-9*math.Abs(b) }

// The assumptions stated to give the published value do give it, and the convention's largest
// value is that of one model.
func TestAssumptionsThatGiveThePublishedValue(t *testing.T) {
	ours := func(e claim.Entry) func(context.Context) (float64, error) { return e.Ours }
	for _, id := range []string{"direct-connect/fig6/1KB/tree", "direct-connect/fig15/small"} {
		p, _ := claimtest.Parts(t, Paper().Entries, id, ours)
		if got := 100 * (1 - (p[10]+p[1]+p[2])/(p[10]+p[5]+p[6])); !near(got, 20) {
			t.Errorf("%s: %v us besides give %v%%", id, p[10], got)
		}
	}
	p, _ := claimtest.Parts(t, Paper().Entries, "direct-connect/fig15/large", ours)
	if got := 100 * (1 - (p[8]+p[1]+p[2]*100/p[10])/p[7]); !near(got, 60) {
		t.Errorf("%v%% of the bandwidth give %v%%", p[10], got)
	}
	p, most := claimtest.Parts(t, Paper().Entries, "direct-connect/fig8b/minibatch/bound-most", func(e claim.Entry) func(context.Context) (float64, error) { return e.Convention.Ours })
	if !near(p[2], most) || !near(p[8], most) {
		t.Errorf("the largest is %v, shown are %v", most, p)
	}
}
