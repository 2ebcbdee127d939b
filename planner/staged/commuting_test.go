package staged

import (
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/collective/algorithms"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/internal/samples"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/staged/pass"
	"github.com/lightpath-net/lightpath/planner/staged/pricing"
	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/units"
)

// No circulant or torus, translated or not, does an all-to-all, a scatter or a gather in less
// than the bound by which they are ruled out.
func TestCommutingCircuitsKeepToTheirBound(t *testing.T) {
	random := rand.New(rand.NewPCG(14, 3))
	static := Planners()[0]
	for round := range samples.Draws(40, 120) {
		f := fabric.Default()
		f.Nodes, f.Ports = 6+random.IntN(20), 1+random.IntN(4)
		f.Alpha, f.Delta = units.Duration(random.IntN(900)), units.Duration(random.IntN(900))
		jumps := make([]int, f.Ports)
		for i := range jumps {
			jumps[i] = 1 + random.IntN(f.Nodes-1)
		}
		g := topology.DirectedCirculant(f.Nodes, jumps...)
		if f.Ports == 4 && random.IntN(2) == 0 {
			f.Nodes = 16
			g = topology.Torus(4, 4)
		}
		f.Base = g.Name()
		c, err := algorithms.New([]collective.Op{collective.AllToAll, collective.Scatter, collective.Gather}[round%3], "direct", f.Nodes, f.Ports)
		if err != nil {
			t.Fatal(err)
		}
		r := planner.Request{Fabric: f, Collective: c, Size: units.Bytes(1 << (4 + random.IntN(20))), Bare: true}
		made, err := static.Plan(t.Context(), r)
		if errors.Is(err, planner.ErrInfeasible) {
			continue // it does not connect all nodes
		}
		if err != nil {
			t.Fatal(err)
		}
		w := pricing.NewWorkload(&r, c.Steps)
		if least := w.LeastCommuting(); least > made.Cost.Total()*(1+pass.LimitTolerance) {
			t.Errorf("%s: %v, at least %v", g.Name(), made.Cost.Total(), least)
		}
		r.Limit = made.Cost.Total()
		if !w.Commuting(&r) {
			t.Errorf("%s is left out", g.Name())
		}
	}
}
