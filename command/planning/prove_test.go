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
