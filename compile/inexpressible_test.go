package compile_test

import (
	"slices"
	"testing"

	"github.com/lightpath-net/lightpath"
	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/compile"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/planner/resized"
	"github.com/lightpath-net/lightpath/units"
)

// Some programs of resized plans add what a plan would keep in several sums, or in an order that
// steps do not have. They are proven and compiled all the same; only the plan of what they do is
// missing, and a note says so.
func TestProgramsThatNoPlanExpressesAreCompiled(t *testing.T) {
	for _, c := range []struct {
		nodes, ports int
		shown        bool
	}{{29, 1, true}, {31, 2, false}, {31, 1, true}} {
		f := fabric.Default()
		f.Nodes, f.Ports, f.Reconfig.Base = c.nodes, c.ports, 100*units.Microsecond
		p, err := lightpath.Plan(t.Context(), lightpath.PlanRequest{
			Fabric: f, Operations: []lightpath.Operation{{Op: collective.AllReduce, Size: 64 * units.KiB}}, Planner: resized.Name,
		}, lightpath.WithoutBaselines())
		if err != nil {
			t.Fatal(err)
		}
		r, err := compile.Compile(t.Context(), p, compile.MSCCL, nil)
		if err != nil {
			t.Errorf("%+v: %v", c, err)
			continue
		}
		noted := slices.Contains(r.Notes, "proven, but no plan can express its steps, so none is shown")
		if (r.Lowered != nil) != c.shown || noted == c.shown || r.Carried <= 0 {
			t.Errorf("%+v: plan %t, notes %q, takes %v", c, r.Lowered != nil, r.Notes, r.Carried)
		}
		files := written(t, r)
		checked, err := compile.Check(t.Context(), "", "", files.open)
		if err != nil || checked.Report.First() != nil {
			t.Errorf("%+v: %v", c, err)
		}
	}
}
