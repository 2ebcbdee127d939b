package search

import (
	"github.com/lightpath-net/lightpath/internal/arithmetic"
	"github.com/lightpath-net/lightpath/topology"
)

// Turned has the distances to every node of a graph that looks the same from every node. Those to
// the first node are known; to get those to another, it moves them there, one row of the last
// dimension at a time. That is far less than a search: all pairs of a torus of 256 x 256 take a
// second.
type Turned struct {
	dims  []int   // of the translations
	first []int32 // distances to node 0
	there []int32 // the result
}

// NewTurned returns the distances, given those to node 0; nil if the graph has no symmetry.
func NewTurned(g *topology.Graph, first []int32) *Turned {
	group, ok := g.Symmetry()
	if !ok {
		return nil
	}
	return &Turned{dims: group.Dims, first: first, there: make([]int32, len(first))}
}

// To returns the distances to a node. They are valid until the next call.
func (t *Turned) To(dst int) []int32 {
	t.fill(t.dims, t.there, t.first, dst)
	return t.there
}

// fill moves a block of nodes with the given dimensions by dst.
func (t *Turned) fill(dims []int, there, first []int32, dst int) {
	d := dims[0]
	size := len(first) / d
	away := dst / size // in this dimension
	if len(dims) == 1 {
		copy(there[away:], first)
		copy(there[:away], first[d-away:])
		return
	}
	for c := range d {
		from := arithmetic.Offset(away, c, d) * size
		t.fill(dims[1:], there[c*size:(c+1)*size], first[from:from+size], dst%size)
	}
}
