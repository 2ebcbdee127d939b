package algorithms

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/collective/algorithms/pipelines"
	"github.com/lightpath-net/lightpath/internal/each"
	"github.com/lightpath-net/lightpath/topology"
)

// Double binary tree (Sanders, Speck and Träff, Parallel Computing 2009): an allreduce over two
// binary trees at once. Each tree reduces half of the buffer to its root and broadcasts the result
// back down. Nodes with children in one tree are leaves in the other, so that no node does the
// inner work of both. The halves are cut into P pieces each, which follow one another in a
// pipeline (option parts=P). A transfer carries m/(2P), one part of every block.
//
// The first tree is laid out in order, inner nodes at odd numbers. The second is its mirror
// image if n is even, and is shifted by one if n is odd.
//
// List scheduling decides which piece crosses which edge in which step, not the paper's edge
// colouring, which gives the order for one port. In every step, among the pieces that could
// move, those with the longest way to go, less the number of the piece, move first, as long as
// sender and receiver have a free port; no pair carries two in one step. The number of steps is
// not known in advance. An inner node receives 4P pieces, for which one port takes 4P steps;
// two nodes that are neighbours in both trees take 2P with any number of ports. For up to 16
// pieces tests find at most 4P+4ceil(log2 n) steps with one port, and 2P+2ceil(log2 n) with
// more; with many more pieces and one port it can be 5P instead of 4P.
//
// A broadcast sends even pieces down one of two such trees, fed by node 0, and odd ones down
// the other. A reduce runs the broadcast backwards.
var doubleBinaryTreeAlgorithm = Algorithm{
	Name:    DoubleBinaryTree,
	About:   "half of the buffer over each of two trees, in P pieces; about 4P+4 log2(n) steps",
	Ops:     []collective.Op{collective.AllReduce, collective.Broadcast, collective.RootReduce},
	Sizes:   anySizeWords,
	Ports:   "up to four peers at once, as the pipeline allows",
	Options: []collective.Option{collective.OptionParts},
	check: func(op collective.Op, s *collective.Shape) error {
		s.Parts = cmp.Or(s.Parts, defaultParts)
		least := leastTwinParts(op)
		if most := treeParts(s.Nodes); s.Parts < least || s.Parts > most {
			return fmt.Errorf("%d to %d parts on %d nodes, not %d", least, most, s.Nodes, s.Parts)
		}
		return nil
	},
	build: func(op collective.Op, s collective.Shape) *collective.Collective {
		if op == collective.AllReduce {
			return buildTwoTree(op, s)
		}
		twins := pipelines.Twins(s.Nodes)
		return buildPipeline(op, s, twins[:])
	},
	pieces: func(op collective.Op, s collective.Shape) (least, most int, trees []pipelines.Tree) {
		if op != collective.AllReduce {
			twins := pipelines.Twins(s.Nodes)
			trees = twins[:]
		}
		return leastTwinParts(op), treeParts(s.Nodes), trees
	},
}

// leastTwinParts is the fewest pieces: one, or for a broadcast or reduce one per tree.
func leastTwinParts(op collective.Op) int {
	if op == collective.AllReduce {
		return 1
	}
	return 2
}

// maxTreeMoves limits the transfers of a pipeline, because every one of them is listed.
const maxTreeMoves = 1 << 23

// treeParts is the most pieces that a pipeline to the given number of nodes may have.
func treeParts(nodes int) int { return max(1<<8, maxTreeMoves/nodes) }

// measureTwoTrees returns three numbers. most is the largest number of pieces that any node
// receives per piece that goes up and down both trees. height is the height of the higher tree.
// alone is how many pairs that the other tree does not use a piece uses, one after another, on
// its way up a tree and down again; it is the maximum over the lowest nodes.
func measureTwoTrees(n int) (most, height, alone int) {
	receives := make([]int, n)
	twins := topology.DoubleTree(n)
	for i, parents := range twins {
		for u, parent := range parents {
			if parent >= 0 {
				receives[parent]++ // up
				receives[u]++      // and down
			}
		}
		t := newPipelinedTree(parents, 1)
		height = max(height, t.height[t.root])
		for u := range n {
			if t.depth[u] == t.height[t.root] {
				alone = max(alone, pairsAlone(u, parents, twins[1-i]))
			}
		}
	}
	return slices.Max(receives), height, alone
}

// pairsAlone counts the pairs on the way from a node to the root and back, in a tree given by
// its parents, that another tree does not use, neither up nor down.
func pairsAlone(u int, parents, other []int) int {
	count := 0
	for ; parents[u] >= 0; u = parents[u] {
		if parent := parents[u]; other[u] != parent && other[parent] != u {
			count += 2
		}
	}
	return count
}

// buildTwoTree schedules the pieces. A step takes time linear in the nodes and in the pieces
// that could move: moves are sorted by counting, and the pairs of both trees are numbered in
// the order in which a step lists them.
func buildTwoTree(op collective.Op, s collective.Shape) *collective.Collective {
	n, pieces := s.Nodes, s.Parts
	twins := topology.DoubleTree(n)
	pairs := newTreePairs(twins[:])
	var trees []*pipelinedTree
	for _, parents := range twins {
		trees = append(trees, newPipelinedTree(parents, pieces))
	}
	c := &collective.Collective{Space: collective.SpaceOf(op, n, 2*pieces)}
	run := collective.Every(0, 2*pieces, n)[0]
	sends, receives := make([]int, n), make([]int, n)
	chosen := make([]int32, pairs.count) // 1 + the move of each pair, by the pair's number
	var moves, spare []treeMove
	for {
		moves = moves[:0]
		for half, tree := range trees {
			moves = tree.ready(moves, half)
		}
		if len(moves) == 0 {
			return c
		}
		moves, spare = byUrgency(moves, spare[:0])
		clear(sends)
		clear(receives)
		count := 0
		for i := range moves {
			m := &moves[i]
			pair := pairs.of(m)
			if sends[m.src] == s.Ports || receives[m.dst] == s.Ports || chosen[pair] > 0 {
				continue
			}
			sends[m.src]++
			receives[m.dst]++
			chosen[pair] = int32(i) + 1
			*m.count++
			count++
		}
		// Steps with the same pairs must look the same.
		step, runs := collective.Step{Base: make([]collective.Transfer, 0, count)}, make(collective.Chunks, 0, count)
		for pair, i := range chosen {
			if i == 0 {
				continue
			}
			chosen[pair] = 0
			m := &moves[i-1]
			run.First = m.half*pieces + m.piece
			runs = append(runs, run)
			step.Base = append(step.Base, collective.Transfer{Src: m.src, Dst: m.dst, Action: m.action, Chunks: runs[len(runs)-1 : len(runs) : len(runs)]})
		}
		c.Steps = append(c.Steps, step)
	}
}

// byUrgency sorts moves stably, the most urgent first. It returns its two arguments, exchanged.
func byUrgency(moves, into []treeMove) (sorted, spare []treeMove) {
	low, high := moves[0].urgency, moves[0].urgency
	for i := range moves {
		low, high = min(low, moves[i].urgency), max(high, moves[i].urgency)
	}
	first := make([]int, high-low+2)
	for i := range moves {
		first[high-moves[i].urgency+1]++
	}
	for u := range first[1:] {
		first[u+1] += first[u]
	}
	into = slices.Grow(into, len(moves))[:len(moves)]
	for i := range moves {
		u := high - moves[i].urgency
		into[first[u]] = moves[i]
		first[u]++
	}
	return into, moves
}

// treePairs numbers the ordered pairs of nodes that are neighbours in some tree, by the first
// node and then by the second.
type treePairs struct {
	count    int
	up, down [][]int32 // by tree and lower end
}

func newTreePairs(trees [][]int) *treePairs {
	var all [][2]int
	for _, parents := range trees {
		for u, parent := range parents {
			if parent >= 0 {
				all = append(all, [2]int{u, parent}, [2]int{parent, u})
			}
		}
	}
	slices.SortFunc(all, func(a, b [2]int) int { return cmp.Or(a[0]-b[0], a[1]-b[1]) })
	all = slices.Compact(all)
	number := make(map[[2]int]int32, len(all))
	for i, pair := range all {
		number[pair] = int32(i)
	}
	p := &treePairs{count: len(all)}
	for _, parents := range trees {
		up, down := make([]int32, len(parents)), make([]int32, len(parents))
		for u, parent := range parents {
			if parent >= 0 {
				up[u], down[u] = number[[2]int{u, parent}], number[[2]int{parent, u}]
			}
		}
		p.up, p.down = append(p.up, up), append(p.down, down)
	}
	return p
}

// of returns the number of a move's pair.
func (p *treePairs) of(m *treeMove) int32 {
	if m.src == m.child {
		return p.up[m.half][m.child]
	}
	return p.down[m.half][m.child]
}

// treeMove is a piece that could cross an edge of one of the trees.
type treeMove struct {
	half, piece, src, dst int
	child                 int // the lower end of the edge
	action                collective.Action
	urgency               int
	count                 *int // pieces that have crossed the edge this way
}

// pipelinedTree is a binary tree and the progress of the pieces in it. Pieces cross an edge in
// order, so counts are enough.
type pipelinedTree struct {
	pieces        int
	root          int
	parent        []int // -1 at the root
	children      [][]int
	depth, height []int
	up, down      []int // pieces that have crossed the edge from a node to its parent and back
}

// newPipelinedTree makes a tree from the parents of its nodes.
func newPipelinedTree(parents []int, pieces int) *pipelinedTree {
	n := len(parents)
	t := &pipelinedTree{
		pieces: pieces, parent: parents, children: make([][]int, n),
		depth: make([]int, n), height: make([]int, n), up: make([]int, n), down: make([]int, n),
	}
	for u, parent := range parents {
		if parent < 0 {
			t.root = u
		} else {
			t.children[parent] = append(t.children[parent], u)
		}
	}
	var measure func(u, depth int) (height int)
	measure = func(u, depth int) int {
		t.depth[u] = depth
		for _, child := range t.children[u] {
			t.height[u] = max(t.height[u], 1+measure(child, depth+1))
		}
		return t.height[u]
	}
	measure(t.root, 0)
	return t
}

// ready adds the pieces that could move in the next step, by the lower ends of their edges. For
// each edge the piece that goes down is first, because it is the earlier one.
func (t *pipelinedTree) ready(moves []treeMove, half int) []treeMove {
	summed := func(u int) int { // pieces to which all below u have contributed
		return each.Min(t.pieces, t.children[u], func(child int) int { return t.up[child] })
	}
	for u, parent := range t.parent {
		if parent < 0 {
			continue
		}
		finished := t.down[parent]
		if parent == t.root {
			finished = summed(parent)
		}
		if piece := t.down[u]; piece < finished {
			way := t.height[u] + 1
			moves = append(moves, treeMove{half, piece, parent, u, u, collective.Copy, way - piece, &t.down[u]})
		}
		if piece := t.up[u]; piece < summed(u) {
			way := t.depth[u] + t.height[t.root]
			moves = append(moves, treeMove{half, piece, u, parent, u, collective.Reduce, way - piece, &t.up[u]})
		}
	}
	return moves
}
