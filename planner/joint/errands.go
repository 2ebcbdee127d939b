package joint

import "slices"

// errand brings a vector that all of some points have to another.
type errand struct {
	from []int
	to   int
}

// again is how often the ways of errands are chosen again, knowing those of all others.
const again = 3

// run finds ways for errands, as short as there are, from the nearest point that has the
// vector; among these, over links that carry less. It takes O(errands * hops * degree).
func (n *network) run(errands []errand) ([]way, tally) {
	load := make([]float64, len(n.width))
	ways := make([]way, len(errands))
	add := func(w way, by float64) {
		for h := 1; h < len(w.path); h++ {
			for _, a := range n.out[w.path[h-1]] {
				if a.node == w.path[h] {
					load[a.class] += by
				}
			}
		}
	}
	distance := func(u, to int) int16 { return n.distances(u)[to] }
	for round := range again {
		for i, e := range errands {
			if round > 0 {
				add(ways[i], -1)
			}
			nearest := e.from[0]
			for _, u := range e.from {
				if distance(u, e.to) < distance(nearest, e.to) {
					nearest = u
				}
			}
			least := distance(nearest, e.to)
			start, lightest := nearest, -1.0
			for _, u := range e.from { // of those as near, the one whose first link is the lightest
				if distance(u, e.to) != least {
					continue
				}
				if a := n.lightest(u, e.to, load); lightest < 0 || load[a.class] < lightest {
					start, lightest = u, load[a.class]
				}
			}
			path := []int32{int32(start)}
			for at := start; at != e.to; {
				at = int(n.lightest(at, e.to, load).node)
				path = append(path, int32(at))
			}
			ways[i] = way{source: start, modulus: 1, path: path}
			add(ways[i], 1)
		}
	}
	t := tally{pair: 1}
	for _, w := range ways {
		t.hops = max(t.hops, len(w.path)-1)
	}
	for c, l := range load {
		t.peak = max(t.peak, l/n.width[c])
	}
	for _, w := range ways {
		delay := 0.0
		for h := 1; h < len(w.path); h++ {
			i := slices.IndexFunc(n.out[w.path[h-1]], func(a arc) bool { return a.node == w.path[h] })
			delay += 1 / n.width[n.out[w.path[h-1]][i].class]
		}
		t.dilation = max(t.dilation, delay)
	}
	return ways, t
}

// lightest returns the link from a point towards another, on a shortest way, that carries
// the least.
func (n *network) lightest(at, to int, load []float64) arc {
	best := arc{-1, -1}
	left := n.distances(at)[to]
	for _, a := range n.out[at] {
		if n.distances(int(a.node))[to] != left-1 {
			continue
		}
		if best.node < 0 || load[a.class]/n.width[a.class] < load[best.class]/n.width[best.class] {
			best = a
		}
	}
	return best
}
