package bfb

// receiver computes what single nodes get. It holds working memory and must not be used
// by two goroutines at once.
type receiver struct {
	net      *network
	search   *search
	delivery delivery
	balancer balancer
	subsets  subsets
}

func newReceiver(net *network) *receiver {
	r := &receiver{net: net, search: newSearch(net)}
	r.balancer = balancer{delivery: &r.delivery, net: net}
	return r
}

// raise searches from u and raises peak, which holds a time for every step, to what u
// needs. peak grows with the distance of the node that is farthest from u.
func (r *receiver) raise(u int, peak []Frac) []Frac {
	r.search.run(u, r.net.nodes)
	for t := 1; t <= r.search.steps(); t++ {
		if len(peak) < t {
			peak = append(peak, Frac{0, 1})
		}
		peak[t-1] = r.step(u, t, peak[t-1])
	}
	return peak
}

// step returns the larger of floor and the time that u needs for step t.
func (r *receiver) step(u, t int, floor Frac) Frac {
	level, links := r.search.level(t), r.net.links(u)
	if r.net.even && len(links) <= widest && 1<<len(links) <= sparsest*(len(level)+len(links)) {
		r.subsets.load(links)
		if time := r.net.evenTime(r.subsets.densest(level, r.search.masks)); floor.Less(time) {
			return time
		}
		return floor
	}
	r.delivery.load(r.search, u, t)
	return r.balancer.solve(floor)
}

// assign assigns what u gets in step t of the last search to links, in the least time.
func (r *receiver) assign(u, t int) {
	r.delivery.load(r.search, u, t)
	r.balancer.solve(Frac{0, 1})
}
