package bills

import (
	"context"
	"math"
	"testing"

	"github.com/lightpath-net/lightpath/reproduce/claim"
)

// Ratios and shares are those of the line items that are shown beside them.
func TestValuesFollowFromLineItems(t *testing.T) {
	for id, from := range map[string]func(p []float64) float64{
		"bills/opus/power":     func(p []float64) float64 { return (p[0] + p[1]) / (p[2] + p[3]) },
		"bills/mixnet/100Gbps": func(p []float64) float64 { return (p[0] + p[3] + p[5] + p[7]) / (p[1] + p[2] + p[4] + p[6] + p[8]) },
		"bills/mixnet/400Gbps": func(p []float64) float64 { return (p[0] + p[3] + p[5] + p[7]) / (p[1] + p[2] + p[4] + p[6] + p[8]) },
		"bills/tpu-v4/power":   func(p []float64) float64 { return 100 * (p[0] + p[1]) / (p[0] + p[1] + p[2] + p[3]) },
	} {
		parts, want := partsOf(t, id, func(e claim.Entry) func(context.Context) (float64, error) { return e.Ours })
		if got := from(parts); !near(got, want) {
			t.Errorf("%s: parts %v give %v, the value is %v", id, parts, got, want)
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

// What is said to give the published value does.
func TestAssumptionsThatGiveThePublishedValue(t *testing.T) {
	ours := func(e claim.Entry) func(context.Context) (float64, error) { return e.Ours }
	p, _ := partsOf(t, "bills/opus/power", ours)
	left := p[3] * (1 - p[7]/100) // transceivers that are not counted
	if got := (p[0] + p[1] - left) / (p[2] + p[3] - left); !near(got, 23) {
		t.Errorf("%v%% of the transceivers of GPUs give %v", p[7], got)
	}
	p, _ = partsOf(t, "bills/tpu-v4/power", ours)
	optics := p[0] + p[1]/p[8]*p[9]
	if got := 100 * optics / (optics + p[2] + p[3]); !near(got, 3) {
		t.Errorf("transceivers of %v W give %v%%", p[9], got)
	}
}
