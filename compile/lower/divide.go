package lower

import (
	"github.com/lightpath-net/lightpath/internal/arithmetic"
	"github.com/lightpath-net/lightpath/internal/each"
)

// pieces divides the steps of a stage into count runs. If there are fewer steps than that, it
// divides each step into several parts, as far as its moves can be separated.
func (g *geometry) pieces(steps [][]move, count int) [][][]move {
	if count <= max(1, len(steps)) {
		return each.Below(count, func(k int) [][]move {
			return steps[len(steps)*k/count : len(steps)*(k+1)/count]
		})
	}
	var runs [][][]move
	for _, moves := range steps {
		for _, part := range g.divide(moves, arithmetic.CeilDiv(count, len(steps))) {
			runs = append(runs, [][]move{part})
		}
	}
	return runs
}

// divide divides the moves of a step into at most the given number of steps that, one after the
// other, have the same effect. Moves stay together if one writes what the other reads, or if
// both write the same unit and do not both add to it. It keeps the largest work of a rank in one
// of these steps low.
func (g *geometry) divide(moves []move, most int) [][]move {
	together := make([]int, len(moves)) // the first of each set, found by following
	for i := range together {
		together[i] = i
	}
	find := func(i int) int {
		for together[i] != i {
			together[i] = together[together[i]]
			i = together[i]
		}
		return i
	}
	join := func(i, j int) {
		i, j = find(i), find(j)
		together[max(i, j)] = min(i, j)
	}
	type place struct {
		rank int
		unit int32
	}
	writes := map[place][]int{}
	for i := range moves {
		m := &moves[i]
		for u := m.first; u < m.end(); u++ {
			at := place{m.dst(), u}
			for _, other := range writes[at] {
				if !m.reduce || !moves[other].reduce {
					join(i, other)
				}
			}
			writes[at] = append(writes[at], i)
		}
	}
	for i := range moves {
		m := &moves[i]
		for u := m.first; u < m.end(); u++ {
			for _, other := range writes[place{m.src(), u}] {
				join(i, other)
			}
		}
	}
	sets := map[int][]int{}
	var order []int
	for i := range moves {
		root := find(i)
		if sets[root] == nil {
			order = append(order, root)
		}
		sets[root] = append(sets[root], i)
	}
	most = min(most, len(order))
	parts, load := make([][]move, most), make([][]int, most)
	for k := range load {
		load[k] = make([]int, g.Nodes)
	}
	for _, root := range order {
		best, least := 0, -1
		for k := range parts {
			worst := 0
			for _, i := range sets[root] {
				for _, rank := range moves[i].path {
					worst = max(worst, load[k][rank])
				}
			}
			if least < 0 || worst < least {
				best, least = k, worst
			}
		}
		for _, i := range sets[root] {
			parts[best] = append(parts[best], moves[i])
			for _, rank := range moves[i].path {
				load[best][rank]++
			}
		}
	}
	return parts
}
