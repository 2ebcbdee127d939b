package joint

import (
	"fmt"
	"math"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/topology"
)

// Pipelines, for large messages: the message is cut into pieces that follow one another
// down t trees over circuits that stay, piece i down tree i mod t. A node has t*w circuits
// out, w for each of up to t children, and all of them may be in one tree: then it passes
// on what comes down that tree and is a leaf of the others ("interior-disjoint" trees). So
// every circuit carries a piece in every step, and the trees are as low as trees of t
// children are. With one tree this is a chain.
//
// With depth D and K pieces per tree it takes D+K-1 steps of one hop, and of a/K + b each
// when the message takes a over t*w circuits and b is a start-up and a hop: the best K is
// next to sqrt((D-1)*a/b).

// forest is t trees: parent[i][v] in tree i, of which 0 is the root.
type forest struct {
	parent [][]int
	level  [][]int
	depth  int
}

// newForest makes the trees. Nodes are given children in the order 1, 2, .., n-1, and when
// a tree has all nodes the next goes on with the node whose children are not all taken. In
// a tree those that will have children come first, and all are as near to the root as
// these allow. There are t*(n-1) places for children besides the root's t, and t*(n-2) are
// taken.
func newForest(nodes, trees int) forest {
	f := forest{}
	room := make([]int, nodes)
	for v := range room {
		room[v] = trees
	}
	next := 1
	for range trees {
		parent, level := make([]int, nodes), make([]int, nodes)
		order := make([]int, 0, nodes-1)
		for i := range nodes - 1 {
			order = append(order, 1+(next-1+i)%(nodes-1))
		}
		parent[order[0]], level[order[0]] = 0, 1
		at := 0
		for _, v := range order[1:] {
			for room[order[at]] == 0 {
				at++
			}
			u := order[at]
			room[u]--
			parent[v], level[v] = u, level[u]+1
		}
		for next < nodes-1 && room[next] == 0 {
			next++
		}
		for _, l := range level {
			f.depth = max(f.depth, l)
		}
		f.parent, f.level = append(f.parent, parent), append(f.level, level)
	}
	return f
}

// maxMoves bounds the transfers of a pipeline, and with them the memory that its plan
// takes; beyond it pieces are larger than would be best.
const maxMoves = 1 << 20

// bestPieces returns the number of pieces per tree that takes the least time, and that
// time: whole is what the message takes over the circuits of all trees, each what a step
// takes without it, and spare the steps besides one for every piece.
func bestPieces(spare int, whole, each float64, most int) (pieces int, time float64) {
	at := func(k int) float64 { return float64(spare+k) * (each + whole/float64(k)) }
	guess := most
	if each > 0 {
		guess = int(min(float64(most), math.Sqrt(float64(spare)*whole/each)))
	}
	pieces = max(1, guess)
	for _, k := range [...]int{guess - 1, guess + 1} {
		if k >= 1 && k <= most && at(k) < at(pieces) {
			pieces = k
		}
	}
	return pieces, at(pieces)
}

// pipelines returns the best pipeline for every number of trees.
func (s *search) pipelines(nodes int, bytes float64) []cast {
	var all []cast
	for trees := 1; trees <= s.ports && trees < nodes; trees++ {
		width := s.ports / trees
		if s.duplex {
			// Only a chain, in which the circuit to the node before takes a port, too.
			if width = s.ports / 2; nodes == 2 {
				width = s.ports
			}
			if trees > 1 || width == 0 {
				break
			}
		}
		f := newForest(nodes, trees)
		load := s.load(tally{peak: 1 / float64(width), dilation: 1 / float64(width), pair: 1})
		whole := s.perByte * bytes * load / float64(trees)
		pieces, time := bestPieces(f.depth-1, whole, s.alpha+s.delta, max(1, maxMoves/(nodes*trees)))
		all = append(all, cast{time: time, about: fmt.Sprintf("%d pieces down %s", pieces*trees, groves(trees)), build: func() laidCast {
			return f.lay(nodes, width, pieces, s.duplex)
		}})
	}
	return all
}

// lay lays the pipeline out.
func (f forest) lay(nodes, width, pieces int, duplex bool) laidCast {
	trees := len(f.parent)
	var edges []topology.Edge
	for i := range trees {
		for v := 1; v < nodes; v++ {
			edges = append(edges, topology.Edge{From: f.parent[i][v], To: v, Count: width})
		}
	}
	name := fmt.Sprintf("%s of %d", groves(trees), nodes)
	one := plan.Stage{Topology: topology.New(nodes, name, tieUp(edges, duplex))}
	one.Steps = make([]plan.Step, pieces+f.depth-1)
	for i := range trees {
		for v := 1; v < nodes; v++ {
			path := []int32{int32(f.parent[i][v]), int32(v)}
			for k := range pieces {
				step := &one.Steps[k+f.level[i][v]-1]
				step.Base = append(step.Base, copyOver(path, collective.Single(k*trees+i)))
			}
		}
	}
	return laidCast{stages: []plan.Stage{one}, space: collective.SpaceOf(collective.Broadcast, nodes, pieces*trees)}
}

// groves counts trees in words.
func groves(trees int) string {
	if trees == 1 {
		return "one tree"
	}
	return fmt.Sprintf("%d trees", trees)
}
