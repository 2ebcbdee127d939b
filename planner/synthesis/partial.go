package synthesis

import (
	"math/bits"

	"github.com/lightpath-net/lightpath/topology"
)

// partial is a partial topology, with some circuits placed. Rows are filled one by one: all
// circuits out of a node (on a two-way fabric, all its circuits) are placed before those of the
// next node. An unused port is a circuit from the node to itself.
type partial struct {
	n, ports int
	duplex   bool
	free     bool // any ports may stay dark; otherwise only those of one node

	x       []int    // circuits of pair u*n+v
	out, in []int    // ports left; the same slice if two-way
	to      []uint64 // other nodes to which u has circuits
	back    []uint64 // other nodes with circuits to u
	done    uint64   // filled rows
	dark    int      // the node with dark ports; -1: none
	root    int      // the row to fill first
	laid    [][2]int // circuits in the order of laying
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

// may reports whether a circuit from u, the row being filled, to v can be laid.
//
// If more circuits never do harm, only one node need have dark ports, with as many in as out: two
// nodes with free ports could be joined.
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

// lift removes the last circuit.
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

// next returns the row to fill next, -1 if all are filled: after the root, the node with circuits
// from the most nodes, so that paths take shape early.
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

// graph returns the circuits laid so far.
func (p *partial) graph(name string) *topology.Graph {
	var edges []topology.Edge
	for e, count := range p.x {
		if u, v := e/p.n, e%p.n; u != v && count > 0 {
			edges = append(edges, topology.Edge{From: u, To: v, Count: count})
		}
	}
	return topology.New(p.n, name, edges)
}
