package network

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/lightpath-net/lightpath/topology"
)

// The routes are those of a search that keeps and compares every route as a list of points, and
// looks at every link for every number of hops.
func TestSpreadIsThatOfPlainSearch(t *testing.T) {
	for _, c := range []struct{ n, d int }{{9, 2}, {12, 2}, {10, 3}, {17, 3}, {24, 4}} {
		nets := 0
		for expr := range topology.OfNodes(c.n, c.d) {
			g, err := expr.Build()
			if err != nil {
				t.Fatal(err)
			}
			net := New(g, topology.Translations{})
			if net.Diameter == 0 {
				continue
			}
			nets++
			t.Run(fmt.Sprintf("n=%d/ports=%d/%s", c.n, c.d, g.Name()), func(t *testing.T) {
				got, want := net.findSpread(unstopped).bundled(), plainSpread(net)
				for source := range want {
					for i, path := range got[source] {
						if !slices.Equal(path.path, want[source][i].path) || path.share != want[source][i].share {
							t.Fatalf("source %d: %v of %v, want %v of %v", source, path.share, path.path, want[source][i].share, want[source][i].path)
						}
					}
					if len(got[source]) != len(want[source]) {
						t.Fatalf("source %d: %d ways, want %d", source, len(got[source]), len(want[source]))
					}
				}
			})
		}
		if nets == 0 {
			t.Errorf("no network of %d points and %d ports without symmetry", c.n, c.d)
		}
	}
}

// plainSpread does what the comment of findSpread says.
func plainSpread(n *Network) [][]shared {
	p := n.Points
	load := make([]float64, len(n.Width))
	paths := make([][][]int32, p*spreadParts) // by source and part, and then by target
	add := func(list [][]int32, by float64) {
		for _, path := range list {
			for h := 1; h < len(path); h++ {
				load[n.class(path[h-1], path[h])] += by
			}
		}
	}
	var best [][][]int32
	least := math.Inf(1)
	for range spreadRounds {
		for part := range spreadParts {
			for source := range p {
				at := source*spreadParts + part
				add(paths[at], -1.0/spreadParts)
				paths[at] = n.plainWays(source, load)
				add(paths[at], 1.0/spreadParts)
			}
		}
		peak := 0.0
		for c, l := range load {
			peak = max(peak, l/n.Width[c])
		}
		if peak < least {
			least, best = peak, slices.Clone(paths)
		}
	}
	all := make([][]shared, p)
	for source := range all {
		for target := range p - 1 {
			var ways []shared
			for part := range spreadParts {
				path := best[source*spreadParts+part][target]
				i := slices.IndexFunc(ways, func(s shared) bool { return slices.Equal(s.path, path) })
				if i < 0 {
					i = len(ways)
					ways = append(ways, shared{path: path})
				}
				ways[i].share += 1.0 / spreadParts
			}
			all[source] = append(all[source], ways...)
		}
	}
	return all
}

// A network of 160 points with 8 ports.
func BenchmarkSpread(b *testing.B) {
	g := topology.GenKautz(8, maxSpread)
	net := New(g, topology.Translations{})
	for range b.N {
		if net.findSpread(unstopped) == nil {
			b.Fatal("no ways")
		}
	}
}

func unstopped() bool { return false }
