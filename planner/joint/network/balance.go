package network

import (
	"math"
	"slices"
)

// balanceRounds limits how often the routes over the busiest links of a step are laid again, and
// idleRounds limits the consecutive rounds without gain. Networks of more than maxBalanced points
// are not balanced.
const (
	balanceRounds = 48
	idleRounds    = 6
	maxBalanced   = 256
)

// errandWay is the route of a part of a source's data to a point, with the links that it takes.
type errandWay struct {
	source int32
	path   []int32
	links  []int32
}

// balancer evens out the load that a step puts on links. It takes up routes over the busiest
// links and lays them again where they cost least; a link costs a power of its load. A route may
// begin at any point that has the data before the step, and may be as long as the step's longest
// route, because that adds no hop to the step. A bundle of links is identified by its index in
// the list of all bundles, ordered by the points that they lead to.
type balancer struct {
	*Network
	step  Towards
	ways  []errandWay
	far   func(source int) []int16
	first []int32   // of the bundles that lead to a point
	width []float64 // links, by bundle
	load  []float64 // data, by bundle
	goal  float64   // a lower bound on the peak of any routes
	now   float64   // the peak at the beginning of a round

	cost   []float64 // of the route from a point to the target, by point
	last   []int32   // the mark and layer in which cost was set
	mark   int32
	toward [][]leg // by layer and point: the first link of that route
	front  []int32
	before []float64 // costs of the front before this layer
	next   []int32
}

// leg is a bundle of links and the point that it leads to.
type leg struct{ to, bundle int32 }

func newBalancer(n *Network, step Towards) *balancer {
	b := &balancer{Network: n, step: step, far: n.Distances, first: make([]int32, n.Points+1)}
	for v, arcs := range n.In {
		for _, a := range arcs {
			b.width = append(b.width, n.Width[a.Class])
		}
		b.first[v+1] = int32(len(b.width))
	}
	b.load = make([]float64, len(b.width))
	return b
}

// lay adds a route from a source to a point, over the least loaded of the links that lead nearer.
func (b *balancer) lay(source int, dist []int16, v int32) {
	hops := int(dist[v]) - b.step.Low
	w := errandWay{source: int32(source), path: make([]int32, hops+1), links: make([]int32, hops)}
	w.path[hops] = v
	for h := hops; h > 0; h-- {
		at := w.path[h]
		best, least := -1, math.Inf(1)
		for i, a := range b.In[at] {
			if dist[a.Node] != dist[at]-1 {
				continue
			}
			bundle := int(b.first[at]) + i
			if l := b.load[bundle] / b.width[bundle]; l < least {
				best, least = i, l
			}
		}
		w.path[h-1], w.links[h-1] = b.In[at][best].Node, b.first[at]+int32(best)
		b.load[w.links[h-1]]++
	}
	b.ways = append(b.ways, w)
}

// balance lays the routes of a step again until their peak reaches the goal or stops falling. It
// returns the best routes found and their peak.
func (b *balancer) balance(stopped func() bool) ([]errandWay, float64) {
	best, least := slices.Clone(b.ways), b.peak()
	b.cost, b.last = make([]float64, b.Points), make([]int32, b.Points)
	b.toward = make([][]leg, b.step.High-b.step.Low+1)
	for h := range b.toward {
		b.toward[h] = make([]leg, b.Points)
	}
	idle := 0
	for round := 0; round < balanceRounds && idle < idleRounds && least > b.goal+1e-9; round++ {
		if stopped() {
			break
		}
		b.now = b.peak()
		for i := range b.ways {
			w := &b.ways[i]
			// Each round without gain adds routes to those that make room for the routes over the
			// busiest links.
			if !slices.ContainsFunc(w.links, func(c int32) bool { return b.load[c]/b.width[c] >= b.now-float64(idle)-1e-9 }) {
				continue
			}
			b.again(w)
		}
		if now := b.peak(); now < least-1e-9 {
			best, least, idle = slices.Clone(b.ways), now, 0
		} else {
			idle++
		}
	}
	return best, least
}

// peak is the load of the busiest link.
func (b *balancer) peak() float64 {
	most := 0.0
	for c, l := range b.load {
		most = max(most, l/b.width[c])
	}
	return most
}

// hot is the factor on the price of a link that another route would make as busy as the busiest
// link is now.
const hot = 100

// price returns what a route over a bundle of links costs.
func (b *balancer) price(bundle int32) float64 {
	load := (b.load[bundle] + 1) / b.width[bundle]
	price := dear(load)
	if load >= b.now-1e-9 {
		price *= hot
	}
	return price
}

// again takes a route up and lays it where it costs least.
func (b *balancer) again(w *errandWay) {
	for _, c := range w.links {
		b.load[c]--
	}
	dist := b.far(int(w.source))
	low := int16(b.step.Low)
	target := w.path[len(w.path)-1]
	b.mark += int32(len(b.toward)) + 1
	b.cost[target], b.last[target] = 0, b.mark
	b.front = append(b.front[:0], target)
	start, hops, least := int32(-1), 0, math.Inf(1)
	for h := 1; h < len(b.toward) && len(b.front) > 0; h++ {
		b.next, b.before = b.next[:0], b.before[:0]
		for _, v := range b.front { // this layer may lower their costs, by routes of one more link
			b.before = append(b.before, b.cost[v])
		}
		for i, v := range b.front {
			so := b.before[i]
			for k, a := range b.In[v] {
				bundle := b.first[v] + int32(k)
				c := so + b.price(bundle)
				u := a.Node
				if c >= least || b.last[u] >= b.mark && b.cost[u] <= c {
					continue
				}
				if dist[u] <= low {
					start, hops, least = u, h, c
					b.toward[h][u] = leg{v, bundle}
					continue
				}
				if dist[u] > low+int16(len(b.toward)-1-h) {
					continue // no point that has the data is near enough
				}
				if b.last[u] != b.mark+int32(h) {
					b.next = append(b.next, u)
				}
				b.cost[u], b.last[u] = c, b.mark+int32(h)
				b.toward[h][u] = leg{v, bundle}
			}
		}
		b.front, b.next = b.next, b.front
	}
	if start >= 0 {
		w.path, w.links = make([]int32, 1, hops+1), make([]int32, 0, hops)
		w.path[0] = start
		for h, at := hops, start; h > 0; h-- {
			a := b.toward[h][at]
			w.path, w.links = append(w.path, a.to), append(w.links, a.bundle)
			at = a.to
		}
	}
	for _, c := range w.links {
		b.load[c]++
	}
}

// balanced is Route for uncut data on a network without symmetry.
func (n *Network) balanced(t Towards, keep bool, stopped func() bool) (Tally, []Way) {
	b := newBalancer(n, t)
	b.goal = n.Narrow().Least(t.Low, t.High)
	var order []int32
	for _, source := range n.sources() {
		dist := n.Distances(source)
		order = t.targets(dist, order[:0])
		for _, v := range order {
			b.lay(source, dist, v)
		}
	}
	best, peak := b.balance(stopped)
	result := b.tally(best, peak)
	if !keep {
		return result, nil
	}
	ways := make([]Way, len(best))
	for i, w := range best {
		ways[i] = Way{Source: int(w.source), Path: w.path}
	}
	return result, ways
}

// tally returns the tally of routes with a given peak.
func (b *balancer) tally(ways []errandWay, peak float64) Tally {
	t := Tally{Peak: peak}
	pairs := map[[2]int32]float64{}
	for _, w := range ways {
		t.Hops = max(t.Hops, len(w.links))
		delay := 0.0
		for _, c := range w.links {
			delay += 1 / b.width[c]
		}
		t.Dilation = max(t.Dilation, delay)
		if b.Pairs {
			ends := [2]int32{w.path[0], w.path[len(w.path)-1]}
			pairs[ends]++
			t.Pair = max(t.Pair, pairs[ends])
		}
	}
	return t
}

// Deal finds routes from point 0 to every other point that load the busiest link as little as
// possible, with at most as many hops as the diameter. It also returns their tally, in units of
// what one point gets.
func (n *Network) Deal() (Tally, [][]int32) {
	t := Towards{High: n.Diameter}
	b := newBalancer(n, t)
	out := 0.0
	for _, a := range n.Out[0] {
		out += n.Width[a.Class]
	}
	b.goal = float64(n.Points-1) / out
	if !slices.ContainsFunc(n.Out[0], func(a arc) bool { return n.Width[a.Class] != 1 }) {
		b.goal = math.Ceil(b.goal)
	}
	dist := n.Distances(0)
	for _, v := range t.targets(dist, nil) {
		b.lay(0, dist, v)
	}
	best, peak := b.balance(func() bool { return false })
	tally := b.tally(best, peak)
	tally.Pair = 1
	paths := make([][]int32, len(best))
	for i, w := range best {
		paths[i] = w.path
	}
	return tally, paths
}

// Visit finds routes that bring every point one vector from each of the given cells that it is
// not in. A route may begin at any point of the cell, and is no longer than the farthest point
// requires. Visit also returns the tally of the routes.
func (n *Network) Visit(cells [][]int) ([]Way, Tally) {
	far := make([][]int16, len(cells))
	step := Towards{}
	hops := 0
	for i, cell := range cells {
		far[i] = n.searchFrom(cell)
		for _, d := range far[i] {
			step.High, hops = max(step.High, int(d)), hops+int(d)
		}
	}
	b := newBalancer(n, step)
	b.far = func(source int) []int16 { return far[source] }
	b.goal = float64(hops) / n.Links
	for i := range cells {
		for _, v := range step.targets(far[i], nil) {
			b.lay(i, far[i], v)
		}
	}
	best, peak := b.balance(func() bool { return false })
	ways := make([]Way, len(best))
	for i, w := range best {
		ways[i] = Way{Source: int(w.path[0]), Modulus: 1, Path: w.path}
	}
	t := b.tally(best, peak)
	t.Pair = max(t.Pair, 1)
	return ways, t
}
