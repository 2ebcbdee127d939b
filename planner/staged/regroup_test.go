package staged

import (
	"math"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/collective/algorithms"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/plan/verify"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/staged/pricing"
	"github.com/lightpath-net/lightpath/units"
)

// TestALargeExchangeOnATorusIsSeenUnderItsTranslations compares the time of such a step with its
// time under the rotations that the torus shares with it, and verifies the plan.
func TestALargeExchangeOnATorusIsSeenUnderItsTranslations(t *testing.T) {
	f := fabric.Default()
	f.Nodes, f.Ports, f.Base = 676, 4, "Torus(26,26)"
	c, err := algorithms.New(collective.AllToAll, "direct", f.Nodes, f.Ports)
	if err != nil {
		t.Fatal(err)
	}
	r := planner.Request{Fabric: f, Collective: c, Size: units.MiB}
	base, err := f.BaseTopology()
	if err != nil {
		t.Fatal(err)
	}
	w := pricing.NewWorkload(&r, c.Steps)
	class := &w.Classes[0]
	if got, own := class.On(base).Order(), class.Step.Group.Within(base).Order(); got != f.Nodes || own != 26 {
		t.Fatalf("seen under %d translations, %d of them rotations; want %d and 26", got, own, f.Nodes)
	}
	wide, err := w.Route(t.Context(), pricing.GraphCandidate(base), class, math.Inf(1))
	if err != nil {
		t.Fatal(err)
	}
	class.Everybody = false
	narrow, err := w.Route(t.Context(), pricing.GraphCandidate(base), class, math.Inf(1))
	if err != nil {
		t.Fatal(err)
	}
	a, b := float64(wide.Cost.Total()), float64(narrow.Cost.Total())
	if len(narrow.Routes) <= len(wide.Routes) || math.Abs(a-b) > 1e-9*b {
		t.Errorf("%d routes take %v; under rotations %d take %v", len(wide.Routes), a, len(narrow.Routes), b)
	}
	static, err := planner.Registry(Planners()).Lookup("static")
	if err != nil {
		t.Fatal(err)
	}
	made, err := static.Plan(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	report, err := verify.Plan(t.Context(), made)
	if err != nil {
		t.Fatal(err)
	}
	if bad := report.First(); bad != nil {
		t.Errorf("%s: %s", bad.Name, bad.Detail)
	}
}
