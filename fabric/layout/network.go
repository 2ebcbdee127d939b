package layout

import (
	"math/rand/v2"
	"slices"

	"github.com/lightpath-net/lightpath/topology"
)

// networkEffort limits the search for a network, in circuits inspected by breadth-first
// searches.
const networkEffort = 1 << 24

// Network returns circuits on all ports with short paths between GPUs. Within each group of
// switches it starts from random circuits, and exchanges the ends of two of them as long as
// that shortens the longest path, or the sum of all paths. Random regular graphs come close to
// the least distances that a degree allows (Bollobás and de la Vega 1982), and a grid whose
// lines are wired differently comes closer than one whose lines are the same. It is computed
// once; nil if not all GPUs reach each other.
func (p *Plugging) Network(twoWay bool) *topology.Graph {
	of := &p.networks[0]
	if twoWay {
		of = &p.networks[1]
	}
	of.once.Do(func() { of.graph = p.network(twoWay) })
	return of.graph
}

// wiring is a set of circuits that exchange ends.
type wiring struct {
	nodes  int
	twoWay bool
	from   []int
	to     []int
	groups [][]int // circuits of each group of switches
	left   int     // effort

	next [][]int32 // neighbours of each GPU
	seen []int32   // distance from the start of a search, -1: not reached
	line []int32   // its queue
}

func (p *Plugging) network(twoWay bool) *topology.Graph {
	w := &wiring{nodes: p.nodes, twoWay: twoWay, left: networkEffort, next: make([][]int32, p.nodes), seen: make([]int32, p.nodes)}
	random := rand.New(rand.NewPCG(uint64(p.nodes), uint64(p.ports)))
	for g := range p.Groups() {
		w.groups = append(w.groups, nil)
		if len(g.GPUs) < 2 {
			continue
		}
		for range g.Ports {
			w.wire(g.GPUs, random)
		}
	}
	if len(w.from) == 0 {
		return nil
	}
	w.improve(random)
	if longest, _ := w.ways(); longest > p.nodes {
		return nil
	}
	var edges []topology.Edge
	for i, u := range w.from {
		edges = append(edges, topology.Edge{From: u, To: w.to[i], Count: 1})
		if twoWay {
			edges = append(edges, topology.Edge{From: w.to[i], To: u, Count: 1})
		}
	}
	return topology.New(p.nodes, "mixed lines", edges)
}

// wire adds circuits on one port of every GPU of the last group: one-way circuits along a
// random cycle, or two-way circuits between random pairs.
func (w *wiring) wire(gpus []int, random *rand.Rand) {
	order := slices.Clone(gpus)
	random.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
	last := len(w.groups) - 1
	add := func(u, v int) {
		w.groups[last] = append(w.groups[last], len(w.from))
		w.from, w.to = append(w.from, u), append(w.to, v)
	}
	for i, u := range order {
		switch {
		case !w.twoWay:
			add(u, order[(i+1)%len(order)])
		case i%2 == 1:
			add(order[i-1], u)
		}
	}
}

// improve exchanges ends of circuits on the same switches.
func (w *wiring) improve(random *rand.Rand) {
	if !w.changes() {
		return
	}
	longest, sum := w.ways()
	for w.left > 0 {
		group := w.groups[random.IntN(len(w.groups))]
		if len(group) < 2 {
			w.left -= w.nodes // all groups may be small
			continue
		}
		a, b := group[random.IntN(len(group))], group[random.IntN(len(group))]
		if !w.exchange(a, b) {
			w.left -= w.nodes
			continue
		}
		w.to[a], w.to[b] = w.to[b], w.to[a]
		if l, s := w.ways(); l < longest || l == longest && s <= sum {
			longest, sum = l, s
		} else {
			w.to[a], w.to[b] = w.to[b], w.to[a]
		}
	}
}

// exchange reports whether exchanging the ends of two circuits gives two others, without loops.
func (w *wiring) exchange(a, b int) bool {
	return w.from[a] != w.to[b] && w.from[b] != w.to[a] && w.to[a] != w.to[b]
}

// changes reports whether any two circuits can exchange ends.
func (w *wiring) changes() bool {
	for _, group := range w.groups {
		for i, a := range group {
			for _, b := range group[:i] {
				if w.exchange(a, b) {
					return true
				}
			}
		}
	}
	return false
}

// ways returns the longest of the shortest paths between two GPUs, and their sum; longest is
// more than the number of GPUs if there is no path.
func (w *wiring) ways() (longest, sum int) {
	for u := range w.next {
		w.next[u] = w.next[u][:0]
	}
	for i, u := range w.from {
		w.next[u] = append(w.next[u], int32(w.to[i]))
		if w.twoWay {
			w.next[w.to[i]] = append(w.next[w.to[i]], int32(u))
		}
	}
	for u := range w.nodes {
		for v := range w.seen {
			w.seen[v] = -1
		}
		w.seen[u] = 0
		w.line = append(w.line[:0], int32(u))
		for k := 0; k < len(w.line); k++ {
			v := w.line[k]
			sum += int(w.seen[v])
			for _, x := range w.next[v] {
				if w.seen[x] < 0 {
					w.seen[x] = w.seen[v] + 1
					w.line = append(w.line, x)
				}
			}
		}
		longest = max(longest, int(w.seen[w.line[len(w.line)-1]]))
		if missing := w.nodes - len(w.line); missing > 0 {
			longest = w.nodes + 1
			sum += missing * w.nodes
		}
	}
	w.left -= w.nodes * (w.nodes + len(w.from))
	return longest, sum
}
