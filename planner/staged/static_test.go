package staged

import (
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/collective/algorithms"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/staged/pricing"
	"github.com/lightpath-net/lightpath/units"
)

// Nothing takes less on circuits that stay than LeastStaying says. The test prices static on
// several such circuits.
func TestStaticTakesNoLessThanLeastStaying(t *testing.T) {
	registry, err := algorithms.NewRegistry()
	if err != nil {
		t.Fatal(err)
	}
	more := 0
	for _, name := range []string{"bruck", "swing", "recursive-doubling", "ring", "direct-exchange", "halving-doubling"} {
		for _, n := range []int{8, 9, 16, 27} {
			for ports := 1; ports <= 3; ports++ {
				f := fabric.Default()
				f.Nodes, f.Ports = n, ports
				c, err := registry.New(collective.AllReduce, name, n, f.Ports)
				if err != nil {
					continue // no steps for that many GPUs
				}
				r := planner.Request{Fabric: f, Collective: c, Size: units.MiB}
				made, err := named(t, "static").Plan(t.Context(), r)
				if err != nil {
					continue // no such circuits
				}
				w := pricing.NewWorkload(&r, c.Steps)
				rest := w.LeastFrom()[0]
				least := w.LeastStaying(rest)
				if took := float64(made.Cost.Total()); took < least*(1-1e-9) {
					t.Errorf("%s of %d with %d ports takes %v, at least %v", name, n, ports, took, least)
				}
				if least > rest {
					more++
				}
			}
		}
	}
	if more < 20 {
		t.Errorf("%d take more than hops of one: too few to say much", more)
	}
}
