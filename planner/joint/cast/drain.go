package cast

import (
	"cmp"
	"maps"
	"slices"

	"github.com/lightpath-net/lightpath/planner"
)

// The last pieces of a pipeline: when they have left the root, circuits fall idle level by level.
// What the last level of a tree lacks can come over circuits of the other trees, from nodes that
// have it already: the root's circuits first, then those of its children, and so on. If all get it
// that way the pipeline is a step shorter. Otherwise the last step takes less: what is left comes
// over several circuits, a part over each.
//
//	11 GPUs, 2 trees of 4 levels, after the last pieces a and b have left the root
//	step 1    0 > u: b   0 > v: a         u and v, the children, are last in the other's tree
//	step 2    u > x: b   v > y: a         and so are theirs; then all have both

// maxDrained bounds the nodes of forests that are drained: it takes some time to find out how.
const maxDrained = 1024

// drain is a forest, and how its last pieces come to those at the last level.
type drain struct {
	forest
	early []drained // before the last step
	last  []drained // in it
	parts int       // of a piece that pass a circuit in the last step, out of one per tree
}

// drained is a transfer of a last piece, or of a part, over a circuit of another tree or its own.
type drained struct {
	tree, over, to int // the piece's tree, that of the circuit, and who gets it
	step           int // after the last piece has left the root
	part, parts    int // out of one per tree
}

// drainKey is what a drain depends on.
type drainKey struct{ nodes, trees, fan, first int }

// drainOf returns the drain of a forest, remembered.
func drainOf(k *planner.Memory, key drainKey) *drain {
	return planner.Kept(k, key, func() (*drain, bool) { return newDrain(key), true })
}

// spare is how many times the largest piece is sent besides the message, and the steps besides one
// for every piece.
func (d *drain) spare() (sent float64, steps int) {
	if d.parts == 0 {
		return float64(d.depth - 2), d.depth - 2
	}
	return float64(d.depth-2) + float64(d.parts)/float64(len(d.parent)), d.depth - 1
}

// draining finds a drain.
type draining struct {
	drainKey
	inner  [][]seat      // by tree, those with children, in the order of the levels
	at     [][]int       // by tree and node: its place in the order, -1 for leaves
	levels [][]int       // by tree and place
	above  [][]int       // by tree and place: the place of the parent, -1 for the root
	depth  int           // of all trees
	need   []int         // by tree: how many are at the last level
	has    []map[int]int // by tree: who is at the last level, and the step in which they get the piece
}

// newDrain takes the best of some ways to choose who is at the last level.
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

// plant gives the nodes with children their places, which leaves do not change.
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

// early finds who can get a last piece over a circuit that is idle before the last step, and puts
// them at the last level of its tree.
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

// rest chooses who else is at the last level: nodes that lack few pieces, whose parent has what
// they lack, or who are far down where they have children, so that their parents are not chosen;
// each of these first in one of the choices.
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

// leaves lists the leaves of every tree, those of the last level last.
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

// share divides what is left for the last step among the circuits to those who lack it, so that the
// busiest has the fewest parts.
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

// assign divides the parts of the pieces that a node lacks among its circuits, by augmenting paths,
// and reports whether none has more parts than the limit.
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
