package rotated

import (
	"slices"

	"github.com/lightpath-net/lightpath/topology"
)

// Wiring is a graph that stays the same when all its nodes are moved by its width, modulo their
// number. It lists the circuits of the nodes below the width.
type Wiring struct {
	Nodes, Width int
	To           [][]int32 // of every node below the width: the ends of its circuits
}

// Group returns the rotations that map the circuits onto themselves.
func (w *Wiring) Group() topology.Translations { return topology.Rotations(w.Nodes, w.Width) }

// Graph returns the topology, whose name is an expression.
func (w *Wiring) Graph() (*topology.Graph, error) {
	numbers := []int{w.Nodes, w.Width}
	for _, to := range w.To {
		for _, v := range slices.Sorted(slices.Values(to)) {
			numbers = append(numbers, int(v))
		}
	}
	return topology.Expr{Family: "Lift", Numbers: numbers}.Build()
}

// Transpose turns all circuits round.
func (w *Wiring) Transpose() *Wiring {
	turned := &Wiring{Nodes: w.Nodes, Width: w.Width, To: make([][]int32, w.Width)}
	for b, to := range w.To {
		for _, v := range to {
			first := int(v) % w.Width
			turned.To[first] = append(turned.To[first], w.moved(int32(b), w.Nodes-(int(v)-first)))
		}
	}
	return turned
}

// Line returns the line graph: its nodes are the circuits, and a circuit leads to each that
// begins where it ends. It has as many circuits per node, and distances are longer by one.
// Circuit j of node u is node u*d+j.
func (w *Wiring) Line() *Wiring {
	d := len(w.To[0])
	line := &Wiring{Nodes: w.Nodes * d, Width: w.Width * d}
	for _, to := range w.To {
		for _, v := range to {
			ends := make([]int32, d)
			for j := range ends {
				ends[j] = v*int32(d) + int32(j)
			}
			line.To = append(line.To, ends)
		}
	}
	return line
}

// moved adds turn, below the number of nodes or equal to it, to a node.
func (w *Wiring) moved(u int32, turn int) int32 {
	v := int(u) + turn
	if v >= w.Nodes {
		v -= w.Nodes
	}
	return int32(v)
}
