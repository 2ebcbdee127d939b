package comparing_test

import (
	"context"
	"math"
	"strings"
	"testing"

	"github.com/lightpath-net/lightpath"
	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/units"
)

// A comparison, even of one algorithm, has the baselines and the bound of a plan for the same
// request.
func TestComparisonsHaveTheBaselinesOfPlans(t *testing.T) {
	t.Parallel()
	f := fabric.Default()
	f.Nodes = 8
	for _, o := range []lightpath.Operation{
		{Op: collective.AllReduce, Size: 1 << 20},
		{Op: collective.AllReduce, Size: 1 << 14, Algorithm: "recursive-doubling"},
		{Op: collective.AllToAll, Size: 1 << 20},
	} {
		made, err := lightpath.Plan(context.Background(), lightpath.PlanRequest{Operations: []lightpath.Operation{o}, Fabric: f})
		if err != nil {
			t.Fatal(err)
		}
		c, err := lightpath.Compare(context.Background(), lightpath.CompareRequest{Operation: o, Fabric: f})
		if err != nil {
			t.Fatal(err)
		}
		want := made.Baselines
		want.Direct = 0 // the verdict of a comparison tells of it
		if c.BaselinesNs != want || want.Static == 0 || want.EveryStep == 0 {
			t.Errorf("%s %s: %+v, the plan has %+v", o.Op, o.Algorithm, c.BaselinesNs, want)
		}
		if bound := made.OperationBound().Total(); c.OperationBoundNs != bound || bound == 0 || c.Rows[0].TotalNs < bound {
			t.Errorf("%s %s: %v, the plan has %v", o.Op, o.Algorithm, c.OperationBoundNs, bound)
		}
		bare, err := lightpath.Compare(context.Background(), lightpath.CompareRequest{Operation: o, Fabric: f}, lightpath.WithoutBaselines())
		if err != nil || bare.BaselinesNs != (plan.Baselines{}) || len(bare.Rows) != len(c.Rows) {
			t.Fatalf("%s %s: without baselines %+v, %v", o.Op, o.Algorithm, bare, err)
		}
		for i, row := range bare.Rows {
			if want := c.Rows[i]; row.TotalNs != want.TotalNs || row.Algorithm != want.Algorithm || row.Planner != want.Planner || row.SameAlgorithmNs != (plan.Baselines{}) {
				t.Errorf("without baselines %+v, with them %+v", row, want)
			}
		}
	}
}

// Every row of a comparison has the times of the two extremes with its own algorithm. They equal
// the rows of planners static and every-step, and the extremes of plan.
func TestCompareHasTheExtremesOfEveryRowsAlgorithm(t *testing.T) {
	t.Parallel()
	f := fabric.Default()
	f.Nodes = 8
	c, err := lightpath.Compare(t.Context(), lightpath.CompareRequest{Operation: lightpath.Operation{Op: collective.AllReduce, Size: units.MiB}, Fabric: f})
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string]units.Time{}
	for _, r := range c.Rows {
		rows[r.Algorithm+" "+r.Planner] = r.TotalNs
	}
	compared := 0
	for _, r := range c.Rows {
		for planner, got := range map[string]units.Time{"static": r.SameAlgorithmNs.Static, "every-step": r.SameAlgorithmNs.EveryStep} {
			want, ok := rows[r.Algorithm+" "+planner]
			if !ok || strings.Contains(r.Algorithm, ":") { // another number of pieces
				continue
			}
			compared++
			if math.Abs(float64(got-want)) > 1e-9*float64(want) {
				t.Errorf("%s with %s: %s takes %v, its own row %v", r.Algorithm, r.Planner, planner, got, want)
			}
		}
	}
	if compared < 20 {
		t.Errorf("only %d compared", compared)
	}
}
