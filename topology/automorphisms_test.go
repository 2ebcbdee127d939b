package topology

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/lightpath-net/lightpath/internal/countdown"
)

// generated counts the permutations that some permutations generate, by listing all of them.
func generated(n int, generators [][]int32) int {
	identity := make([]int32, n)
	for u := range identity {
		identity[u] = int32(u)
	}
	seen := map[string]bool{fmt.Sprint(identity): true}
	list := [][]int32{identity}
	for i := 0; i < len(list); i++ {
		for _, by := range generators {
			next := make([]int32, n)
			for u, v := range list[i] {
				next[u] = by[v]
			}
			if key := fmt.Sprint(next); !seen[key] {
				seen[key] = true
				list = append(list, next)
			}
		}
	}
	return len(list)
}

// automorphismsByTrial counts the automorphisms among all permutations.
func automorphismsByTrial(g *Graph) int {
	n, count := g.Nodes(), 0
	image, used := make([]int, n), make([]bool, n)
	var place func(u int)
	place = func(u int) {
		if u == n {
			if isIsomorphism(g, g, func(u int) int { return image[u] }) {
				count++
			}
			return
		}
		for v := range n {
			if !used[v] {
				image[u], used[v] = v, true
				place(u + 1)
				used[v] = false
			}
		}
	}
	place(0)
	return count
}

// The permutations found generate all automorphisms, as many as there are among all
// permutations.
func TestAutomorphismsEqualTrial(t *testing.T) {
	rng := rand.New(rand.NewPCG(14, 3))
	graphs := []*Graph{DirectedCirculant(7, 1), Circulant(6, 1), Complete(5), GenKautz(2, 6), GenKautz(2, 7), GenKautz(3, 6), GenKautz(2, 4), LineGraph(Complete(3), 1)}
	for range 40 {
		n := 3 + rng.IntN(4)
		var edges []Edge
		for range 1 + rng.IntN(2*n) {
			edges = append(edges, Edge{From: rng.IntN(n), To: rng.IntN(n), Count: 1 + rng.IntN(2)})
		}
		graphs = append(graphs, New(n, fmt.Sprint(edges), edges))
	}
	for _, g := range graphs {
		found, err := g.Automorphisms(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if got, want := generated(g.Nodes(), found), automorphismsByTrial(g); got != want {
			t.Errorf("%s: %d automorphisms, want %d", g.Name(), got, want)
		}
	}
}

// With d^k nodes a generalised Kautz graph is a de Bruijn graph, which has the permutations of
// its d letters. With d^k+d^(k-1) nodes it is a Kautz graph, which has those of d+1 letters.
// Others have rotations and a reflection (Imase and Itoh's graphs: x -> -x-1).
func TestAutomorphismsOfGeneralisedKautzGraphs(t *testing.T) {
	for _, c := range []struct{ d, n, want int }{
		{2, 16, 2}, {3, 27, 6}, {4, 64, 24}, {4, 1024, 24}, {2, 12, 6}, {3, 36, 24}, {6, 1024, 2}, {5, 1024, 4}, {7, 1024, 16},
	} {
		found, err := GenKautz(c.d, c.n).Automorphisms(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if got := generated(c.n, found); got != c.want {
			t.Errorf("GenKautz(%d,%d): %d automorphisms, want %d", c.d, c.n, got, c.want)
		}
	}
}

// The permutations of the incidence graph of a projective plane over a field map any two nodes to
// any two that are as far apart: they leave as many orbits of pairs as there are distances. To try
// the lines through a point in all orders would take years.
func TestAutomorphismsOfProjectivePlanesLeaveOneOrbitPerDistance(t *testing.T) {
	for _, q := range []int{2, 3, 4, 5, 7, 8, 9} {
		g := mustParse(t, fmt.Sprintf("Polygon(3,%d)", q))
		found, err := g.Automorphisms(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		n, orbits := g.Nodes(), 0
		seen := make([]bool, n*n)
		for pair := range seen {
			if seen[pair] {
				continue
			}
			orbits++
			seen[pair] = true
			for queue := []int{pair}; len(queue) > 0; {
				u, v := queue[0]/n, queue[0]%n
				queue = queue[1:]
				for _, image := range found {
					if to := int(image[u])*n + int(image[v]); !seen[to] {
						seen[to] = true
						queue = append(queue, to)
					}
				}
			}
		}
		if orbits != 4 {
			t.Errorf("%s: %d orbits of pairs, want 4", g.Name(), orbits)
		}
	}
}

// A root is a graph whose line graph has the same circuits; a graph that is not a line graph
// has none.
func TestLineRootsAreThoseOfLineGraphs(t *testing.T) {
	for _, g := range []*Graph{GenKautz(4, 64), GenKautz(3, 36), LineGraph(Complete(4), 2), LineGraph(Torus(3, 4), 1)} {
		r, ok := newLineRoot(g)
		if !ok {
			t.Fatalf("%s has no root", g.Name())
		}
		for x := range g.Nodes() {
			for y := range g.Nodes() {
				if want := r.head[x] == r.tail[y]; want != (g.Find(x, y) >= 0) {
					t.Errorf("%s: %d leads to %d: %v", g.Name(), x, y, !want)
				}
			}
		}
	}
	for _, g := range []*Graph{GenKautz(4, 63), Torus(4, 4), Complete(5), DirectedCirculant(8, 1)} {
		if _, ok := newLineRoot(g); ok {
			t.Errorf("%s has a root", g.Name())
		}
	}
}

func TestAutomorphismsEndWithTheirContext(t *testing.T) {
	ctx := countdown.New(t.Context(), 3)
	if _, err := Torus(8, 8).Automorphisms(ctx); err == nil {
		t.Error("no error after the end of the context")
	}
}
