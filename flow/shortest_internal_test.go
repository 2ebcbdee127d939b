package flow

import (
	"math/rand/v2"
	"testing"

	"github.com/lightpath-net/lightpath/flow/search"
	"github.com/lightpath-net/lightpath/topology"
)

// A search that ends at the last source knows the same distances as a complete search for all
// sources and for all nodes nearer than the farthest source. For other nodes it knows the right
// distance or none. This also holds after other such searches.
func TestSearchesThatEndEarlyKnowWhatIsNearer(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 14))
	for _, g := range []*topology.Graph{
		topology.DirectedCirculant(40, 1, 7), topology.GenKautz(3, 50), topology.Torus(4, 8),
		topology.New(6, "two parts", []topology.Edge{{From: 0, To: 1, Count: 1}, {From: 1, To: 0, Count: 1}, {From: 2, To: 3, Count: 1}}),
	} {
		short := search.NewDistances(g)
		wanted := make([]bool, g.Nodes())
		for range 200 {
			dst := rng.IntN(g.Nodes())
			var demands []Demand
			var here []int
			for i := range 1 + rng.IntN(3) {
				demands = append(demands, Demand{Src: rng.IntN(g.Nodes()), Dst: dst, Amount: 1})
				here = append(here, i)
			}
			searchFrom(short, dst, demands, here, wanted)
			whole := search.NewDistances(g)
			whole.Search(dst)
			far := int32(0)
			for _, d := range demands {
				if far = max(far, whole.Hops[d.Src]); short.Hops[d.Src] != whole.Hops[d.Src] {
					t.Fatalf("%s: %d to %d is %d, want %d", g.Name(), d.Src, dst, short.Hops[d.Src], whole.Hops[d.Src])
				}
			}
			for u, want := range whole.Hops {
				if got := short.Hops[u]; got != want && (got != -1 || want >= 0 && want < far) {
					t.Fatalf("%s: %d to %d is %d, want %d", g.Name(), u, dst, got, want)
				}
				if wanted[u] {
					t.Fatalf("%s: node %d stays wanted", g.Name(), u)
				}
			}
		}
	}
}
