package synthesis

import (
	"math/bits"

	"github.com/lightpath-net/lightpath/topology"
)

// partial is a partial topology, with some circuits placed. Rows are filled one by one: all
// circuits out of a node (on a two-way fabric: all its circuits) before those of the next. An
// unused port is a circuit from the node to itself.
type partial struct {
	n, ports int
	duplex   bool
	free     bool // any ports may stay dark; otherwise those of one node

	x       []int    // circuits of pair u*n+v
	out, in []int    // ports left; the same slice if two-way
	to      []uint64 // nodes that u has circuits to, but itself
	back    []uint64 // nodes that have circuits to u, but itself
	done    uint64   // rows that are filled
	dark    int      // the node with dark ports, -1 for none
	root    int      // the row to fill first
	laid    [][2]int // circuits in the order in which they were laid
}

func newPartial(iv *interval, root int) *partial {
	n := iv.Nodes
	p := &partial{
		n: n, ports: iv.Ports, duplex: iv.Duplex, free: !iv.monotone(), dark: -1, root: root,
		x: make([]int, n*n), out: make([]int, n), in: make([]int, n),
		to: make([]uint64, n), back: make([]uint64, n),
	}
	if p.duplex {
		p.in = p.out
	}
	for u := range n {
		p.out[u], p.in[u] = iv.Ports, iv.Ports
	}
	return p
}

// may reports whether a circuit can be laid from the row u that is being filled.
//
// Where more circuits never harm, only one node need have dark ports, as many in as out:
// of two with free ports, one could be joined to the other.
func (p *partial) may(u, v int) bool {
	switch {
	case u != v:
		return p.in[v] > 0 && !(p.duplex && p.done>>v&1 == 1)
	case p.free:
		return true
	}
	return p.in[u] > 0 && (p.dark < 0 || p.dark == u)
}

func (p *partial) lay(u, v int) {
	p.laid = append(p.laid, [2]int{u, v})
	p.x[u*p.n+v]++
	p.out[u]--
	switch {
	case u != v:
		p.to[u] |= 1 << v
		p.back[v] |= 1 << u
		p.in[v]--
		if p.duplex {
			p.x[v*p.n+u]++
			p.to[v] |= 1 << u
			p.back[u] |= 1 << v
		}
	case !p.free:
		p.dark = u
		if !p.duplex {
			p.in[u]--
		}
	}
}

// lift takes the last circuit away.
func (p *partial) lift() {
	last := len(p.laid) - 1
	u, v := p.laid[last][0], p.laid[last][1]
	p.laid = p.laid[:last]
	e, f := u*p.n+v, v*p.n+u
	p.x[e]--
	p.out[u]++
	switch {
	case u != v:
		p.in[v]++
		if p.duplex {
			p.x[f]--
		}
		if p.x[e] == 0 {
			p.to[u] &^= 1 << v
			p.back[v] &^= 1 << u
			if p.duplex {
				p.to[v] &^= 1 << u
				p.back[u] &^= 1 << v
			}
		}
	case !p.free:
		if p.x[e] == 0 {
			p.dark = -1
		}
		if !p.duplex {
			p.in[u]++
		}
	}
}

// next returns the row to fill: after the root, the one that most nodes lead to, so that
// paths come to light early; -1 when all are filled.
func (p *partial) next() int {
	if p.done == 0 {
		return p.root
	}
	best, most := -1, -1
	for u := range p.n {
		if c := bits.OnesCount64(p.back[u]); p.done>>u&1 == 0 && c > most {
			best, most = u, c
		}
	}
	return best
}

// graph returns the circuits that are laid.
func (p *partial) graph(name string) *topology.Graph {
	var edges []topology.Edge
	for e, count := range p.x {
		if u, v := e/p.n, e%p.n; u != v && count > 0 {
			edges = append(edges, topology.Edge{From: u, To: v, Count: count})
		}
	}
	return topology.New(p.n, name, edges)
}
