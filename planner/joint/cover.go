package joint

import (
	"fmt"
	"slices"
)

// Covers: exchanges in two steps on circuits that stay. Points form cells of p. First all
// vectors go round in the cells, so that every point has the sum of its cell; then every
// point gets the sum of each other cell from the point of it that is nearest. A point gets
// p-1 + n/p-1 vectors instead of the n-1 that it gets when all go everywhere at once, for a
// start-up and a few hops more: that pays for small messages on many GPUs, where links
// carry hundreds of vectors.

// cover is such a network: cells of so many points, with so many ports inside.
type cover struct {
	points, size, inside int
}

// covers lists the networks of so many points.
func (m *machine) covers(points int) []cover {
	var all []cover
	for _, size := range divisors(points) {
		if size < 2 || points/size <= m.ports+1 {
			continue
		}
		for inside := 1; inside < min(size, m.ports); inside++ {
			all = append(all, cover{points, size, inside})
		}
	}
	return all
}

// covered is an exchange over a cover laid out.
type covered struct {
	net   *network
	steps [2][]way
	takes [2]tally
}

// lay lists what is sent.
func (c cover) lay(ports int) *covered {
	net := c.wire(ports)
	if net == nil || net.diameter == 0 {
		return nil
	}
	made := &covered{net: net}
	var near, far []errand
	for x := range c.points {
		own := x / c.size
		for cell := range c.points / c.size {
			var from []int
			for i := range c.size {
				from = append(from, cell*c.size+i)
			}
			if cell != own {
				far = append(far, errand{from, x})
				continue
			}
			for _, u := range from {
				if u != x {
					near = append(near, errand{[]int{u}, x})
				}
			}
		}
	}
	made.steps[0], made.takes[0] = net.run(near)
	made.steps[1], made.takes[1] = net.run(far)
	return made
}

// errand brings a vector that all of some points have to another.
type errand struct {
	from []int
	to   int
}

// again is how often the ways of errands are chosen anew, knowing those of all others.
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

// least is what an exchange over a cover takes at least: a point has at most d^(h-1) links
// to others at h hops from it that lead to other cells, times its ports for these; and more
// of its own cell than it has ports there are two hops away.
func (c cover) least(ports int) shape {
	outside := ports - c.inside
	near := shape{steps: 1, hops: 1, load: float64(c.inside+2*(c.size-1-c.inside)) / float64(ports)}
	if c.size-1 > c.inside {
		near.hops = 2
	}
	far := shape{steps: 1}
	for left, room := c.points/c.size-1, outside; left > 0; room *= ports {
		far.hops++
		far.load += float64(far.hops*min(left, room)) / float64(ports)
		left -= min(left, room)
	}
	return near.plus(far)
}

// coverings returns the exchanges over covers. What they take is counted when the least that
// they may take is the best.
func (m *machine) coverings(points int) []*program {
	var all []*program
	for _, c := range m.covers(points) {
		p := &program{
			points: points, kind: exchange, scattered: 1, parts: 1,
			about: fmt.Sprintf("exchange in cells of %d, and between the cells", c.size), shape: c.least(m.ports),
		}
		lay := once(func(stopped func() bool) (*covered, bool) { return c.lay(m.ports), !stopped() })
		p.settle = func(stopped func() bool) counted {
			laid := lay(stopped)
			if laid == nil {
				return counted{load: impossible}
			}
			return counted{
				hops: laid.takes[0].hops + laid.takes[1].hops,
				load: m.load(laid.takes[0]) + m.load(laid.takes[1]),
			}
		}
		p.lay = func() []stage {
			laid := lay(never)
			return []stage{{net: laid.net, kind: exchange, steps: laid.steps[:]}}
		}
		all = append(all, p)
	}
	return all
}

// never is the stopped of what must not be given up.
func never() bool { return false }

// impossible is a load that no plan has.
const impossible = 1e18
