package pricing

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/flow"
	"github.com/lightpath-net/lightpath/planner/staged/stagedtest"
	"github.com/lightpath-net/lightpath/units"
)

func TestRouteIsTheFastestOfAllHopLimits(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 2))
	for range 40 {
		f := fabric.Default()
		f.Nodes, f.Ports = 16, 2+rng.IntN(3)
		r := stagedtest.Request(t, f, collective.AllReduce, "recursive-doubling", units.Bytes(1)<<(8+rng.IntN(18)))
		w := NewWorkload(&r, r.Collective.Steps)
		g, err := f.BaseTopology()
		if err != nil {
			t.Fatal(err)
		}
		class := &w.Classes[rng.IntN(len(w.Classes))]
		got, err := w.Route(t.Context(), GraphCandidate(g), class, math.Inf(1))
		if err != nil {
			t.Fatal(err)
		}
		for hops := 1; hops <= f.Nodes; hops++ {
			p := w.Problem(g, class)
			p.MaxHops = hops
			result, err := flow.Solve(t.Context(), p, flow.Optimal)
			if err != nil {
				continue // too few hops
			}
			if time := w.price(result.Load, class); time < float64(got.Cost.Total())*(1-1e-9) {
				t.Errorf("%s: within %d hops %v, the route takes %v", g.Name(), hops, time, got.Cost.Total())
			}
		}
	}
}
