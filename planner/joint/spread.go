package joint

import (
	"math"
	"slices"
)

// spreadRounds is how often every source's ways are laid anew; the peak hardly falls after
// that many. spreadParts is into how many parts, that may go different ways, what a pair
// exchanges is cut.
const (
	spreadRounds = 8
	spreadParts  = 8
)

// maxSpread bounds the points of networks whose ways are laid anew.
const maxSpread = 160

// spread finds ways from every source to every point, all in one step, of at most as many
// hops as the network is wide. In networks without symmetry shortest ways are few, and load
// some links far more than others; ways that are longer, but not too long, even that out
// and cost nothing else. Source by source the ways are taken away and laid anew where they
// cost least, a link costing a power of its load; the round with the smallest peak is kept.
//
// A round takes O(points * hops * links).
func (n *network) spread(keep bool, stopped func() bool) (tally, []way) {
	n.mutex.Lock()
	if n.spreading == nil {
		n.spreading = n.findSpread(stopped)
	}
	spreading := n.spreading
	n.mutex.Unlock()
	t := tally{hops: n.diameter, pair: 1}
	load := make([]float64, len(n.width))
	var ways []way
	for source, paths := range spreading {
		for _, path := range paths {
			delay := 0.0
			for h := 1; h < len(path.path); h++ {
				c := n.class(path.path[h-1], path.path[h])
				load[c] += path.share
				delay += path.share / n.width[c]
			}
			t.dilation = max(t.dilation, delay)
			if keep {
				ways = append(ways, way{source: source, path: path.path, share: path.share})
			}
		}
	}
	for c, l := range load {
		t.peak = max(t.peak, l/n.width[c])
	}
	return t, ways
}

// class returns the class of the link between two points.
func (n *network) class(u, v int32) int32 {
	for _, a := range n.out[u] {
		if a.node == v {
			return a.class
		}
	}
	return -1
}

// dear is what a link of some load costs: a power of it that is high enough that the
// busiest links are avoided, and low enough that many slightly busy ones are not preferred.
func dear(load float64) float64 {
	square := load * load
	return square * square * square
}

// shared is a way that a share of what a pair exchanges goes.
type shared struct {
	path  []int32
	share float64
}

// findSpread returns these ways by source; nil once it is stopped.
func (n *network) findSpread(stopped func() bool) [][]shared {
	p, d := n.points, n.diameter
	paths := make([][][]int32, p*spreadParts) // by source and part, and then by target
	load := make([]float64, len(n.width))
	const amount = 1.0 / spreadParts
	add := func(list [][]int32, by float64) {
		for _, path := range list {
			for h := 1; h < len(path); h++ {
				load[n.class(path[h-1], path[h])] += by
			}
		}
	}
	cost := make([][]float64, d+1)
	from := make([][]int32, d+1)
	for h := range cost {
		cost[h], from[h] = make([]float64, p), make([]int32, p)
	}
	var best [][][]int32
	least := math.Inf(1)
	for range spreadRounds {
		for i := range paths {
			if stopped() {
				return nil
			}
			// Part by part, and of each part source by source.
			source := i % p
			at := source*spreadParts + i/p
			add(paths[at], -amount)
			n.layFrom(source, load, cost, from)
			list := make([][]int32, 0, p-1)
			for v := range p {
				if v != source {
					list = append(list, trace(source, v, cost, from))
				}
			}
			paths[at] = list
			add(list, amount)
		}
		peak := 0.0
		for c, l := range load {
			peak = max(peak, l/n.width[c])
		}
		if peak < least {
			least = peak
			best = slices.Clone(paths)
		}
	}
	return bundled(best, p)
}

// bundled joins the parts of a pair that go the same way.
func bundled(paths [][][]int32, points int) [][]shared {
	all := make([][]shared, points)
	for source := range all {
		parts := paths[source*spreadParts : (source+1)*spreadParts]
		for t := range parts[0] {
			first := len(all[source])
			for _, list := range parts {
				same := func(s shared) bool { return slices.Equal(s.path, list[t]) }
				i := slices.IndexFunc(all[source][first:], same)
				if i < 0 {
					i = len(all[source]) - first
					all[source] = append(all[source], shared{path: list[t]})
				}
				all[source][first+i].share += 1.0 / spreadParts
			}
		}
	}
	return all
}

// layFrom finds the cheapest ways from a source with at most h hops, for every h.
func (n *network) layFrom(source int, load []float64, cost [][]float64, from [][]int32) {
	price := make([]float64, len(load))
	for c, l := range load {
		price[c] = dear((l + 1.0/spreadParts) / n.width[c])
	}
	for v := range cost[0] {
		cost[0][v] = math.Inf(1)
	}
	cost[0][source] = 0
	for h := 1; h < len(cost); h++ {
		copy(cost[h], cost[h-1])
		for v := range from[h] {
			from[h][v] = -1 // no better than with a hop less
		}
		for u, arcs := range n.out {
			if math.IsInf(cost[h-1][u], 1) {
				continue
			}
			for _, a := range arcs {
				if c := cost[h-1][u] + price[a.class]; c < cost[h][a.node] {
					cost[h][a.node], from[h][a.node] = c, int32(u)
				}
			}
		}
	}
}

// trace returns the cheapest way to a point.
func trace(source, v int, cost [][]float64, from [][]int32) []int32 {
	h, at := len(cost)-1, int32(v)
	back := []int32{at}
	for at != int32(source) {
		if from[h][at] >= 0 {
			at = from[h][at]
			back = append(back, at)
		}
		h--
	}
	for i, j := 0, len(back)-1; i < j; i, j = i+1, j-1 {
		back[i], back[j] = back[j], back[i]
	}
	return back
}
