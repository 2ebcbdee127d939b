package digit

import (
	"math"
	"slices"
	"sync"

	"github.com/lightpath-net/lightpath/internal/each"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/direct/short"
	"github.com/lightpath-net/lightpath/planner/direct/stored"
	"github.com/lightpath-net/lightpath/planner/joint/network"
	"github.com/lightpath-net/lightpath/topology"
)

// maxRouted bounds the points of networks whose loads are counted route by route, which takes the
// square of the points times the hops. Rings have closed forms for any size.
const maxRouted = 256

// maxWide bounds the diameter of networks whose gathers are counted for every cut into
// steps.
const maxWide = 24

// programsKey is what the programs for a number of points depend on.
type programsKey struct {
	points, ports, parts   int
	duplex, stores, capped bool
}

// wiredFor returns the programs for a number of points from what the request keeps, as copies
// that this search alone settles.
func (s *Search) wiredFor(points int) *wired {
	key := programsKey{points, s.Ports, s.parts(), s.Duplex, s.Stores, s.Capped}
	shared := planner.Kept(s.Memory, key, func() (*wired, bool) {
		m := Machine{Ports: s.Ports, Duplex: s.Duplex, Stores: s.Stores, Capped: s.Capped}
		w := m.programs(points, s.parts(), s.Stopped)
		return w, !s.Stopped()
	})
	own := shared.own()
	left := func(p *program) bool { return s.NoSums && p.has.Sums || s.NoLines && p.line || s.NoUneven && p.uneven }
	for _, list := range []*[]*program{&own.gathers, &own.exchanges, &own.balls} {
		*list = slices.DeleteFunc(*list, left)
	}
	return own
}

// own returns copies of the programs for one search alone to settle.
func (w *wired) own() *wired {
	own := func(programs []*program) []*program {
		list := make([]*program, len(programs))
		for i, p := range programs {
			one := *p
			list[i] = &one
		}
		return list
	}
	return &wired{gathers: own(w.gathers), exchanges: own(w.exchanges), balls: own(w.balls), floors: w.floors}
}

// parts returns the number of parts into which data is cut to take different circuits of a
// network. No part is below a byte, which cannot be divided.
func (s *Search) parts() int { return max(1, min(2*s.Ports, s.wholeBytes())) }

// wholeBytes returns the number of whole bytes in a node's block.
func (s *Search) wholeBytes() int { return int(min(math.MaxInt32, s.Bytes/float64(s.Nodes))) }

// cutsBytes reports whether a program cuts blocks into parts of less than a byte.
func (s *Search) cutsBytes(parts int) bool { return parts > 1 && parts > s.wholeBytes() }

// programs returns the ways to process a digit of the given number of points on networks whose
// loads are counted, for data in the given number of parts.
func (m *Machine) programs(points, cut int, stopped func() bool) *wired {
	w := m.programsOn(m.networks(points), cut, stopped)
	if !m.Duplex && !stopped() {
		for _, p := range m.coverings(points) {
			p.has, p.uneven = Uses{Exchange: true, Networks: true}, true
			w.exchanges = append(w.exchanges, p)
		}
		for _, p := range m.lineCoverings(points) {
			p.has, p.line, p.uneven = Uses{Exchange: true, Networks: true, Sums: true}, true, true
			w.exchanges = append(w.exchanges, p)
		}
	}
	return w
}

// programsOn is programs for given networks.
func (m *Machine) programsOn(networks []*sketch, cut int, stopped func() bool) *wired {
	w := &wired{}
	for _, sk := range networks {
		if stopped() {
			break
		}
		if sk.Diameter == 0 {
			continue
		}
		parts := 1
		if sk.symmetric() {
			parts = cut
			w.floors = append(w.floors, netFloor(sk, parts))
		} else {
			p := m.exchange(sk.net())
			p.line, p.uneven = sk.line, true
			w.exchanges = append(w.exchanges, p)
			w.balls = append(w.balls, m.ballings(sk)...)
		}
		if sk.Diameter <= maxWide {
			for _, p := range m.gathers(sk, parts) {
				p.line, p.uneven = sk.line, !sk.symmetric()
				w.gathers = append(w.gathers, p)
			}
		}
	}
	for _, p := range w.exchanges {
		p.has = Uses{Exchange: true, Networks: true}
	}
	for _, p := range w.gathers {
		p.has = Uses{Networks: true}
	}
	return w
}

// networks lists the graphs with the given number of points and the machine's ports on which
// loads are counted: complete graphs, two-way rings, circulants whose jumps are consecutive or
// grow geometrically, tori, the families of Zhao et al., Table 9, graphs that a search has found,
// and line digraphs.
func (m *Machine) networks(points int) []*sketch {
	d := m.Ports
	var nets []*sketch
	cyclic := func(step []int) {
		mult := slices.Repeat([]int{d / len(step)}, len(step))
		nets = append(nets, m.circulant(points, Repeat(step, mult)))
	}
	upTo := func(k int) []int {
		return each.Below(k, func(i int) int { return i + 1 })
	}
	if points-1 <= d {
		cyclic(upTo(points - 1))
		return nets
	}
	cyclic([]int{1, points - 1})
	for _, step := range m.bestJumps(points) {
		cyclic(step)
	}
	if !m.Duplex {
		cyclic(upTo(d))
		if step := geometric(points, d, points-1); !slices.Equal(step, upTo(d)) {
			cyclic(step)
		}
	}
	if half := d / 2; half > 1 {
		for _, step := range [][]int{geometric(points, half, (points-1)/2), upTo(half)} {
			if step[len(step)-1] >= (points+1)/2 {
				continue
			}
			both := slices.Clone(step)
			for _, s := range step {
				both = append(both, points-s)
			}
			cyclic(both)
		}
	}
	for expr := range topology.OfNodes(points, d) {
		g, err := expr.Build()
		if err != nil || m.Duplex && !g.Bidirectional() {
			continue
		}
		if _, cyclic := g.Jumps(); cyclic {
			continue
		}
		nets = append(nets, m.sketchOf(network.New(g, topology.Translations{})))
	}
	for _, g := range m.found(points, m.Duplex) {
		sk := m.sketchOf(network.New(g, topology.Translations{}))
		sk.line = true
		nets = append(nets, sk)
	}
	return append(nets, m.lines(points)...)
}

// lineBases lists graphs of few nodes whose line digraphs are good: the best circulants, and
// graphs that a search has found.
func (m *Machine) lineBases(nodes int) []*topology.Graph {
	var all []*topology.Graph
	for _, jumps := range m.bestJumps(nodes) {
		if len(jumps) == m.Ports {
			all = append(all, topology.DirectedCirculant(nodes, jumps...))
		}
	}
	return append(all, m.found(nodes, false)...)
}

// found lists the graphs with the given number of nodes and the machine's ports that a search has
// found.
func (m *Machine) found(nodes int, twoWay bool) []*topology.Graph {
	var all []*topology.Graph
	add := func(expr topology.Expr) {
		if g, err := expr.Build(); err == nil {
			all = append(all, g)
		}
	}
	for _, s := range slices.Concat(stored.Of(nodes, m.Ports, twoWay), stored.Grouped(nodes, m.Ports, twoWay)) {
		add(s.Expr)
	}
	if expr, ok := short.Of(nodes, m.Ports, twoWay); ok {
		add(expr)
	}
	return all
}

// lines lists line digraphs with the given number of points, of the best graphs whose number of
// nodes is smaller by a power of the ports. Their diameter is nearly that of a Moore graph, and
// their links are nearly equally loaded.
func (m *Machine) lines(points int) []*sketch {
	d := m.Ports
	if m.Duplex || d == 1 {
		return nil
	}
	var nets []*sketch
	// The line digraphs of complete graphs of d+1 points are Kautz graphs, which are in the list
	// already.
	for k, base := 1, points; base%d == 0 && base/d > d+1; k++ {
		base /= d
		for _, g := range m.lineBases(base) {
			sk := m.sketchOf(network.New(topology.LineGraph(g, k), topology.Translations{}))
			sk.line = true
			nets = append(nets, sk)
		}
	}
	return nets
}

// geometric returns k distinct jumps in 1..most that grow by the same factor, so that sums of few
// of them reach far; fewer if there is no room for k.
func geometric(points, k, most int) []int {
	k = min(k, most)
	step := make([]int, k)
	for i := range step {
		step[i] = int(math.Round(math.Pow(float64(points), float64(i)/float64(k))))
		if i > 0 {
			step[i] = max(step[i], step[i-1]+1)
		}
	}
	for i := k - 1; i >= 0; i-- {
		step[i] = min(step[i], most-(k-1-i))
	}
	return step
}

// sketch is what is known of a network before it is built. For circulants that is the distance of
// every point from point 0, which takes no graph to find; most circulants are too slow by that
// alone.
type sketch struct {
	network.Profile
	name string
	dist []int16 // from point 0, which stands for all; nil if it does not
	net  func() *network.Network
	line bool // a line digraph, or a graph that a search has found
}

// symmetric reports whether one source stands for all.
func (s *sketch) symmetric() bool { return s.dist != nil }

// sketchOf returns the sketch of a network without a group.
func (m *Machine) sketchOf(net *network.Network) *sketch {
	net.Pairs, net.Dilates = m.Capped, m.Stores
	return &sketch{Profile: net.Profile, name: net.Graph.Name(), net: func() *network.Network { return net }}
}

// circulant sketches the circulant in which a point has a circuit for every jump in the list;
// jumps may be repeated.
func (m *Machine) circulant(points int, jumps []int) *sketch {
	s := &sketch{
		Profile: network.Profile{Points: points, Links: float64(len(jumps))},
		name:    topology.Expr{Family: "DC", Numbers: append([]int{points}, jumps...)}.String(),
		dist:    make([]int16, points),
	}
	s.net = sync.OnceValue(func() *network.Network {
		net := network.New(topology.DirectedCirculant(points, jumps...), topology.Rotations(points, 1))
		net.Pairs, net.Dilates = m.Capped, m.Stores
		return net
	})
	queue := make([]int32, 1, points)
	for i := 0; i < len(queue) && s.dist[queue[i]] < network.Farthest; i++ {
		v := int(queue[i])
		for _, j := range jumps {
			w := v + j
			if w >= points {
				w -= points
			}
			if w != 0 && s.dist[w] == 0 {
				s.dist[w] = s.dist[v] + 1
				queue = append(queue, int32(w))
			}
		}
	}
	if len(queue) < points {
		return s // its diameter stays 0
	}
	s.Diameter = int(s.dist[queue[points-1]])
	s.Levels = make([]int, s.Diameter+1)
	for _, d := range s.dist {
		s.Levels[d]++
	}
	return s
}
