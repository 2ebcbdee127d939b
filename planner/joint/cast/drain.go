package cast

import (
	"cmp"
	"maps"
	"slices"

	"github.com/lightpath-net/lightpath/planner"
)

// This file plans the end of a pipeline. When the last pieces have left the root, circuits fall
// idle level by level. Nodes on the last level of a tree can get what they lack over circuits of
// the other trees, from nodes that have it already: over the root's circuits first, then over
// those of its children, and so on. If all of them get it that way, the pipeline is a step
// shorter. Otherwise the last step is shorter: what is left comes in parts, over several circuits
// at once.
//
//	11 GPUs, 2 trees of 4 levels, after the last pieces a and b have left the root
//	step 1    0 > u: b   0 > v: a         u and v, the children, are last in the other's tree
//	step 2    u > x: b   v > y: a         and so are their children; then all have both

// maxDrained limits the nodes of forests that are drained, because finding a drain takes time.
const maxDrained = 1024

// drain is a forest, and how its last pieces reach the nodes on the last level.
type drain struct {
	forest
	early []drained // in the last step
	last  []drained // in it
	parts int       // most parts over one circuit in the last step; a piece has one per tree
}

// drained is a transfer of a last piece, or of a part of it, over a circuit of any tree.
type drained struct {
	tree, over, to int // the tree of the piece, the tree of the circuit, and the receiver
	step           int // after the last piece has left the root
	part, parts    int // the first part and how many; a piece has one part per tree
}

// drainKey is what a drain depends on.
type drainKey struct{ nodes, trees, fan, first int }

// drainOf returns the drain of a forest, from memory if it is known.
func drainOf(k *planner.Memory, key drainKey) *drain {
	return planner.Kept(k, key, func() (*drain, bool) { return newDrain(key), true })
}

// spare returns how many times the largest piece is sent in addition to the message, and the
// number of steps beyond one per piece.
func (d *drain) spare() (sent float64, steps int) {
	if d.parts == 0 {
		return float64(d.depth - 2), d.depth - 2
	}
	return float64(d.depth-2) + float64(d.parts)/float64(len(d.parent)), d.depth - 1
}

// draining finds a drain.
type draining struct {
	drainKey
	inner  [][]seat      // by tree, the nodes with children, in level order
	at     [][]int       // by tree and node: its place in that order, -1 for leaves
	levels [][]int       // by tree and place
	above  [][]int       // by tree and place: the place of the parent, -1 for the root
	depth  int           // of all trees
	need   []int         // by tree: the number of nodes on the last level
	has    []map[int]int // by tree: nodes on the last level, and the step in which each gets it
}

// newDrain tries several choices of the nodes on the last level and returns the best drain.
func newDrain(key drainKey) *drain {
	d := &draining{drainKey: key}
	d.plant()
	moves := d.early()
	var best *drain
	for choice := range lastChoices {
		had := make([]map[int]int, d.trees)
		for i := range had {
			had[i] = maps.Clone(d.has[i])
		}
		d.rest(choice)
		made := &drain{forest: newForestOf(key, d.leaves()), early: moves}
		if made.share(d); best == nil || made.parts < best.parts {
			best = made
		}
		if d.has = had; best.parts == 0 {
			break
		}
	}
	return best
}

// lastChoices is the number of ways in which rest chooses.
const lastChoices = 4

// plant assigns places to the nodes with children. They do not depend on the leaves.
func (d *draining) plant() {
	full, shared := seats(d.nodes, d.trees, d.fan, d.first)
	for i := range d.trees {
		inner := innerOf(i, full, d.fan, shared)
		at := slices.Repeat([]int{-1}, d.nodes)
		for k, s := range inner {
			at[s.node] = k
		}
		levels, above := make([]int, d.nodes-1), make([]int, d.nodes-1)
		rooms, parent := slices.Clone(inner), 0
		for k := range levels {
			if k < d.first {
				levels[k], above[k] = 1, -1
				continue
			}
			for rooms[parent].room == 0 {
				parent++
			}
			rooms[parent].room--
			levels[k], above[k] = levels[parent]+1, parent
		}
		d.depth = max(d.depth, slices.Max(levels))
		d.inner, d.at, d.levels, d.above = append(d.inner, inner), append(d.at, at), append(d.levels, levels), append(d.above, above)
	}
	d.need, d.has = make([]int, d.trees), make([]map[int]int, d.trees)
	for i := range d.trees {
		d.has[i] = map[int]int{}
		for _, l := range d.levels[i] {
			if l == d.depth {
				d.need[i]++
			}
		}
	}
}

// early finds nodes that can get a last piece over a circuit that is idle before the last step,
// and puts them on the last level of that piece's tree.
func (d *draining) early() []drained {
	var moves []drained
	type slot struct{ over, to, step int }
	used := map[slot]bool{}
	for step := 1; step <= d.depth-2; step++ {
		for offset := 1; offset < d.trees; offset++ {
			for tree := range d.trees {
				over := (tree + offset) % d.trees
				for k, s := range d.inner[over] {
					if len(d.has[tree]) == d.need[tree] || d.levels[over][k] > step {
						break
					}
					if _, chosen := d.has[tree][s.node]; chosen || d.at[tree][s.node] >= 0 || used[slot{over, s.node, step}] {
						continue
					}
					if up := d.above[over][k]; up >= 0 {
						if got, ok := d.has[tree][d.inner[over][up].node]; !ok || got >= step {
							continue
						}
					}
					used[slot{over, s.node, step}] = true
					d.has[tree][s.node] = step
					moves = append(moves, drained{tree: tree, over: over, to: s.node, step: step})
				}
			}
		}
	}
	return moves
}

// rest chooses the other nodes on the last level. It prefers nodes that lack few pieces, nodes
// whose parent has what they lack, and nodes with children far down, so that their parents are
// not chosen. Which of these counts first depends on the choice.
func (d *draining) rest(choice int) {
	lacks := make([]int, d.nodes)
	for tree := range d.trees {
		type candidate struct{ node, lacks, parent, height int }
		var list []candidate
		for v := 1; v < d.nodes; v++ {
			if _, chosen := d.has[tree][v]; chosen || d.at[tree][v] >= 0 {
				continue
			}
			c := candidate{node: v, lacks: lacks[v], parent: 1}
			for over := range d.trees {
				k := d.at[over][v]
				if k < 0 {
					continue
				}
				c.height = -d.levels[over][k]
				if up := d.above[over][k]; up < 0 {
					c.parent = 0
				} else if _, ok := d.has[tree][d.inner[over][up].node]; ok {
					c.parent = 0
				}
			}
			list = append(list, c)
		}
		slices.SortStableFunc(list, func(a, b candidate) int {
			lacks, parent, height := a.lacks-b.lacks, a.parent-b.parent, a.height-b.height
			switch choice {
			case 0:
				return cmp.Or(lacks, parent)
			case 1:
				return cmp.Or(lacks, height)
			case 2:
				return cmp.Or(height, lacks)
			}
			return cmp.Or(parent, lacks, height)
		})
		for _, c := range list[:d.need[tree]-len(d.has[tree])] {
			d.has[tree][c.node] = d.depth - 1
			lacks[c.node]++
		}
	}
}

// leaves lists the leaves of every tree, those on the last level at the end.
func (d *draining) leaves() [][]int {
	all := make([][]int, d.trees)
	for i := range all {
		var last []int
		for k := range d.nodes - 1 {
			v := 1 + (k+i*d.fan)%(d.nodes-1)
			if d.at[i][v] >= 0 {
				continue
			}
			if _, ok := d.has[i][v]; ok {
				last = append(last, v)
			} else {
				all[i] = append(all[i], v)
			}
		}
		all[i] = append(all[i], last...)
	}
	return all
}

// share divides what is left for the last step among the circuits to the nodes that lack it, so
// that the busiest circuit has the fewest parts.
func (d *drain) share(found *draining) {
	lacks := map[int][]int{} // trees by node
	for tree := range d.parent {
		for v := 1; v < found.nodes; v++ {
			if got, ok := found.has[tree][v]; ok && got == d.depth-1 {
				lacks[v] = append(lacks[v], tree)
			}
		}
	}
	if len(lacks) == 0 {
		return
	}
	for d.parts = 1; ; d.parts++ {
		d.last = d.last[:0]
		all := true
		for v := 1; v < found.nodes && all; v++ {
			if len(lacks[v]) > 0 {
				all = d.assign(v, lacks[v], found)
			}
		}
		if all {
			return
		}
	}
}

// assign divides the parts of the pieces that a node lacks among its circuits, by augmenting
// paths. It reports whether that is possible with no more parts per circuit than the limit.
func (d *drain) assign(v int, lacks []int, found *draining) bool {
	trees := len(d.parent)
	has := func(tree, over int) bool {
		u := d.parent[over][v]
		got, chosen := found.has[tree][u]
		return u == 0 || !chosen || got < d.depth-1
	}
	on := make([][]int, trees) // by circuit: the pieces of its parts
	var place func(tree int, seen []bool) bool
	place = func(tree int, seen []bool) bool {
		for over := range trees {
			if seen[over] || !has(tree, over) {
				continue
			}
			seen[over] = true
			if len(on[over]) < d.parts {
				on[over] = append(on[over], tree)
				return true
			}
			for k, other := range on[over] {
				if other != tree && place(other, seen) {
					on[over][k] = tree
					return true
				}
			}
		}
		return false
	}
	for _, tree := range lacks {
		for range trees {
			if !place(tree, make([]bool, trees)) {
				return false
			}
		}
	}
	for _, tree := range lacks {
		part := 0
		for over := range trees {
			count := 0
			for _, other := range on[over] {
				if other == tree {
					count++
				}
			}
			if count > 0 {
				d.last = append(d.last, drained{tree: tree, over: over, to: v, step: d.depth - 1, part: part, parts: count})
				part += count
			}
		}
	}
	return true
}
