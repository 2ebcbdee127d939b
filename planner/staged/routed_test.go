package staged

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/flow"
	"github.com/lightpath-net/lightpath/units"
)

func TestRouteIsTheFastestOfAllHopLimits(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 2))
	for range 40 {
		f := fabric.Default()
		f.Nodes, f.Ports = 16, 2+rng.IntN(3)
		r := request(t, f, collective.AllReduce, "recursive-doubling", units.Bytes(1)<<(8+rng.IntN(18)))
		w := newWorkload(&r, r.Collective.Steps)
		g, err := f.BaseTopology()
		if err != nil {
			t.Fatal(err)
		}
		class := &w.classes[rng.IntN(len(w.classes))]
		got, err := w.route(t.Context(), graphCandidate(g), class, math.Inf(1))
		if err != nil {
			t.Fatal(err)
		}
		for hops := 1; hops <= f.Nodes; hops++ {
			p := w.problem(g, class)
			p.MaxHops = hops
			result, err := flow.Solve(t.Context(), p, flow.Optimal)
			if err != nil {
				continue // too few hops
			}
			if time := w.price(result.Load, class); time < float64(got.cost.Total())*(1-1e-9) {
				t.Errorf("%s: within %d hops %v, the route takes %v", g.Name(), hops, time, got.cost.Total())
			}
		}
	}
}
