// Package lowtrees packs low spanning trees with a common root into two-way graphs, so that a
// pipeline down the trees sends over both directions of all circuits.
//
// A node with d two-way circuits gets up to d different pieces in a step, one from each neighbor,
// and sends up to d. So up to d trees fit, in which every node but the root has a parent of its
// own in each tree. By Edmonds' theorem every graph that stays connected without any d-1 circuits
// has such trees. The lower the trees, the sooner a pipeline ends, and the graph is free, too. A
// search over graphs and trees together (search.go) finds trees that are as low as a bound (Least)
// or a level higher for nearly all shapes of up to 128 nodes. For many nodes, and as many trees as
// circuits, a rule makes them (heaps.go): one or two levels above the bound with 65536 nodes and 4
// to 8 circuits.
package lowtrees

import (
	"math/rand/v2"
)

// Trees is trees with root 0 in a two-way graph without parallel circuits.
type Trees struct {
	Parent [][]int // by tree and node; 0 for the root
	Level  [][]int // by tree and node
	Depth  int     // of the highest tree
	Late   []Late  // last pieces to the nodes on the last level; empty: they come down the trees
}

// Spare returns the number of steps that a pipeline takes beyond one for each piece of a tree.
func (w *Trees) Spare() int {
	if len(w.Late) > 0 {
		return w.Depth - 2
	}
	return w.Depth - 1
}

// Shape is what is looked for: the number of trees, and of circuits of every node. If nodes times
// degree is odd, the root has a circuit less.
type Shape struct{ Nodes, Degree, Trees int }

// rootDegree returns the number of circuits of the root.
func (s Shape) rootDegree() int { return s.Degree - s.Nodes*s.Degree%2 }

// Fits reports whether there may be such trees: each has a circuit of its own at the root.
func (s Shape) Fits() bool {
	return s.Degree >= 3 && s.Nodes >= s.Degree+2 && s.Trees >= 1 && s.Trees <= s.rootDegree()
}

// Least returns a lower bound on the depth of such trees. The trees share the root's circuits, and
// a node has at most Degree-1 children in a tree, as a circuit leads to its parent, and at most
// Degree in all trees together.
func (s Shape) Least() int {
	others := s.Nodes - 1
	reached := s.rootDegree() // in all trees
	alone := reached / s.Trees
	level := alone // of the tree with the fewest children of the root
	depth := 1
	for alone < others || reached < s.Trees*others {
		depth++
		level = min(level*(s.Degree-1), others)
		alone = min(alone+level, others)
		reached = s.rootDegree() + (s.Degree-1)*min(reached, others) + max(0, min(reached-others, others))
	}
	return depth
}

// LeastSpare returns a lower bound on Spare: the last pieces save a step at most.
func (s Shape) LeastSpare() int { return max(1, s.Least()-2) }

// Limits of the search: moves per round, for a pair of a node and a tree; moves in all; and what
// is left of the cost after a round that was worth it.
const (
	movesEach = 10
	maxMoves  = 400_000
	worth     = 0.95
)

// mostSearched is the number of nodes up to which there is a search although the rule has as many
// trees as circuits. With more nodes, it found none that are lower. mostUnruled is the number up to
// which there is a search for fewer trees than circuits: it finds none with 65536 nodes.
const (
	mostSearched = 1 << 11
	mostUnruled  = 1 << 15
)

// Find returns trees of a shape that fits, the same at every call, or nil if it finds none or is
// stopped before. It takes time in the order of nodes, trees and degree, and a limited number of
// moves.
func Find(s Shape, stopped func() bool) *Trees {
	draw := rand.New(rand.NewPCG(uint64(s.Nodes), uint64(s.Degree<<8|s.Trees)))
	ruled := byRule(s, draw)
	switch {
	case s.Nodes > mostUnruled, ruled != nil && s.Trees == s.Degree && s.Nodes > mostSearched,
		ruled != nil && ruled.Spare() == s.LeastSpare():
		return ruled
	}
	if found := searched(s, draw, stopped); ruled == nil || found != nil && found.Spare() <= ruled.Spare() {
		return found
	}
	return ruled
}

// searched looks for trees in a random graph by moves.
func searched(s Shape, draw *rand.Rand, stopped func() bool) *Trees {
	l := newSearch(s, draw)
	l.grow()
	least := s.Least()
	l.aim(least)
	var best *Trees
	l.stopped = stopped
	for moves := 0; moves < maxMoves && !stopped(); {
		before, round := l.cost, min(maxMoves-moves, movesEach*s.Nodes*s.Trees)
		l.climb(least, round)
		moves += round
		if depth := l.depth(); depth != far && (best == nil || depth < best.Depth) {
			best = l.trees()
		}
		if best != nil && (best.Depth == least || l.cost > before*worth) {
			break
		}
	}
	if best != nil {
		if w := l.sendLastSooner(best.Depth); w != nil {
			return w
		}
	}
	return best
}
