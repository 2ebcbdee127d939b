package cast

import (
	"maps"
	"slices"

	"github.com/lightpath-net/lightpath/internal/arithmetic"
	"github.com/lightpath-net/lightpath/planner/joint/digit"
)

// forest is t trees on the same nodes, all with root 0: parent[i][v] is the parent of v in tree
// i. A node may have children in one tree and be a leaf of the others ("interior-disjoint"), so
// that all trees are used at once.
type forest struct {
	parent [][]int
	level  [][]int
	depth  int
}

// seat is the number of children that a node may have in a tree.
type seat struct{ node, room int }

// seats chooses the nodes that have children. In each tree the root has up to first children, and
// the other nodes have the rest, at most fan each over all trees. If fan is at least the number
// of trees, there are enough places for all nodes in all trees. In each tree, full nodes have all
// fan children in that tree, in order of their numbers. The children still missing in tree i go
// to the nodes in shared[i]: a new node for every tree while there are any left, then nodes with
// room to spare.
func seats(nodes, trees, fan, first int) (full int, shared [][]seat) {
	need := max(0, nodes-1-first)
	full = need / fan
	if need%fan == 0 {
		return full, nil
	}
	fresh := trees*full + 1
	var used []seat // with room to spare
	for range trees {
		var own []seat
		for rest := need % fan; rest > 0; {
			var from *seat
			if fresh < nodes {
				used = append(used, seat{fresh, fan})
				from = &used[len(used)-1]
				fresh++
			} else {
				for k := range used {
					if from == nil || used[k].room > from.room {
						from = &used[k]
					}
				}
			}
			take := min(rest, from.room)
			from.room -= take
			rest -= take
			own = append(own, seat{from.node, take})
		}
		shared = append(shared, own)
	}
	return full, shared
}

// lowest returns the depth of the forest that newForest would make.
func lowest(nodes, trees, fan, first int) int {
	full, shared := seats(nodes, trees, fan, first)
	if shared == nil {
		return depthOf(nodes-1, first, fan, full, nil)
	}
	depth := 0
	for i, own := range shared {
		if i > 0 && len(own) == len(shared[i-1]) && len(own) == 1 {
			continue
		}
		depth = max(depth, depthOf(nodes-1, first, fan, full, own))
	}
	return depth
}

// depthOf returns the depth of a tree whose nodes come in level order, those with the most
// children first.
func depthOf(below, first, fan, full int, shared []seat) int {
	level := min(first, below)
	depth := 1
	for below -= level; below > 0; depth++ {
		// Chains may be long, and one level is like the next.
		if fan == 1 && full >= below {
			return depth + arithmetic.CeilDiv(below, level)
		}
		parents := min(level, full)
		full -= parents
		next := parents * fan
		for ; parents < level && len(shared) > 0; parents++ {
			next += shared[0].room
			shared = shared[1:]
		}
		level = min(next, below)
		below -= level
	}
	return depth
}

// newForest makes a forest with the given number of trees, all as low as possible. The root has
// up to first children in each tree, and every other node up to fan in all trees together. fan
// must be at least the number of trees.
func newForest(nodes, trees, fan, first int) forest {
	return newForestOf(drainKey{nodes, trees, fan, first}, nil)
}

// innerOf lists the nodes of tree i that have children, in level order.
func innerOf(i, full, fan int, shared [][]seat) []seat {
	var inner []seat
	for v := range full {
		inner = append(inner, seat{1 + i*full + v, fan})
	}
	if shared != nil {
		inner = append(inner, shared[i]...)
	}
	return inner
}

// newForestOf makes a forest. The leaves of every tree come in the given order, or in one that
// differs from tree to tree.
func newForestOf(k drainKey, leaves [][]int) forest {
	full, shared := seats(k.nodes, k.trees, k.fan, k.first)
	f := forest{}
	for i := range k.trees {
		order := make([]seat, 0, k.nodes-1) // in level order
		taken := make([]bool, k.nodes)
		for _, s := range innerOf(i, full, k.fan, shared) {
			order = append(order, s)
			taken[s.node] = true
		}
		if leaves != nil {
			for _, v := range leaves[i] {
				order = append(order, seat{v, 0})
			}
		} else { // so that no node has the same child in two trees
			for at := range k.nodes - 1 {
				if v := 1 + (at+i*k.fan)%(k.nodes-1); !taken[v] {
					order = append(order, seat{v, 0})
				}
			}
		}
		parent, level := make([]int, k.nodes), make([]int, k.nodes)
		at := 0
		for place, v := range order {
			if place < k.first {
				level[v.node] = 1
				continue
			}
			for order[at].room == 0 {
				at++
			}
			order[at].room--
			parent[v.node], level[v.node] = order[at].node, level[order[at].node]+1
			f.depth = max(f.depth, level[v.node])
		}
		f.depth = max(f.depth, 1)
		f.parent, f.level = append(f.parent, parent), append(f.level, level)
	}
	return f
}

// growth is what a forest is made from: trees, parallel circuits, and numbers of children.
type growth struct{ trees, width, fan, first int }

// growths lists the growths that use the ports well. With fewer trees than ports, nodes have more
// children in each tree, and the trees are lower.
func growths(m *digit.Machine, nodes int) []growth {
	var all []growth
	for _, g := range shapes(m, nodes) {
		if g.settle(m, nodes) {
			all = append(all, g)
		}
	}
	return all
}

// shapes is growths before their forests are known: some may not fit, and others may have fewer
// parallel circuits (settle).
func shapes(m *digit.Machine, nodes int) []growth {
	var all []growth
	if m.Duplex {
		return shapesBothWays(m, nodes)
	}
	for width := 1; width <= m.Ports; width++ {
		for trees := 1; trees*width <= m.Ports && trees < max(2, nodes); trees++ {
			all = append(all, growth{trees, width, m.Ports / width, m.Ports / width / trees})
		}
	}
	return all
}

// shapesBothWays lists shapes on two-way circuits. There the parent of a node takes a port as a
// child does, unless it is also a child of that node in another tree. In the complete graph it
// always is.
func shapesBothWays(m *digit.Machine, nodes int) []growth {
	var all []growth
	for trees := 1; trees <= m.Ports && trees < max(2, nodes); trees++ {
		for fan := trees; fan <= m.Ports; fan++ {
			g := growth{trees: trees, fan: fan, first: max(1, min(fan, m.Ports/trees))}
			// Nodes with a parent in each tree and all children apart need trees+fan ports.
			if trees+fan > m.Ports && nodes > m.Ports+1 {
				break
			}
			g.width = m.Ports / g.leastDegree(nodes)
			all = append(all, g)
		}
	}
	return all
}

// leastDegree is a lower bound on the two-way circuits of the busiest node, and their number if
// there is a single tree.
func (g growth) leastDegree(nodes int) int {
	degree := max(g.trees, g.trees*min(g.first, nodes-1)) // a leaf's, and the root's
	need := nodes - 1 - g.first
	// A node with children has a parent that is none of them.
	if need > 0 && (g.trees == 1 || need >= g.fan) {
		degree = max(degree, min(g.fan, need)+1)
	}
	return degree
}

// settle gives a shape the parallel circuits for which nodes have ports, and reports whether there
// are any. A forest of several trees on two-way circuits takes time in the order of its nodes.
func (g *growth) settle(m *digit.Machine, nodes int) bool {
	if m.Duplex && g.trees > 1 {
		g.width = m.Ports / newForest(nodes, g.trees, g.fan, g.first).degree(nodes)
	}
	if g.width == 0 {
		return false
	}
	// Else the pair would have two pieces in a step.
	return !m.Capped || !newForest(nodes, g.trees, g.fan, g.first).twice(nodes)
}

// links counts the circuits from u to v that a forest needs, one for each tree. Two-way circuits
// also count in the other direction.
func (f forest) links(nodes int, duplex bool) map[[2]int]int {
	count := map[[2]int]int{}
	for _, parent := range f.parent {
		for v := 1; v < nodes; v++ {
			count[[2]int{parent[v], v}]++
		}
	}
	if duplex {
		for pair, c := range maps.Clone(count) {
			back := [2]int{pair[1], pair[0]}
			count[back] = max(c, count[back])
		}
	}
	return count
}

// twice reports whether some node has the same child in two trees.
func (f forest) twice(nodes int) bool {
	for _, c := range f.links(nodes, false) {
		if c > 1 {
			return true
		}
	}
	return false
}

// degree returns the largest number of two-way circuits of a node, as links counts them.
func (f forest) degree(nodes int) int {
	degrees := make([]int, nodes)
	for v := 1; v < nodes; v++ {
		for i, parent := range f.parent {
			u := parent[v]
			if f.parents(v, u, i) > 0 {
				continue // seen in another tree
			}
			there, back := f.parents(v, u, len(f.parent)), f.parents(u, v, len(f.parent))
			if back > 0 && u < v {
				continue // seen from there
			}
			degrees[u] += max(there, back)
			degrees[v] += max(there, back)
		}
	}
	return slices.Max(degrees)
}

// parents counts the trees, of the first few, in which node is the parent of another.
func (f forest) parents(of, node, trees int) int {
	count := 0
	for _, parent := range f.parent[:trees] {
		if of > 0 && parent[of] == node {
			count++
		}
	}
	return count
}
