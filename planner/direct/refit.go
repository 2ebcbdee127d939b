package direct

import (
	"math/rand/v2"
	"slices"

	"github.com/lightpath-net/lightpath/topology"
)

// refitted returns a topology resized to the given number of GPUs, by inserting or removing
// some. Unlike fitted, it chooses circuits such that an inserted GPU receives as much as others
// do, and it changes the circuits of a GPU only once. It returns nil if that is impossible.
func refitted(g *topology.Graph, nodes int, random *rand.Rand) *topology.Graph {
	if g.Nodes() == nodes {
		return g
	}
	w := &wiring{degree: g.Degree(), out: make([][]int32, g.Nodes()), in: make([][]int32, g.Nodes()), touched: make([]bool, g.Nodes())}
	for e := range g.Edges() {
		for range e.Count {
			w.out[e.From] = append(w.out[e.From], int32(e.To))
			w.in[e.To] = append(w.in[e.To], int32(e.From))
		}
	}
	change, by := w.insert, nodes-g.Nodes()
	if by < 0 {
		change, by = w.remove, -by
	}
	const draws = 1000
	for range by {
		done := false
		for range draws {
			if done = change(random.IntN(g.Nodes()), random); done {
				break
			}
		}
		if !done {
			return nil
		}
	}
	return w.graph(g.Name() + " resized")
}

// wiring holds circuits while they are being changed, listed at both ends.
type wiring struct {
	degree  int
	out, in [][]int32
	touched []bool
}

// untouched reports whether none of the GPUs has been changed yet, and then marks them all as
// changed.
func (w *wiring) untouched(all ...int32) bool {
	for _, u := range all {
		if w.touched[u] {
			return false
		}
	}
	for _, u := range all {
		w.touched[u] = true
	}
	return true
}

// insert puts a new GPU behind all GPUs that send to y: into one circuit of each, to different
// receivers. Together the senders of y have what a GPU needs, whereas arbitrary GPUs might all
// have the same shards. In a line graph the senders of y all send to the same GPUs, so that the
// same is true in the transpose.
func (w *wiring) insert(y int, _ *rand.Rand) bool {
	from := slices.Clone(w.in[y])
	to := make([]int32, 0, len(from))
	for i, a := range from {
		if w.touched[a] || len(w.out[a]) != w.degree || slices.Contains(from[:i], a) {
			return false
		}
		b := w.out[a][i%w.degree]
		if w.touched[b] || slices.Contains(to, b) || slices.Contains(from, b) {
			return false
		}
		to = append(to, b)
	}
	if len(from) != w.degree || !w.untouched(append(slices.Clone(from), to...)...) {
		return false
	}
	x := int32(len(w.out))
	for i, a := range from {
		replace(w.out[a], to[i], x)
		replace(w.in[to[i]], a, x)
	}
	w.out, w.in, w.touched = append(w.out, to), append(w.in, from), append(w.touched, true)
	return true
}

// remove takes a GPU out and connects each GPU that sends to it with one that it sends to.
func (w *wiring) remove(x int, random *rand.Rand) bool {
	from, to := w.in[x], slices.Clone(w.out[x])
	if w.touched[x] || len(from) != len(to) || slices.Contains(to, int32(x)) {
		return false
	}
	random.Shuffle(len(to), func(i, j int) { to[i], to[j] = to[j], to[i] })
	for i, a := range from {
		if a == to[i] || slices.Contains(from[:i], a) || slices.Contains(from, to[i]) || slices.Contains(to[:i], to[i]) {
			return false
		}
	}
	if !w.untouched(append(slices.Clone(from), to...)...) {
		return false
	}
	for i, a := range from {
		replace(w.out[a], int32(x), to[i])
		replace(w.in[to[i]], int32(x), a)
	}
	w.out[x], w.in[x], w.touched[x] = nil, nil, true
	return true
}

func replace(list []int32, old, by int32) { list[slices.Index(list, old)] = by }

// graph returns the topology. GPUs without circuits have been removed; the others keep their
// order.
func (w *wiring) graph(name string) *topology.Graph {
	number, nodes := make([]int, len(w.out)), 0
	for u := range w.out {
		number[u] = nodes
		if w.out[u] != nil {
			nodes++
		}
	}
	var edges []topology.Edge
	for u := range w.out {
		for _, v := range w.out[u] {
			edges = append(edges, topology.Edge{From: number[u], To: number[v], Count: 1})
		}
	}
	return topology.New(nodes, name, edges)
}
