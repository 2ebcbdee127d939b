package flow_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/lightpath-net/lightpath/flow"
	"github.com/lightpath-net/lightpath/internal/samples"
	"github.com/lightpath-net/lightpath/topology"
)

// On graphs that look the same from every node, one search gives the result of Floor, which
// searches once per destination. Other graphs are refused.
func TestFloorsEqualFloor(t *testing.T) {
	rng := rand.New(rand.NewPCG(14, 1))
	for _, g := range []*topology.Graph{
		topology.Circulant(30, 1, 7), topology.DirectedCirculant(24, 1, 1, 5), topology.DirectedCirculant(24, 2, 4),
		topology.Torus(4, 6), topology.Torus(3, 3, 4),
	} {
		floors, ok := flow.NewFloors(g)
		if !ok {
			t.Fatalf("%s is refused", g.Name())
		}
		whole, _ := g.Symmetry()
		var first []flow.Demand
		for v := 1; v < g.Nodes(); v++ {
			first = append(first, flow.Demand{Src: 0, Dst: v, Amount: 3})
		}
		want, connected := floors.Of(slices.Values(first), whole)
		if got, ok := floors.Uniform(3); ok != connected || got != want {
			t.Errorf("%s: %+v where all send to all, want %+v", g.Name(), got, want)
		}
		for round := range samples.Draws(20, 40) {
			group := topology.Translations{}
			if round%2 == 1 {
				group = whole
			}
			var demands []flow.Demand
			for range 1 + rng.IntN(20) {
				d := flow.Demand{Src: rng.IntN(g.Nodes()), Dst: rng.IntN(g.Nodes()), Amount: 1 + rng.Float64()}
				if d.Src != d.Dst {
					demands = append(demands, d)
				}
			}
			if len(demands) == 0 {
				continue
			}
			want, shortest, err := flow.Floor(t.Context(), flow.Problem{Graph: g, Demands: demands, Group: group})
			got, ok := floors.Of(slices.Values(demands), group)
			switch {
			case errors.Is(err, flow.ErrUnreachable):
				if ok {
					t.Errorf("%s: %v has a floor", g.Name(), demands)
				}
			case err != nil:
				t.Fatal(err)
			case !ok || got.Hops != want.Hops || math.Abs(got.Peak-want.Peak) > 1e-9*want.Peak:
				t.Errorf("%s: %+v, want %+v", g.Name(), got, want)
			case shortest.Peak < want.Peak*(1-1e-12):
				t.Errorf("%s: shortest paths have %v, below %v", g.Name(), shortest, want)
			}
		}
	}
	if _, ok := flow.NewFloors(topology.GenKautz(3, 20)); ok {
		t.Error("a graph without symmetry is not refused")
	}
}

// Demands of one hop are bounded before the distances of a circulant are known as they are
// afterwards.
func TestFloorsOfOneHopNeedNoDistances(t *testing.T) {
	rng := rand.New(rand.NewPCG(14, 2))
	for range 100 {
		n := 3 + rng.IntN(40)
		jumps := make([]int, 1+rng.IntN(5))
		for i := range jumps {
			jumps[i] = rng.IntN(n)
		}
		known := flow.CirculantFloors(n, jumps)
		known.Uniform(1)
		var demands []flow.Demand
		for range 1 + rng.IntN(8) {
			if jump := jumps[rng.IntN(len(jumps))]; jump > 0 {
				src := rng.IntN(n)
				demands = append(demands, flow.Demand{Src: src, Dst: (src + jump) % n, Amount: 1 + rng.Float64()})
			}
		}
		if len(demands) == 0 {
			continue
		}
		got, ok := flow.CirculantFloors(n, jumps).Of(slices.Values(demands), topology.Translations{})
		if want, _ := known.Of(slices.Values(demands), topology.Translations{}); !ok || got != want || got.Hops != 1 {
			t.Fatalf("%d nodes, jumps %v: %+v, want %+v", n, jumps, got, want)
		}
	}
}
