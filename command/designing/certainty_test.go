package designing_test

import (
	"testing"

	"github.com/lightpath-net/lightpath"
	"github.com/lightpath-net/lightpath/command/designing"
	"github.com/lightpath-net/lightpath/fabric/parts"
)

// certain says by the words of the certainties how certain it is that a number is at most a limit.
func certain(r *parts.Range, limit float64) designing.Certainty {
	atBest, likely, atWorst := r.Low <= limit, r.Likely <= limit, r.High <= limit
	switch {
	case limit == 0:
		return ""
	case atWorst:
		return designing.Surely
	case likely:
		return designing.Likely
	case atBest:
		return designing.Possibly
	}
	return designing.Never
}

// Certainties follow from the ends of ranges, at the ends, too. A link's light follows from its
// loss and its budget.
func TestCertaintiesAreThoseOfRanges(t *testing.T) {
	t.Parallel()
	r := lightpath.DesignRequest{Mix: []string{"allreduce/1MiB"}, Technology: []string{"polatis", "calient", "plzt"}, BudgetPower: 1e9}
	limits := []float64{0, 60_000}
	seen := map[designing.Certainty]bool{}
	for i := 0; i < len(limits); i++ {
		r.BudgetCost = limits[i]
		for _, c := range design(t, r).Choices {
			if c.Kind != designing.Optical || c.Reason != "" {
				continue
			}
			if i == 0 && len(limits) == 2 { // around the cost of one choice
				limits = append(limits, c.CostUSD.Low-1, c.CostUSD.Low, c.CostUSD.Likely-1, c.CostUSD.Likely, c.CostUSD.High-1, c.CostUSD.High)
			}
			if want := certain(c.CostUSD, r.BudgetCost); c.WithinCost != want {
				t.Errorf("%s costs %v, the budget is %v: %q; want %q", c.Technology, c.CostUSD, r.BudgetCost, c.WithinCost, want)
			}
			seen[c.WithinCost] = true
			const budget = 4 // dB, of every transceiver
			if want := certain(c.LossDB, budget); c.Light != want {
				t.Errorf("%s loses %v dB: light %s; want %s", c.Technology, c.LossDB, c.Light, want)
			}
			over := r.BudgetCost > 0 && c.WithinCost != designing.Surely && c.WithinCost != designing.Likely
			if c.WithinPower != designing.Surely || over != c.OverBudget {
				t.Errorf("%s costs %v: %s, %s, over the budget: %v", c.Technology, c.CostUSD, c.WithinCost, c.WithinPower, c.OverBudget)
			}
		}
	}
	if len(seen) != 5 {
		t.Errorf("of the certainties, only %v", seen)
	}
}
