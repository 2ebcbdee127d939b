package search

import "github.com/lightpath-net/lightpath/topology"

// Paths finds shortest paths from one node at a time, under lengths of classes of bundles
// and a cost per hop.
type Paths interface {
	// Search finds the paths from src to the targets.
	Search(src int, targets []int32, length []float64, perHop float64)
	// Distance returns how far a target is, including the cost of hops.
	Distance(dst int) float64
	// Path returns the nodes of a shortest path to a target.
	Path(dst int) []int32
}

// New returns a search over paths of at most maxHops hops, if that is not 0; of is the
// class of each bundle.
func New(g *topology.Graph, of []int32, maxHops int) Paths {
	if maxHops > 0 {
		return newHopLimited(g, of, maxHops)
	}
	return NewDijkstra(g, of)
}

// NewNear is New for sources with few targets, for which it is faster.
func NewNear(g *topology.Graph, of []int32, maxHops int) Paths {
	if maxHops > 0 {
		return newHopLimited(g, of, maxHops)
	}
	return newTwoEnded(g, of)
}
