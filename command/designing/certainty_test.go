package designing

import (
	"testing"

	"github.com/lightpath-net/lightpath/fabric/parts"
)

// Certainties follow from the ends of ranges. A link's light follows from its loss and its
// budget.
func TestCertaintiesAreThoseOfRanges(t *testing.T) {
	r := &parts.Range{Low: 1, Likely: 2, High: 3}
	for limit, want := range map[float64]Certainty{0: "", 0.5: Never, 1: Possibly, 1.5: Possibly, 2: Likely, 2.9: Likely, 3: Surely, 9: Surely} {
		if got := within(r, limit); got != want {
			t.Errorf("within %v: %s; want %s", limit, got, want)
		}
	}
	d, err := MakeDesign(t.Context(), DesignRequest{Mix: []string{"allreduce/1MiB"}, Technology: []string{"polatis", "calient", "plzt"}, BudgetCost: 60_000, BudgetPower: 1e9})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range d.Choices {
		if c.Kind != Optical || c.Reason != "" {
			continue
		}
		const budget = 4 // dB, of every transceiver
		if want := within(c.LossDB, budget); c.Light != want {
			t.Errorf("%s loses %v dB: light %s; want %s", c.Technology, c.LossDB, c.Light, want)
		}
		if c.WithinPower != Surely || (c.WithinCost == Surely || c.WithinCost == Likely) == c.OverBudget {
			t.Errorf("%s costs %v: %s, %s, over the budget: %v", c.Technology, c.CostUSD, c.WithinCost, c.WithinPower, c.OverBudget)
		}
	}
}
