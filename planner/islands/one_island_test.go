package islands_test

import (
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/collective/algorithms"
	"github.com/lightpath-net/lightpath/internal/samples"
	"github.com/lightpath-net/lightpath/plan/verify"
	"github.com/lightpath-net/lightpath/planner/islands"
	"github.com/lightpath-net/lightpath/units"
)

// TestOneIslandNeedsNoCircuits: if one island has all GPUs, the steps of every algorithm can run
// within it, and no plan is slower than that.
func TestOneIslandNeedsNoCircuits(t *testing.T) {
	t.Parallel()
	for i, nodes := range []int{4, 8} {
		f := inIslands(nodes, 1, nodes)
		for j, op := range collective.Ops() {
			sizes := []units.Bytes{units.KiB, 64 * units.MiB}
			if !samples.Every() {
				sizes = sizes[(i+j)%2:][:1] // in turn
			}
			for _, size := range sizes {
				found := fastest(t, f, op, size)
				for _, a := range algorithms.For(op, collective.Shape{Nodes: nodes, Ports: 1}) {
					laid, err := algorithms.New(op, a.Name, nodes, 1)
					if err != nil {
						continue // the algorithm needs options
					}
					p, err := islands.Within(collective.Sized{Collective: laid, Size: size}, &f)
					if err != nil {
						t.Fatal(err)
					}
					if r, err := verify.Plan(t.Context(), p); err != nil || r.First() != nil {
						t.Errorf("%s of %v by %s: %v, %v", op, size, a.Name, r.First(), err)
					}
					if found.Cost.Total() > p.Cost.Total()*(1+1e-9) {
						t.Errorf("%s of %v on %d GPUs takes %v, by %s within the island %v", op, size, nodes, found.Cost.Total(), a.Name, p.Cost.Total())
					}
				}
			}
		}
	}
}
