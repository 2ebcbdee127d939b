package jointtest

import (
	"math"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/plan/verify"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/units"
)

// PlanOf prices stages as a plan.
func PlanOf(t testing.TB, r *planner.Request, stages []plan.Stage, space collective.Space) *plan.Plan {
	t.Helper()
	p := &plan.Plan{
		Fabric: r.Fabric, Stages: stages,
		Collective: plan.Collective{Op: r.Collective.Op, Algorithm: r.Collective.Algorithm, Size: r.Size, Space: space},
	}
	if err := p.Price(); err != nil {
		t.Fatal(err)
	}
	return p
}

func Request(op collective.Op, nodes, ports int, size units.Bytes) planner.Request {
	f := fabric.Default()
	f.Nodes, f.Ports = nodes, ports
	return planner.Request{Fabric: f, Size: size, Collective: &collective.Collective{
		Op: op, Algorithm: "joint", Nodes: nodes, Space: collective.SpaceOf(op, nodes, 1),
	}}
}

// Check verifies a plan on data and compares its time with the prediction.
func Check(t *testing.T, p *plan.Plan, predicted float64) {
	t.Helper()
	report, err := verify.Plan(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	if bad := report.First(); bad != nil {
		t.Fatalf("%s: %s", bad.Name, bad.Detail)
	}
	if bound := p.OperationBound().Total(); p.Cost.Total() < bound*(1-1e-9) {
		t.Errorf("takes %v, which is below the bound %v for any plan: %+v", p.Cost.Total(), bound, p.OperationBound())
	}
	const rounding = 1e-9 // of sums of some thousand terms
	if got := float64(p.Cost.Total()); math.Abs(got-predicted) > rounding*predicted {
		t.Errorf("takes %v ns, predicted %v", got, predicted)
	}
}
