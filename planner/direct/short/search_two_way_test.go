package short

import (
	"math/bits"
	"math/rand/v2"
	"slices"

	"github.com/lightpath-net/lightpath/topology"
)

// web is a graph of two-way circuits. If the nodes have an odd number of ports together, the last
// one is short of a port.
type web struct {
	Task
	ends []int // circuit i leads from ends[2i] to ends[2i+1] and back
}

// findTwoWay is Find for two-way circuits. It returns the two ends of each.
func findTwoWay(t Task) []int {
	random := rand.New(rand.NewPCG(uint64(t.Seed), uint64(t.Nodes)<<16|uint64(t.Degree)))
	w := &web{Task: t}
	for i := range t.Nodes * t.Degree / 2 * 2 {
		w.ends = append(w.ends, i/t.Degree)
	}
	random.Shuffle(len(w.ends), func(i, j int) { w.ends[i], w.ends[j] = w.ends[j], w.ends[i] })
	far := w.tooFar()
	for m := 0; m < t.Moves && far > 0; m++ {
		heat := cold + (hot-cold)*(t.Moves-m)/t.Moves
		a, b := random.IntN(len(w.ends)), random.IntN(len(w.ends))
		if a/2 == b/2 || w.ends[a] == w.ends[b] {
			continue
		}
		w.ends[a], w.ends[b] = w.ends[b], w.ends[a]
		if next := w.tooFar(); next <= far || (next-far)*unit <= heat*bits.TrailingZeros64(random.Uint64()) {
			far = next
		} else {
			w.ends[a], w.ends[b] = w.ends[b], w.ends[a]
		}
	}
	if far > 0 {
		return nil
	}
	return w.ends
}

// tooFar counts the pairs that are too far apart, and so many for each circuit from a node to
// itself as if that node reached no other.
func (w *web) tooFar() int {
	var sets [2][MostNodes]nodes
	reached, next := sets[0][:w.Nodes], sets[1][:w.Nodes]
	for v := range reached {
		reached[v].add(v)
	}
	for range w.Diameter {
		copy(next, reached)
		for i := 0; i < len(w.ends); i += 2 {
			u, v := w.ends[i], w.ends[i+1]
			next[u].join(reached[v])
			next[v].join(reached[u])
		}
		reached, next = next, reached
	}
	far := 0
	for v := range reached {
		far += w.Nodes - reached[v].count()
	}
	for i := 0; i < len(w.ends); i += 2 {
		if w.ends[i] == w.ends[i+1] {
			far += w.Nodes
		}
	}
	return far
}

// twoWayGraph returns the graph of two-way circuits, and its name. One whose last node is short of
// a port is a smaller graph with that node inserted; ok is false if no smaller graph fits.
func twoWayGraph(t Task, ends []int) (g *topology.Graph, expr topology.Expr, ok bool) {
	var edges, less []topology.Edge // less: without the last node
	var around []int                // its neighbours
	for i := 0; i < len(ends); i += 2 {
		both := []topology.Edge{{From: ends[i], To: ends[i+1], Count: 1}, {From: ends[i+1], To: ends[i], Count: 1}}
		edges = append(edges, both...)
		switch t.Nodes - 1 {
		case ends[i]:
			around = append(around, ends[i+1])
		case ends[i+1]:
			around = append(around, ends[i])
		default:
			less = append(less, both...)
		}
	}
	if t.Nodes*t.Degree%2 == 0 {
		g = topology.New(t.Nodes, "short", edges)
		return g, nameOf(g, t.Nodes), true
	}
	unused := topology.Edge{From: t.Nodes - 1, To: t.Nodes - 1, Count: 1} // a port
	edges = append(edges, unused)
	g = topology.New(t.Nodes, "short", edges)
	for i := 0; i < len(around); i += 2 {
		a, b := around[i], around[i+1]
		less = append(less, topology.Edge{From: a, To: b, Count: 1}, topology.Edge{From: b, To: a, Count: 1})
	}
	inner := topology.New(t.Nodes-1, "short", less)
	if !inner.Regular() { // some other node would be its own neighbour
		return nil, expr, false
	}
	expr.Family, expr.Graphs = "Insert", []topology.Expr{nameOf(inner, t.Nodes-1)}
	var pairs [][2]int // the circuits, in the order of Edges
	for e := range inner.Edges() {
		for range e.Count {
			pairs = append(pairs, [2]int{e.From, e.To})
		}
	}
	for i := 0; i < len(around); i += 2 {
		for _, c := range [][2]int{{around[i], around[i+1]}, {around[i+1], around[i]}} {
			at := slices.Index(pairs, c)
			pairs[at] = [2]int{-1, -1}
			expr.Numbers = append(expr.Numbers, at)
		}
	}
	built, err := expr.Build()
	return g, expr, err == nil && built.Equal(g)
}
