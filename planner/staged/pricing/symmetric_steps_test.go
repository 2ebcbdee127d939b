package pricing

import (
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/collective/algorithms"
	"github.com/lightpath-net/lightpath/topology"
)

// Recursive doubling looks nearly the same from every GPU on a two-dimensional torus. On a
// three-dimensional one a thousand transfers stand for all, on a hundred thousand circuits: too
// much to route.
func TestStepsLookAlikeWhereFewAreRoutedOnFewCircuits(t *testing.T) {
	c, err := algorithms.New(collective.AllGather, "recursive-doubling", 1<<14, 2)
	if err != nil {
		t.Fatal(err)
	}
	for _, torus := range []struct {
		expr string
		want bool
	}{{"Torus(128,128)", true}, {"Torus(16,32,32)", false}, {"Ring(16384)", true}} {
		g, err := topology.Parse(torus.expr)
		if err != nil {
			t.Fatal(err)
		}
		alike := LooksAlike(g)
		for i, step := range c.Steps {
			if got := alike(step); got != torus.want {
				t.Errorf("step %d on %s: %t, want %t", i+1, torus.expr, got, torus.want)
			}
		}
	}
}
