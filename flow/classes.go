package flow

import (
	"fmt"

	"github.com/lightpath-net/lightpath/topology"
)

// selfLoop is the class of bundles from a node to itself, which carry nothing.
const selfLoop = -1

// classes are the orbits of the bundles of a graph under a group of translations. The group
// acts freely, so the whole step passes every bundle of an orbit as often as the representative
// routes pass through the orbit: the load of a class is the load of each of its bundles.
type classes struct {
	of       []int32   // of each bundle, in the order of Graph.Edges
	circuits []float64 // circuits of one bundle of each class
}

// newClasses numbers the orbits by their first representative. The representative
// of (u, v) is found by moving u to the representative of its own orbit. It takes
// O(B log d) for B bundles and out-degree d.
func newClasses(g *topology.Graph, group topology.Translations) (*classes, error) {
	cl := &classes{of: make([]int32, g.Bundles())}
	trivial := group.Trivial()
	if !trivial {
		if err := group.Check(g.Nodes()); err != nil {
			return nil, fmt.Errorf("%w: %w", ErrNotInvariant, err)
		}
		if !group.Invariant(g) {
			return nil, fmt.Errorf("%w: dims %v, stride %v", ErrNotInvariant, group.Dims, group.Stride)
		}
	}
	const unseen = -2
	number := make([]int32, g.Bundles()) // class that a representative bundle stands for
	for i := range number {
		number[i] = unseen
	}
	bundle := 0
	for e := range g.Edges() {
		rep := bundle
		if !trivial {
			k, r := group.Locate(e.From)
			rep = g.Find(r, group.Back(k, e.To))
		}
		switch {
		case e.From == e.To:
			cl.of[bundle] = selfLoop
		case number[rep] == unseen:
			number[rep] = int32(len(cl.circuits))
			cl.circuits = append(cl.circuits, float64(e.Count))
			fallthrough
		default:
			cl.of[bundle] = number[rep]
		}
		bundle++
	}
	return cl, nil
}
