package boundtest

import (
	"slices"
	"sync"

	"github.com/lightpath-net/lightpath/internal/permutations"
)

// graph is a wiring of the ports: circuits[u][v] from u to v.
type graph struct {
	nodes    int
	circuits [][]int
	arcs     []arc
}

// arc is one or more parallel circuits.
type arc struct{ from, to, count int }

func newGraph(circuits [][]int) *graph {
	g := &graph{nodes: len(circuits), circuits: circuits}
	for u, row := range circuits {
		for v, count := range row {
			if count > 0 {
				g.arcs = append(g.arcs, arc{u, v, count})
			}
		}
	}
	return g
}

// graphs lists all ways to wire the ports, up to the names of the GPUs. These are sums of one
// permutation per port, by König's theorem, or, if circuits go both ways, as many circuits
// between pairs of GPUs as fit. It leaves out graphs that are part of another, and graphs on
// which data cannot get everywhere.
func graphs(nodes, ports int, twoWay bool) []*graph {
	of := wirings{nodes, ports, twoWay}
	found.Lock()
	defer found.Unlock()
	if found.of[of] == nil {
		if twoWay {
			found.of[of] = findTwoWay(nodes, ports)
		} else {
			found.of[of] = findGraphs(nodes, ports)
		}
	}
	return found.of[of]
}

// wirings is what graphs depend on.
type wirings struct {
	nodes, ports int
	twoWay       bool
}

// found remembers the graphs of earlier calls: those of six GPUs take seconds.
var found = struct {
	sync.Mutex
	of map[wirings][]*graph
}{of: map[wirings][]*graph{}}

// findTwoWay goes through the pairs of GPUs and the circuits between them. If no two GPUs have
// a free port, no other wiring contains this one.
func findTwoWay(nodes, ports int) []*graph {
	circuits, left := make([][]int, nodes), slices.Repeat([]int{ports}, nodes)
	for u := range circuits {
		circuits[u] = make([]int, nodes)
	}
	var list []*graph
	named := map[string]bool{}
	var fill func(u, v int)
	fill = func(u, v int) {
		if u == nodes-1 {
			spare := 0
			for _, l := range left {
				spare += min(l, 1)
			}
			if spare > 1 {
				return
			}
			copied := make([][]int, nodes)
			for i := range copied {
				copied[i] = slices.Clone(circuits[i])
			}
			if name := nameOf(copied); !named[name] {
				named[name] = true
				if g := newGraph(copied); g.connected() {
					list = append(list, g)
				}
			}
			return
		}
		if v == nodes {
			fill(u+1, u+2)
			return
		}
		for count := 0; count <= min(left[u], left[v]); count++ {
			circuits[u][v], circuits[v][u] = count, count
			left[u], left[v] = left[u]-count, left[v]-count
			fill(u, v+1)
			left[u], left[v] = left[u]+count, left[v]+count
		}
		circuits[u][v], circuits[v][u] = 0, 0
	}
	fill(0, 1)
	return list
}

// nameOf returns the same name for wirings that differ only in the names of the GPUs.
func nameOf(circuits [][]int) string {
	n, best := len(circuits), ""
	other := make([]byte, n*n)
	for p := range permutations.Of(n) {
		for u := range n {
			for v := range n {
				other[p[u]*n+p[v]] = byte(circuits[u][v])
			}
		}
		if best == "" || string(other) < best {
			best = string(other)
		}
	}
	return best
}

func findGraphs(nodes, ports int) []*graph {
	type wiring = string // the counts in a row
	cell := func(u, v int) int { return u*nodes + v }
	least := func(w []byte) wiring {
		best, other := "", make([]byte, len(w))
		for p := range permutations.Of(nodes) {
			for u := range nodes {
				for v := range nodes {
					other[cell(p[u], p[v])] = w[cell(u, v)]
				}
			}
			if best == "" || string(other) < best {
				best = string(other)
			}
		}
		return best
	}
	level := []wiring{string(make([]byte, nodes*nodes))}
	for range ports {
		var next []wiring
		seen, named := map[wiring]bool{}, map[wiring]bool{}
		for _, w := range level {
			for p := range permutations.Of(nodes) {
				more := []byte(w)
				for u, v := range p {
					if u != v {
						more[cell(u, v)]++
					}
				}
				if seen[string(more)] {
					continue
				}
				seen[string(more)] = true
				if name := least(more); !named[name] {
					named[name] = true
					next = append(next, name)
				}
			}
		}
		level = next
	}
	// A wiring with fewer circuits may be part of another, under some names of the GPUs.
	within := func(small, large wiring) bool {
		if small == large {
			return false
		}
		for p := range permutations.Of(nodes) {
			fits := true
			for u := 0; u < nodes && fits; u++ {
				for v := 0; v < nodes && fits; v++ {
					fits = small[cell(u, v)] <= large[cell(p[u], p[v])]
				}
			}
			if fits {
				return true
			}
		}
		return false
	}
	total := func(w wiring) int {
		sum := 0
		for i := range len(w) {
			sum += int(w[i])
		}
		return sum
	}
	var list []*graph
	for _, w := range level {
		if total(w) < nodes*ports && slices.ContainsFunc(level, func(other wiring) bool { return total(other) > total(w) && within(w, other) }) {
			continue
		}
		circuits := make([][]int, nodes)
		for u := range circuits {
			circuits[u] = make([]int, nodes)
			for v := range circuits[u] {
				circuits[u][v] = int(w[cell(u, v)])
			}
		}
		if g := newGraph(circuits); g.connected() {
			list = append(list, g)
		}
	}
	return list
}

// distances returns the hops of shortest paths between all nodes; nodes if there is none.
func (g *graph) distances() [][]int {
	far := make([][]int, g.nodes)
	for u := range far {
		far[u] = slices.Repeat([]int{g.nodes}, g.nodes)
		far[u][u] = 0
	}
	for range g.nodes {
		for u := range far {
			for _, a := range g.arcs {
				far[u][a.to] = min(far[u][a.to], far[u][a.from]+1)
			}
		}
	}
	return far
}

// connected reports whether data can get from every node to every other.
func (g *graph) connected() bool {
	for _, row := range g.distances() {
		for _, d := range row {
			if d >= g.nodes {
				return false
			}
		}
	}
	return true
}

// reversed returns the graph with all circuits reversed.
func (g *graph) reversed() *graph {
	circuits := make([][]int, g.nodes)
	for u := range circuits {
		circuits[u] = make([]int, g.nodes)
		for v := range circuits[u] {
			circuits[u][v] = g.circuits[v][u]
		}
	}
	return newGraph(circuits)
}
