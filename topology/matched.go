package topology

import (
	"errors"
	"fmt"
	"slices"
)

// ErrTooManyPorts says that a step needs more circuits at a node than it has ports.
var ErrTooManyPorts = errors.New("more ports than a node has")

// Matched returns the topology that gives every (src, dst) pair of a communication
// step a direct circuit. A pair listed twice needs one circuit; a node paired with
// itself needs none. When the busiest node of the pairs uses d ports, every pair
// gets floor(ports/d) parallel circuits.
//
// With duplex, circuits are two-way and a node spends one port on each peer,
// whichever of the two sends; otherwise a circuit takes an outgoing port at its
// source and an incoming one at its target.
//
// A result that is a circulant of one jump k is named DC(n;k,..) or, two-way,
// C(n;k,..), so that equal topologies of different steps compare equal by name;
// any other takes the given name. The jump n/2 is DC(n;n/2) in both cases: it is
// its own reverse.
//
// The error wraps ErrTooManyPorts when the pairs do not fit the ports. The time is
// O(p log p) for p pairs.
func Matched(n, ports int, duplex bool, pairs [][2]int, name string) (*Graph, error) {
	edges := make([]Edge, 0, 2*len(pairs))
	for _, p := range pairs {
		src, dst := p[0], p[1]
		if src < 0 || src >= n || dst < 0 || dst >= n {
			return nil, fmt.Errorf("pair %d -> %d: nodes are 0..%d", src, dst, n-1)
		}
		if src == dst {
			continue
		}
		edges = append(edges, Edge{src, dst, 1})
		if duplex {
			edges = append(edges, Edge{dst, src, 1})
		}
	}
	g := New(n, name, edges)
	for i := range g.count {
		g.count[i] = 1
	}
	if len(g.to) == 0 {
		return g, nil
	}
	node, need := g.busiest()
	if need > ports {
		return nil, fmt.Errorf("%w: node %d needs %d, it has %d", ErrTooManyPorts, node, need, ports)
	}
	parallel := ports / need
	for i := range g.count {
		g.count[i] = int32(parallel)
	}
	if e, ok := g.oneJump(duplex, parallel); ok {
		g.name = e.String()
	}
	return g, nil
}

// busiest returns the node that needs the most ports, the lowest of equals.
func (g *Graph) busiest() (node, ports int) {
	in := g.InDegrees()
	for u := range in {
		if d := max(in[u], g.OutDegree(u)); d > ports {
			node, ports = u, d
		}
	}
	return node, ports
}

// oneJump writes g as a circulant of a single jump, if it is one.
func (g *Graph) oneJump(duplex bool, parallel int) (Expr, bool) {
	jumps, ok := g.Jumps()
	if !ok {
		return Expr{}, false
	}
	family, distinct := "DC", len(jumps)/parallel
	switch {
	case distinct == 1:
	case duplex && distinct == 2:
		// Both directions of one two-way jump; the shorter is listed first.
		family = "C"
	default:
		return Expr{}, false
	}
	return Expr{
		Family:  family,
		Numbers: append([]int{g.Nodes()}, slices.Repeat(jumps[:1], parallel)...),
	}, true
}

// Jumps returns the out-jumps v-u mod n of every node, ascending and repeated for
// parallel circuits, when all rotations leave the circuits unchanged; otherwise ok
// is false. The time is O(n + bundles).
func (g *Graph) Jumps() (jumps []int, ok bool) {
	n := g.Nodes()
	if n == 0 {
		return nil, true
	}
	jump, count := g.Row(0)
	wraps := len(jump)
	for u := 1; u < n; u++ {
		to, c := g.Row(u)
		if len(to) != len(jump) {
			return nil, false
		}
		for wraps > 0 && u+int(jump[wraps-1]) >= n {
			wraps--
		}
		wrapped := len(jump) - wraps
		for i, v := range to {
			j, back := i-wrapped, 0
			if i < wrapped {
				j, back = i+wraps, n
			}
			if int(v) != u+int(jump[j])-back || c[i] != count[j] {
				return nil, false
			}
		}
	}
	for i, a := range jump {
		jumps = append(jumps, slices.Repeat([]int{int(a)}, int(count[i]))...)
	}
	return jumps, true
}
