package synthesis

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/lightpath-net/lightpath/flow"
)

// automorphismsByTrial counts automorphisms by trying every permutation.
func automorphismsByTrial(iv *interval) int {
	count := 0
	for _, g := range permutationsOf(iv.Nodes) {
		fits := true
		for _, c := range iv.classes {
			moved := make([]flow.Demand, 0, len(c.all()))
			for _, d := range c.all() {
				moved = append(moved, flow.Demand{Src: g[d.Src], Dst: g[d.Dst], Amount: d.Amount})
			}
			fits = fits && slices.Equal(merged(moved), c.all())
		}
		if fits {
			count++
		}
	}
	return count
}

func TestAutomorphismsAreAllThereAre(t *testing.T) {
	rng := rand.New(rand.NewPCG(13, 14))
	for range 20 {
		iv := prepared(t, randomProblem(rng, 5, 1, false))
		found := iv.automorphisms()
		if want := automorphismsByTrial(iv); len(found) != want {
			t.Fatalf("%d automorphisms, want %d", len(found), want)
		}
		for _, g := range found {
			if sorted := slices.Sorted(slices.Values(g)); sorted[0] != 0 || len(slices.Compact(sorted)) != 5 {
				t.Fatalf("%v is no permutation", g)
			}
		}
	}
}

// If there are too many automorphisms, those found still form a group.
func TestAutomorphismsOfManyIdleNodesAreLimited(t *testing.T) {
	p := Problem{Nodes: 20, Ports: 1, Bandwidth: byteRate, Steps: []Step{{Demands: []flow.Demand{{Src: 3, Dst: 4, Amount: 1}}}}}
	found := prepared(t, p).automorphisms()
	if len(found) != 5040 {
		t.Errorf("%d automorphisms, want those of 7 idle nodes", len(found))
	}
	for _, g := range found[:100] {
		if g[3] != 3 || g[4] != 4 {
			t.Fatalf("%v moves the nodes that send", g)
		}
	}
}

// Of the images of every topology, at least one passes the sieve, and not many more do if the
// group moves every node to every other one.
func TestOrderlyKeepsAnImageOfEveryTopology(t *testing.T) {
	shift := recursiveDoubling(4, 2, 1, 1)
	all := Problem{Nodes: 4, Ports: 2, Bandwidth: byteRate, Steps: []Step{{Demands: []flow.Demand{{Src: 0, Dst: 1, Amount: 1}, {Src: 2, Dst: 3, Amount: 1}}}}}
	for _, p := range []Problem{shift, all} {
		iv := prepared(t, p)
		automorphisms := iv.automorphisms()
		total, passed := 0, map[string]bool{}
		orbits := map[string]bool{}
		eachMatrix(p.Nodes, p.Ports, func(x []int) {
			total++
			o := newOrderly(p.Nodes, automorphisms)
			u, ok := o.root, true
			for k := 0; k < p.Nodes && ok; k++ { // the root first, then the others
				ok = o.filled(u, x)
				u = k
				if u >= o.root {
					u++
				}
			}
			smallest := ""
			for _, g := range automorphisms {
				if image := imageOf(x, g); smallest == "" || image < smallest {
					smallest = image
				}
			}
			orbits[smallest] = true
			if ok {
				passed[smallest] = true
			}
		})
		if len(passed) != len(orbits) || len(orbits) == total {
			t.Errorf("of %d orbits of %d topologies, %d are kept", len(orbits), total, len(passed))
		}
	}
}

// eachMatrix lists all matrices with row and column sums equal to the ports.
func eachMatrix(n, ports int, visit func(x []int)) {
	x := make([]int, n*n)
	var place func(e int)
	place = func(e int) {
		if e == n*n {
			visit(x)
			return
		}
		row, column := ports, ports
		for k := range n {
			row -= x[e/n*n+k]
			column -= x[k*n+e%n]
		}
		for x[e] = 0; x[e] <= min(row, column); x[e]++ {
			if e%n < n-1 && e/n < n-1 || e%n == n-1 && x[e] == row && (e/n < n-1 || x[e] == column) || e%n < n-1 && x[e] == column {
				place(e + 1)
			}
		}
		x[e] = 0
	}
	place(0)
}

func imageOf(x, g []int) string {
	n := len(g)
	image := make([]int, n*n)
	for e, count := range x {
		image[g[e/n]*n+g[e%n]] = count
	}
	return fmt.Sprint(image)
}
