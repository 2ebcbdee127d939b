package joint

import (
	"math"
	"slices"
	"sync"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/topology"
)

// network is a graph of few points on which a digit is processed, with what routing
// needs to know of it.
//
// Links of one class carry the same load, because a group that acts regularly on the
// points maps them onto each other and everything that is sent is sent from every point
// alike. Without such a group every bundle of links is a class of its own.
type network struct {
	profile
	graph   *topology.Graph
	group   topology.Translations // regular on the points, or the trivial group
	out     [][]arc
	in      [][]arc
	width   []float64 // links in a bundle, by class
	from    [][]int16 // distances from a source, of those that stand for all
	pairs   bool      // what pairs exchange matters, too
	dilates bool      // what a way carries matters, too

	mutex     sync.Mutex // of what is found when it is asked for
	back      *network   // with all links turned round; nil if that is the same up to a symmetry
	spreading *spreading // see spread
	narrows   *narrows   // see narrow
}

// arc is a bundle of links seen from one of its ends.
type arc struct {
	node  int32 // the other end
	class int32
}

// newNetwork returns the network of a graph. The group must leave the graph as it is and
// act regularly, or be trivial.
func newNetwork(g *topology.Graph, group topology.Translations) *network {
	n := g.Nodes()
	net := &network{profile: profile{points: n}, graph: g, group: group, out: make([][]arc, n), in: make([][]arc, n), from: make([][]int16, n)}
	classOf := map[int]int32{}
	bundle := int32(0)
	for e := range g.Edges() {
		if e.From == e.To {
			continue
		}
		class := bundle
		if !group.Trivial() {
			k, _ := group.Locate(e.From)
			jump := group.Back(k, e.To)
			known, ok := classOf[jump]
			if !ok {
				known = int32(len(net.width))
				classOf[jump] = known
			}
			class = known
		}
		if int(class) == len(net.width) {
			net.width = append(net.width, float64(e.Count))
		}
		bundle++
		net.out[e.From] = append(net.out[e.From], arc{int32(e.To), class})
		net.in[e.To] = append(net.in[e.To], arc{int32(e.From), class})
	}
	for _, s := range net.sources() {
		net.from[s] = net.search(s)
		for _, d := range net.from[s] {
			if d < 0 {
				net.diameter = 0
				return net
			}
			net.diameter = max(net.diameter, int(d))
		}
	}
	net.levels = make([]int, net.diameter+1)
	for _, s := range net.sources() {
		for _, d := range net.from[s] {
			net.levels[d]++
		}
	}
	for _, w := range net.width {
		net.links += w
	}
	return net
}

// symmetric reports whether one source stands for all.
func (n *network) symmetric() bool { return !n.group.Trivial() }

// sources are the points whose data stand for everybody's.
func (n *network) sources() []int {
	if n.symmetric() {
		return []int{0}
	}
	all := make([]int, n.points)
	for i := range all {
		all[i] = i
	}
	return all
}

// farthest is the largest distance that is told from none: what is farther, on rings of more than
// 32768 points, cannot be reached in any plan of use.
const farthest = math.MaxInt16

// distances returns how far every point is from a source, -1 where there is no way, or too long
// a one.
func (n *network) distances(source int) []int16 {
	if n.from[source] != nil {
		return n.from[source]
	}
	return n.search(source)
}

// search finds these distances, breadth first.
func (n *network) search(source int) []int16 {
	dist := make([]int16, n.points)
	for i := range dist {
		dist[i] = -1
	}
	dist[source] = 0
	queue := make([]int32, 1, n.points)
	queue[0] = int32(source)
	for i := 0; i < len(queue) && dist[queue[i]] < farthest; i++ {
		for _, a := range n.out[queue[i]] {
			if dist[a.node] < 0 {
				dist[a.node] = dist[queue[i]] + 1
				queue = append(queue, a.node)
			}
		}
	}
	return dist
}

// turned returns the network with all links the other way, on which a reversed gather is a
// reduce-scatter. Where a symmetry maps the links onto those, it is the network itself: in a
// commutative group x -> -x does, and in a two-way graph nothing changes at all.
func (n *network) turned() *network {
	if n.reversible() {
		return n
	}
	n.mutex.Lock()
	defer n.mutex.Unlock()
	if n.back == nil {
		n.back = newNetwork(n.graph.Transpose("Transpose("+n.graph.Name()+")"), n.group)
		n.back.back, n.back.pairs, n.back.dilates = n, n.pairs, n.dilates
	}
	return n.back
}

// reversible reports whether a symmetry turns all links round.
func (n *network) reversible() bool { return n.symmetric() || n.graph.Bidirectional() }

// towards is what one step delivers: to every point that is at a distance in low+1..high
// from a source, the source's data, from a point at distance low on the way. With only,
// just the points that it lists get any.
type towards struct {
	low, high int
	only      []int // of source 0 in a symmetric network; nil: all
}

// way is how a part of a source's data gets to a point: along path, whose first point has
// it.
type way struct {
	source int
	part   int
	path   []int32
	// modulus, if not 0: the data are those of all points with the source's residue.
	modulus int
	// share, if not 0: the ways of a source to a point have shares of the same data, and
	// there are no parts.
	share float64
	// replaces: what comes takes the place of what the last point has; see walks.
	replaces bool
	// of is the part of the first point's value that goes, of an exchange; see windows.
	of collective.Part
}

// tally is what a step takes: its hops, and loads in units of one source's data.
type tally struct {
	hops     int
	peak     float64 // of the busiest link
	dilation float64 // of the route with the most bytes times hops
	pair     float64 // of the busiest pair, if that matters
}

// routed is what goes one way, told by a hash of the path.
type routed struct {
	key   uint64
	delay float64
}

// pathHash multiplies a hash of a path before the next point is added (Knuth's MMIX
// generator); paths of one pair that collide would only make a stored-and-forwarded step
// look slower.
const pathHash = 6364136223846793005

// route finds the ways of a step, every source's data being cut into equal parts that may
// go different ways: each part goes back from its target along the least loaded links that
// lead nearer to the source. It takes O(pairs * hops * degree). The ways are only listed if
// keep is set. What it returns once it is stopped is of no use.
func (n *network) route(t towards, parts int, keep bool, stopped func() bool) (tally, []way) {
	if n.symmetric() {
		return n.even(t, parts, keep)
	}
	if parts == 1 && n.spreads(t) {
		return n.spread(keep, stopped)
	}
	var result tally
	var ways []way
	load := make([]float64, len(n.width))
	amount := 1 / float64(parts)
	var pairs map[[2]int32]float64
	if n.pairs {
		pairs = map[[2]int32]float64{}
	}
	var order []int32
	var same []routed // parts of one source's data for one point that go the same way
	for _, source := range n.sources() {
		dist := n.distances(source)
		order = order[:0]
		add := func(v int) {
			if d := int(dist[v]); d > t.low && d <= t.high {
				order = append(order, int32(v))
			}
		}
		if t.only != nil {
			for _, v := range t.only {
				add(v)
			}
		} else {
			for v := range n.points {
				add(v)
			}
		}
		// The longest ways first: the short ones then even out what those leave.
		slices.SortStableFunc(order, func(a, b int32) int { return int(dist[b]) - int(dist[a]) })
		for _, v := range order {
			hops := int(dist[v]) - t.low
			result.hops = max(result.hops, hops)
			same = same[:0]
			for part := range parts {
				at, delay, key := v, 0.0, uint64(0)
				var path []int32
				if keep {
					path = make([]int32, hops+1)
					path[hops] = v
				}
				for h := hops; h > 0; h-- {
					best := arc{-1, -1}
					for _, a := range n.in[at] {
						if dist[a.node] != dist[at]-1 {
							continue
						}
						if best.node < 0 || load[a.class]/n.width[a.class] < load[best.class]/n.width[best.class] {
							best = a
						}
					}
					load[best.class] += amount
					delay += amount / n.width[best.class]
					at = best.node
					key = key*pathHash + uint64(at) + 1
					if keep {
						path[h-1] = at
					}
				}
				i := slices.IndexFunc(same, func(s routed) bool { return s.key == key })
				if i < 0 {
					i = len(same)
					same = append(same, routed{key: key})
				}
				same[i].delay += delay
				result.dilation = max(result.dilation, same[i].delay)
				if n.pairs {
					pairs[[2]int32{at, v}] += amount
				}
				if keep {
					ways = append(ways, way{source: source, part: part, path: path})
				}
			}
		}
	}
	for c, bytes := range load {
		result.peak = max(result.peak, bytes/n.width[c])
	}
	for _, bytes := range pairs {
		result.pair = max(result.pair, bytes)
	}
	return result, ways
}
