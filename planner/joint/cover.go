package joint

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/lightpath-net/lightpath/topology"
)

// Covers: exchanges in two steps on circuits that stay. Points form cells of p. First all
// vectors go round in the cells, so that every point has the sum of its cell; then every
// point gets the sum of each other cell from the point of it that is nearest. A point gets
// p-1 + n/p-1 vectors instead of the n-1 that it gets when all go everywhere at once, for a
// start-up and a few hops more: that pays for small messages on many GPUs, where links
// carry hundreds of vectors.
//
// Of its d ports a point has some for its cell, a circulant with jumps 1, 2, .., and the
// others lead to other cells. Cells look alike, numbered modulo their number: what leaves
// point i of cell c by port e arrives in cell c + jump(i, e), at a point that is also told
// by i and e. So point i of cell 0 stands for all i-th points, and a wiring is judged by
// what they have within some hops, in no time. Jumps are drawn, always the same ones, and
// the best wiring is kept: its farthest cell is as near as can be, and then all are.

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

// wiring is where the ports lead that are not for the cell: from point i by its e-th to
// jump[i][e] cells further and point at[i][e].
type wiring struct{ jump, at [][]int }

// wirings is how many are drawn.
const wirings = 4000

// draw returns a wiring: points and ports are dealt out at random.
func (c cover) draw(random *rand.Rand, outside int) wiring {
	w := wiring{make([][]int, c.size), make([][]int, c.size)}
	for i := range c.size {
		w.jump[i], w.at[i] = make([]int, outside), make([]int, outside)
	}
	for e := range outside {
		for i, at := range random.Perm(c.size) {
			w.jump[i][e], w.at[i][e] = 1+random.IntN(c.points/c.size-1), at
		}
	}
	return w
}

// widths returns how far a point is from the cell that is the farthest from it, and the sum
// of how far it is from all, over the points of a cell; ok is false if they are farther than
// a limit.
func (c cover) widths(w wiring, limit int) (farthest, sum int, ok bool) {
	cells := c.points / c.size
	type back struct{ point, jump int }
	in := make([][]back, c.size) // who leads to a point
	for i := range c.size {
		for jump := 1; jump <= c.inside; jump++ {
			in[(i+jump)%c.size] = append(in[(i+jump)%c.size], back{i, 0})
		}
		for e, at := range w.at[i] {
			in[at] = append(in[at], back{i, w.jump[i][e]})
		}
	}
	seen, had := make([]bool, c.points), make([]bool, cells)
	for i := range c.size {
		clear(seen)
		clear(had)
		level, met := []int{i}, 1
		seen[i], had[0] = true, true
		for hops := 1; met < cells; hops++ {
			if hops > limit || len(level) == 0 {
				return 0, 0, false
			}
			var next []int
			for _, u := range level {
				for _, b := range in[u%c.size] {
					cell := (u/c.size + cells - b.jump) % cells
					v := cell*c.size + b.point
					if seen[v] {
						continue
					}
					seen[v] = true
					next = append(next, v)
					if !had[cell] {
						had[cell] = true
						met++
						sum += hops
					}
				}
			}
			level, farthest = next, max(farthest, hops)
		}
	}
	return farthest, sum, true
}

// wire returns the best wiring that is drawn, as a network; nil if none connects all.
func (c cover) wire(ports int) *network {
	random := rand.New(rand.NewPCG(uint64(c.points), uint64(c.size)))
	var best wiring
	farthest, sum := c.points, math.MaxInt
	for range wirings {
		w := c.draw(random, ports-c.inside)
		if far, all, ok := c.widths(w, farthest); ok && (far < farthest || all < sum) {
			best, farthest, sum = w, far, all
		}
	}
	if best.jump == nil {
		return nil
	}
	var edges []topology.Edge
	for u := range c.points {
		cell, i := u/c.size, u%c.size
		for jump := 1; jump <= c.inside; jump++ {
			edges = append(edges, topology.Edge{From: u, To: cell*c.size + (i+jump)%c.size, Count: 1})
		}
		for e, at := range best.at[i] {
			edges = append(edges, topology.Edge{From: u, To: (cell+best.jump[i][e])%(c.points/c.size)*c.size + at, Count: 1})
		}
	}
	g := topology.New(c.points, fmt.Sprintf("Cells(%d,%d,%d)", ports, c.points, c.size), edges)
	return newNetwork(g, topology.Translations{})
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

// coverings returns the exchanges over covers. What they take is counted when a lower bound
// is the best: as many hops as ports need to reach a cell's points, and one point of every
// cell, and what a point gets.
func (m *machine) coverings(points int) []*program {
	var all []*program
	for _, c := range m.covers(points) {
		cells := points / c.size
		p := &program{
			points: points, kind: exchange, scattered: 1, parts: 1,
			about: fmt.Sprintf("exchange in cells of %d, and between the cells", c.size),
			shape: shape{steps: 2, hops: m.reach(c.size) + m.reach(cells), load: float64(c.size+cells-2) / float64(m.ports)},
		}
		var laid *covered
		p.settle = func() {
			if laid = c.lay(m.ports); laid == nil {
				p.load = impossible
				return
			}
			p.hops = laid.takes[0].hops + laid.takes[1].hops
			p.load = m.load(laid.takes[0]) + m.load(laid.takes[1])
		}
		p.lay = func() []stage {
			return []stage{{net: laid.net, kind: exchange, steps: laid.steps[:]}}
		}
		all = append(all, p)
	}
	return all
}

// impossible is a load that no plan has.
const impossible = 1e18

// reach is the hops in which the ports reach so many points at best.
func (m *machine) reach(points int) int {
	hops, ball, level := 0, 1, 1
	for ball < points {
		level *= m.ports
		ball += level
		hops++
	}
	return hops
}
