package search

import "github.com/lightpath-net/lightpath/topology"

// Distances finds hop distances to one node at a time by breadth-first search over the reversed
// circuits.
type Distances struct {
	back    *topology.Graph
	Hops    []int32 // distance to the target, or -1
	Reached []int32
}

// NewDistances returns searches on a graph.
func NewDistances(g *topology.Graph) *Distances {
	d := &Distances{
		back:    g.Transpose(g.Name()),
		Hops:    make([]int32, g.Nodes()),
		Reached: make([]int32, 0, g.Nodes()),
	}
	for u := range d.Hops {
		d.Hops[u] = -1
	}
	return d
}

// Search fills d.Hops for the target dst in O(nodes + bundles).
func (d *Distances) Search(dst int) { d.SearchUntil(dst, func(int32) bool { return false }) }

// SearchUntil is a search that ends at the node for which done returns true: nodes that are
// farther, and some at the same distance, stay at -1. Only the nodes that the previous search
// reached are reset first, so if pairs are neighbours, a search takes time proportional only to
// a node's circuits.
func (d *Distances) SearchUntil(dst int, done func(u int32) bool) {
	for _, u := range d.Reached {
		d.Hops[u] = -1
	}
	d.Hops[dst] = 0
	d.Reached = append(d.Reached[:0], int32(dst))
	if done(int32(dst)) {
		return
	}
	for i := 0; i < len(d.Reached); i++ {
		v := d.Reached[i]
		from, _ := d.back.Row(int(v))
		for _, u := range from {
			if d.Hops[u] >= 0 {
				continue
			}
			d.Hops[u] = d.Hops[v] + 1
			d.Reached = append(d.Reached, u)
			if done(u) {
				return
			}
		}
	}
}
