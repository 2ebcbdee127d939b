package flow

import (
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/lightpath-net/lightpath/topology"
)

// TestWhatIsGivenUpBoundsMoreHops: the bound of an abandoned approximation within some hops does
// not exceed the smallest peak of all routings by the linear program. A memory must return that
// bound unchanged, except for scaling.
func TestWhatIsGivenUpBoundsMoreHops(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 1))
	useful := 0
	for trial := range 24 {
		n := 12 + rng.IntN(14)
		p := Problem{Graph: topology.GenKautz(2+trial%3, n), Demands: everybody(n, 2)}
		if trial%2 == 1 {
			p = Problem{Graph: randomDigraph(rng, n, 3), Demands: randomDemands(rng, n, trial%3)}
		}
		p.Exact = true
		free, err := Solve(t.Context(), p, Optimal)
		if err != nil {
			t.Fatal(err)
		}
		cl, short, split := starts(t, p)
		p.MaxHops = short.Load.Hops + trial%2
		known := Recall{NewMemory(), Case{}, 1}
		find := func() (*Result, error) {
			return approximate(t.Context(), p, cl, beginning{lower(short, split), short.Bound, nil, false}, approximateGap, short.Bound*(1+1e-6))
		}
		_, err = known.solve(p.MaxHops, false, 0, find)
		var over, again *beyond
		if !errors.As(err, &over) {
			continue // the bound at the start is met, nearly
		}
		if over.open > free.Load.Peak*(1+optimalityGap) {
			t.Errorf("trial %d: bound %v, but a routing has a peak of %v", trial, over.open, free.Load.Peak)
		}
		if over.open > short.Bound {
			useful++
		}
		known.Largest = 4
		if _, err := known.solve(p.MaxHops, false, 0, find); !errors.As(err, &again) || again.open != 4*over.open || again.bound != 4*over.bound {
			t.Errorf("trial %d: remembered %+v of %+v, %v", trial, again, over, err)
		}
	}
	if useful == 0 {
		t.Error("no bound is above that of counting")
	}
}
