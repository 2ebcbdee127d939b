package trees

import (
	"math/rand/v2"
	"slices"

	"github.com/lightpath-net/lightpath/internal/each"
)

// loweringEffort limits the search for lower trees, by the number of nodes whose level is
// computed.
const loweringEffort = 1 << 21

// lower makes trees that share no circuit lower. Each tree uses one of the circuits that lead to
// a node, and some circuits may be free. Two trees exchange their circuits, or one takes a free
// one, if both are still trees and the sum of the fourth powers of all levels does not grow. In
// that sum a deep node weighs more than many low ones. lower returns the forest of least depth
// that it has seen.
func (p *packing) lower(forest []tree) []tree {
	random := rand.New(rand.NewPCG(uint64(p.nodes), uint64(len(forest))))
	// The circuits that lead to each node, first those of the trees in their order.
	from := make([][]int32, p.nodes)
	for v := 1; v < p.nodes; v++ {
		for _, t := range forest {
			from[v] = append(from[v], t.parent[v])
		}
		for _, i := range p.in[v] {
			for range p.arcs[i].left {
				from[v] = append(from[v], p.arcs[i].from)
			}
		}
	}
	best, current := clones(forest), clones(forest)
	sums := make([]float64, len(forest))
	for i := range current {
		sums[i] = current[i].leveled()
	}
	least := lowest(from, len(forest))
	for effort := loweringEffort; effort > 0 && deepest(best) > least; {
		v := 1 + random.IntN(p.nodes-1)
		i, j := random.IntN(len(forest)), random.IntN(len(from[v]))
		effort--
		if i == j || from[v][i] == from[v][j] {
			continue
		}
		swap := func() {
			from[v][i], from[v][j] = from[v][j], from[v][i]
			current[i].parent[v] = from[v][i]
			if j < len(forest) {
				current[j].parent[v] = from[v][j]
			}
		}
		swap()
		if current[i].cycles(v) || j < len(forest) && current[j].cycles(v) {
			swap()
			continue
		}
		before := sums[i]
		effort -= p.nodes
		after := current[i].leveled()
		other := 0.0
		if j < len(forest) {
			effort -= p.nodes
			before += sums[j]
			other = current[j].leveled()
		}
		if after+other > before {
			swap()
			sums[i] = current[i].leveled()
			if j < len(forest) {
				sums[j] = current[j].leveled()
			}
			continue
		}
		if sums[i] = after; j < len(forest) {
			sums[j] = other
		}
		if deepest(current) < deepest(best) {
			best = clones(current)
		}
	}
	return best
}

// lowest returns a lower bound on the depth of any forest of count trees, where from has the
// circuits that lead to each node. The trees enter a node by different circuits, so one of them
// has the node below its count-th nearest neighbour.
func lowest(from [][]int32, count int) int {
	next := make([][]int32, len(from))
	for v := range from {
		for _, u := range from[v] {
			next[u] = append(next[u], int32(v))
		}
	}
	near := slices.Repeat([]int{-1}, len(from)) // hops from the root
	near[0] = 0
	queue := []int32{0}
	for len(queue) > 0 {
		u := queue[0]
		queue = queue[1:]
		for _, v := range next[u] {
			if near[v] < 0 {
				near[v] = near[u] + 1
				queue = append(queue, v)
			}
		}
	}
	least := 0
	for v := 1; v < len(from); v++ {
		hops := each.Of(from[v], func(u int32) int { return near[u] + 1 })
		slices.Sort(hops)
		least = max(least, hops[count-1])
	}
	return least
}

// cycles reports whether a node is its own ancestor.
func (t *tree) cycles(v int) bool {
	for u := t.parent[v]; u != 0; u = t.parent[u] {
		if int(u) == v {
			return true
		}
	}
	return false
}

// leveled computes the levels of a tree, and returns the sum of their fourth powers.
func (t *tree) leveled() float64 {
	sum := 0.0
	for v := range t.level {
		t.level[v] = -1
	}
	t.level[0], t.depth = 0, 0
	var levelOf func(v int32) int
	levelOf = func(v int32) int {
		if t.level[v] < 0 {
			t.level[v] = levelOf(t.parent[v]) + 1
		}
		return t.level[v]
	}
	for v := range t.level {
		l := levelOf(int32(v))
		t.depth = max(t.depth, l)
		sum += float64(l * l * l * l)
	}
	return sum
}

func clones(forest []tree) []tree {
	return each.Of(forest, func(t tree) tree {
		return tree{slices.Clone(t.parent), slices.Clone(t.level), t.depth}
	})
}

// deepest returns the depth of the forest.
func deepest(forest []tree) int {
	return each.Max(0, forest, func(t tree) int { return t.depth })
}
