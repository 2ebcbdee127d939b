package pricing

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/units"
)

// The bounds that LookTogether finds for many steps on circuits without symmetry hold for each
// step: bounded one by one, with a search for every destination, steps take no less, and often
// the same.
func TestStepsBoundedTogetherTakeNoLessOneByOne(t *testing.T) {
	same, below, apart := 0, 0, 0
	for seed := range uint64(40) {
		rng := rand.New(rand.NewPCG(seed, 35))
		f := fabric.Default()
		f.Nodes, f.Ports = 6+rng.IntN(20), 1+rng.IntN(3)
		space := collective.Space{Kind: collective.Listed, Nodes: f.Nodes}
		steps := make([]collective.Step, fewTogether+rng.IntN(5))
		for i := range steps {
			shift := 1 + rng.IntN(f.Nodes-1)
			order := rng.Perm(f.Nodes)
			for k, src := range order[:1+rng.IntN(f.Nodes)] {
				dst := order[(k+shift)%f.Nodes]
				steps[i].Base = append(steps[i].Base, collective.Transfer{Src: src, Dst: dst, Action: collective.Copy, Chunks: collective.Single(len(space.Pieces))})
				space.Pieces = append(space.Pieces, collective.Piece{Bytes: float64(1 + rng.IntN(1_000_000)), From: []int{src}, To: []int{dst}})
			}
		}
		size := 0.0
		for _, p := range space.Pieces {
			size += p.Bytes
		}
		r := planner.Request{Fabric: f, Size: units.Bytes(size), Collective: &collective.Collective{
			Op: collective.Pattern, Nodes: f.Nodes, Space: space, Steps: steps,
		}}
		w := NewWorkload(&r, steps)
		edges := make([]topology.Edge, 0, f.Nodes*f.Ports)
		for range f.Ports {
			for u, v := range rng.Perm(f.Nodes) {
				if u != v {
					edges = append(edges, topology.Edge{From: u, To: v, Count: 1})
				}
			}
		}
		g := topology.New(f.Nodes, "random", edges)
		together, alone := GraphCandidate(g), GraphCandidate(g)
		if err := w.LookTogether(t.Context(), together); err != nil {
			t.Fatal(err)
		}
		if together.lows == nil {
			continue // paths are unique, or the circuits look the same from every node
		}
		for i := range w.Classes {
			cost, _, err := w.Cost(t.Context(), alone, i)
			least := w.LeastOn(together, i, math.Inf(1))
			switch {
			case err != nil || least > cost*(1+TieTolerance) || math.IsInf(least, 1) != math.IsInf(cost, 1):
				t.Errorf("seed %d: class %d takes %v, at least %v: %v", seed, i, cost, least, err)
			case math.IsInf(cost, 1):
				apart++
			case least > cost*(1-10*TieTolerance):
				same++
			default:
				below++
			}
		}
	}
	if same < 20 || apart == 0 {
		t.Errorf("%d bounds are the same, %d below, %d steps have pairs that are not connected: want some of each", same, below, apart)
	}
}
