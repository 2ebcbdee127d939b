package comparing_test

import (
	"testing"

	"github.com/lightpath-net/lightpath"
	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/planner/exchange"
	"github.com/lightpath-net/lightpath/planner/exchange/strategy"
	"github.com/lightpath-net/lightpath/units"
)

// TestCompareListsEveryStrategy of planner exchange: each has a row or a reason, and none is
// faster than the plan of the planner.
func TestCompareListsEveryStrategy(t *testing.T) {
	t.Parallel()
	f := fabric.Default()
	f.Nodes, f.Ports = 8, 2
	op := lightpath.Operation{Op: collective.AllToAll, Size: units.MiB}
	answer, err := lightpath.Compare(t.Context(), lightpath.CompareRequest{Fabric: f, Operation: op})
	if err != nil {
		t.Fatal(err)
	}
	best, err := lightpath.Plan(t.Context(), lightpath.PlanRequest{Fabric: f, Operations: []lightpath.Operation{op}, Planner: exchange.Name}, lightpath.WithoutBaselines())
	if err != nil {
		t.Fatal(err)
	}
	listed := map[string]bool{}
	for _, row := range answer.Rows {
		if listed[row.Strategy] = true; row.Planner == exchange.Name && row.TotalNs < best.Cost.Total()*(1-1e-9) {
			t.Errorf("%s takes %v, the planner %v", row.Strategy, row.TotalNs, best.Cost.Total())
		}
	}
	for _, row := range answer.Skipped {
		listed[row.Strategy] = true
	}
	for _, name := range strategy.Names() {
		if name != strategy.Auto && !listed[name] {
			t.Errorf("%s is not listed", name)
		}
	}
}
