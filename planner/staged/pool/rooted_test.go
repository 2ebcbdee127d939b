package pool

import (
	"fmt"
	"testing"

	"github.com/lightpath-net/lightpath/topology"
)

// Trees fit the ports and are as low as any circuits allow. The same holds for circuits to few
// others.
func TestTreesAreLow(t *testing.T) {
	for n := 3; n <= 130; n++ {
		for ports := 2; ports <= 7; ports++ {
			for _, twoWay := range []bool{false, true} {
				for _, away := range []bool{false, true} {
					make := lowest
					if n-1 <= ports {
						make = bundled
					}
					var nodes []int
					for v := range n {
						nodes = append(nodes, (v+3)%n)
					}
					t.Run(fmt.Sprint(n, ports, twoWay, away), func(t *testing.T) {
						checkTree(t, make(n, ports, twoWay, away, nodes), ports, twoWay, away)
					})
				}
			}
		}
	}
}

func checkTree(t *testing.T, g *topology.Graph, ports int, twoWay, away bool) {
	n := g.Nodes()
	if twoWay && !g.Bidirectional() {
		t.Fatal("not two-way")
	}
	if !away {
		g = g.Transpose("turned")
	}
	out, in := make([]int, n), make([]int, n)
	for e := range g.Edges() {
		out[e.From] += e.Count
		in[e.To] += e.Count
	}
	for v := range n {
		if out[v] > ports || in[v] > ports {
			t.Errorf("%d has %d circuits out and %d in", v, out[v], in[v])
		}
	}
	depth, reached, level := 0, 1, ports
	for reached < n {
		reached += level
		depth++
		if level *= ports; twoWay {
			level = level / ports * (ports - 1)
		}
	}
	hops := map[int]int{3 % n: 0}
	farthest := 0
	for at := range n { // breadth first
		for e := range g.Edges() {
			if _, known := hops[e.To]; hops[e.From] == at && !known {
				if _, reached := hops[e.From]; reached {
					hops[e.To], farthest = at+1, at+1
				}
			}
		}
	}
	if len(hops) != n || farthest != depth {
		t.Errorf("%d of %d in %d hops, want %d", len(hops), n, farthest, depth)
	}
}
