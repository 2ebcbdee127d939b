package planning_test

import (
	"strings"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/command"
	"github.com/lightpath-net/lightpath/command/planning"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/units"
)

// A wrong plan of any of our planners must be rejected.
func TestWrongPlansAreNotHandedOut(t *testing.T) {
	t.Parallel()
	p, err := planning.Plan(t.Context(), planning.PlanRequest{
		Fabric: fabric.Default(), Operations: []collective.Operation{{Op: collective.AllReduce, Size: units.MiB, Algorithm: "ring"}}, Planner: "static",
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Prove(t.Context(), p); err != nil {
		t.Errorf("a good plan: %v", err)
	}
	p.Stages[0].Steps[3].Base[0].Action = collective.Copy
	if err := command.Prove(t.Context(), p); err == nil || !strings.Contains(err.Error(), "bug") {
		t.Errorf("a wrong plan: %v", err)
	}
}

// What no algorithm can beat, the plan's own algorithm cannot beat either. The bound of the steps
// of "direct" alone is 4% lower here.
func TestABoundIsAtLeastThatOfTheOperation(t *testing.T) {
	t.Parallel()
	f := fabric.Default()
	f.Nodes, f.Ports = 12, 3
	d, err := collective.GenerateDemand("zipf:1", f.Nodes, units.MiB, 6)
	if err != nil {
		t.Fatal(err)
	}
	p, err := planning.Plan(t.Context(), planning.PlanRequest{
		Fabric:     f,
		Operations: []collective.Operation{{Op: collective.AllToAll, Demand: d}},
	})
	if err != nil {
		t.Fatal(err)
	}
	if any := p.OperationBound().Total(); p.Bound < any {
		t.Errorf("%v for these steps, %v for any algorithm", p.Bound, any)
	}
}
