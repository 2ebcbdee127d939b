package trees

import (
	"math/rand/v2"
	"testing"

	"github.com/lightpath-net/lightpath/topology"
)

// cutOf returns the least number of circuits that separate a node from node 0, over all sets of
// nodes.
func cutOf(g *topology.Graph) int {
	least := 1 << 30
	for set := 1; set < 1<<(g.Nodes()-1); set++ {
		in := func(v int) bool { return v > 0 && set>>(v-1)&1 == 1 }
		cut := 0
		for e := range g.Edges() {
			if !in(e.From) && in(e.To) {
				cut += e.Count
			}
		}
		least = min(least, cut)
	}
	return least
}

// Edmonds' theorem: there are as many trees that share no circuit as circuits must be cut, by
// enumeration of all cuts. They are still such trees after they have been made lower.
func TestThereAreAsManyTreesAsTheLeastCutHasCircuits(t *testing.T) {
	random := rand.New(rand.NewPCG(30, 2))
	most := 0
	for range 60 {
		n := 3 + random.IntN(5)
		var edges []topology.Edge
		for range n * (1 + random.IntN(3)) {
			u, v := random.IntN(n), random.IntN(n)
			if u != v {
				edges = append(edges, topology.Edge{From: u, To: v, Count: 1 + random.IntN(2)})
			}
		}
		g := topology.New(n, "random", edges)
		cut := cutOf(g)
		most = max(most, cut)
		p := newPacking(g)
		if got := p.connectivity(g.OutDegree(0)); got != cut {
			t.Fatalf("connectivity %d, want %d: %v", got, cut, edges)
		}
		if cut == 0 {
			continue
		}
		forest, err := p.pack(t.Context(), cut)
		if err != nil {
			t.Fatalf("%d trees: %v: %v", cut, err, edges)
		}
		before := deepest(forest)
		checkForest(t, g, forest)
		lower := p.lower(forest)
		checkForest(t, g, lower)
		if deepest(lower) > before {
			t.Errorf("depth %d, was %d", deepest(lower), before)
		}
	}
	if most < 3 {
		t.Errorf("no graph has more than %d trees", most)
	}
}

func checkForest(t *testing.T, g *topology.Graph, forest []tree) {
	t.Helper()
	used := map[[2]int]int{}
	for _, tr := range forest {
		for v := 1; v < g.Nodes(); v++ {
			u := int(tr.parent[v])
			used[[2]int{u, v}]++
			if tr.level[v] != tr.level[u]+1 || tr.level[v] > tr.depth || tr.cycles(v) {
				t.Fatalf("node %d is at level %d of %d, its parent at %d", v, tr.level[v], tr.depth, tr.level[u])
			}
		}
	}
	for pair, count := range used {
		if count > g.Count(pair[0], pair[1]) {
			t.Fatalf("%d trees have %v, which has %d circuits", count, pair, g.Count(pair[0], pair[1]))
		}
	}
}
