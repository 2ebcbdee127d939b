package deals

import (
	"math"
	"slices"

	"github.com/lightpath-net/lightpath/internal/arithmetic"
)

// routes returns the first step, and whether its load is within First. Each piece leaves the root
// over one of the circuits that are near enough to its node, so that no circuit of the root
// carries more than First pieces (augmenting paths). From there it takes a shortest path, over the
// circuits that carry the least so far.
func (d *Deal) routes() ([]Send, bool) {
	reach := d.reach()
	by, ok := d.leave(reach)
	if !ok {
		return nil, false
	}
	load := make([]int, len(d.To))
	order := arithmetic.UpTo(len(d.Given))
	slices.SortStableFunc(order, func(i, j int) int { return reach[by[j]][d.Given[j].Node] - reach[by[i]][d.Given[i].Node] })
	sent := make([]Send, len(d.Given))
	for _, i := range order {
		g := d.Given[i]
		arcs := d.path(by[i], g.Node, load)
		path := []int32{0}
		for _, a := range arcs {
			if load[a]++; load[a] > d.First {
				return nil, false
			}
			path = append(path, int32(d.To[a]))
		}
		sent[i] = Send{path, g.Piece}
	}
	return sent, true
}

// reach returns, for every circuit of the root, the hops to every node over it, without passing
// the root again; 0 if that is further than the first step goes.
func (d *Deal) reach() [][]int {
	all := make([][]int, d.Degree)
	for k := range all {
		hops := make([]int, d.Nodes)
		all[k] = hops
		at := d.To[k]
		if at == 0 {
			continue
		}
		hops[at] = 1
		for queue := []int{at}; len(queue) > 0; queue = queue[1:] {
			u := queue[0]
			for _, v := range d.To[u*d.Degree : (u+1)*d.Degree] {
				if v != 0 && hops[v] == 0 && hops[u] < d.Hops {
					hops[v] = hops[u] + 1
					queue = append(queue, v)
				}
			}
		}
	}
	return all
}

// leave returns the circuit of the root that each piece takes, and whether there is room for all.
func (d *Deal) leave(reach [][]int) (by []int, ok bool) {
	by = make([]int, len(d.Given))
	over := make([][]int, d.Degree) // pieces by circuit
	var put func(i int, seen []bool) bool
	put = func(i int, seen []bool) bool {
		for k := range over {
			if seen[k] || reach[k][d.Given[i].Node] == 0 {
				continue
			}
			seen[k] = true
			if len(over[k]) < d.First {
				over[k], by[i] = append(over[k], i), k
				return true
			}
			for at, j := range over[k] {
				if put(j, seen) {
					over[k][at], by[i] = i, k
					return true
				}
			}
		}
		return false
	}
	for i := range d.Given {
		if !put(i, make([]bool, d.Degree)) {
			return nil, false
		}
	}
	return by, true
}

// path returns the circuits of a shortest path over a circuit of the root to a node. Of all these
// paths it takes one whose busiest circuit carries the least.
func (d *Deal) path(first, node int, load []int) []int {
	type way struct{ hops, peak, last int }
	best := make([]way, d.Nodes)
	for v := range best {
		best[v] = way{math.MaxInt, math.MaxInt, -1}
	}
	best[d.To[first]] = way{1, load[first], first}
	for queue := []int{d.To[first]}; len(queue) > 0; queue = queue[1:] {
		u := queue[0]
		for a := u * d.Degree; a < (u+1)*d.Degree; a++ {
			v, now := d.To[a], way{best[u].hops + 1, max(best[u].peak, load[a]), a}
			if v == 0 || v == u || now.hops > best[v].hops || now.hops == best[v].hops && now.peak >= best[v].peak {
				continue
			}
			if best[v].last < 0 {
				queue = append(queue, v)
			}
			best[v] = now
		}
	}
	var arcs []int
	for v := node; v != 0; v = best[v].last / d.Degree {
		arcs = append(arcs, best[v].last)
	}
	slices.Reverse(arcs)
	return arcs
}
