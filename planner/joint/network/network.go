package network

import (
	"math"
	"slices"
	"sync"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/topology"
)

// Network is a graph of few points on which a digit is worked off, with what routing
// needs to know of it.
//
// Links of one class carry the same load, because a group that acts regularly on the
// points maps them onto each other and everything that is sent is sent from every point
// alike. Without such a group every bundle of links is a class of its own.
type Network struct {
	Profile
	Graph   *topology.Graph
	Group   topology.Translations // regular on the points, or the trivial group
	Out     [][]arc
	In      [][]arc
	Width   []float64 // links in a bundle, by class
	from    [][]int16 // distances from a source, of those that stand for all
	Pairs   bool      // what pairs exchange matters, too
	Dilates bool      // what a way carries matters, too

	mutex     sync.Mutex // of what is found when it is asked for
	back      *Network   // with all links turned round; nil if that is the same up to a symmetry
	spreading *spreading // see spread
	narrows   *Narrows   // see narrow
}

// arc is a bundle of links seen from one of its ends.
type arc struct {
	Node  int32 // the other end
	Class int32
}

// New returns the network of a graph. The group must leave the graph as it is and
// act regularly, or be trivial.
func New(g *topology.Graph, group topology.Translations) *Network {
	n := g.Nodes()
	net := &Network{Profile: Profile{Points: n}, Graph: g, Group: group, Out: make([][]arc, n), In: make([][]arc, n), from: make([][]int16, n)}
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
				known = int32(len(net.Width))
				classOf[jump] = known
			}
			class = known
		}
		if int(class) == len(net.Width) {
			net.Width = append(net.Width, float64(e.Count))
		}
		bundle++
		net.Out[e.From] = append(net.Out[e.From], arc{int32(e.To), class})
		net.In[e.To] = append(net.In[e.To], arc{int32(e.From), class})
	}
	for _, s := range net.sources() {
		net.from[s] = net.search(s)
		for _, d := range net.from[s] {
			if d < 0 {
				net.Diameter = 0
				return net
			}
			net.Diameter = max(net.Diameter, int(d))
		}
	}
	net.Levels = make([]int, net.Diameter+1)
	for _, s := range net.sources() {
		for _, d := range net.from[s] {
			net.Levels[d]++
		}
	}
	for _, w := range net.Width {
		net.Links += w
	}
	return net
}

// Symmetric reports whether one source stands for all.
func (n *Network) Symmetric() bool { return !n.Group.Trivial() }

// sources are the points whose data stand for everybody's.
func (n *Network) sources() []int {
	if n.Symmetric() {
		return []int{0}
	}
	all := make([]int, n.Points)
	for i := range all {
		all[i] = i
	}
	return all
}

// Farthest is the largest distance that counts as finite: anything farther, on rings of more than
// 32768 points, is beyond any useful plan.
const Farthest = math.MaxInt16

// Distances returns how far every point is from a source, -1 where there is no way, or too long
// a one.
func (n *Network) Distances(source int) []int16 {
	if n.from[source] != nil {
		return n.from[source]
	}
	return n.search(source)
}

// search finds these distances, breadth first.
func (n *Network) search(source int) []int16 { return n.searchFrom([]int{source}) }

// searchFrom finds the distances from the nearest of some points.
func (n *Network) searchFrom(sources []int) []int16 {
	dist := make([]int16, n.Points)
	for i := range dist {
		dist[i] = -1
	}
	queue := make([]int32, 0, n.Points)
	for _, s := range sources {
		dist[s] = 0
		queue = append(queue, int32(s))
	}
	for i := 0; i < len(queue) && dist[queue[i]] < Farthest; i++ {
		for _, a := range n.Out[queue[i]] {
			if dist[a.Node] < 0 {
				dist[a.Node] = dist[queue[i]] + 1
				queue = append(queue, a.Node)
			}
		}
	}
	return dist
}

// Turned returns the network with all links the other way, on which a reversed gather is a
// reduce-scatter. Where a symmetry maps the links onto those, it is the network itself: in a
// commutative group x -> -x does, and in a two-way graph nothing changes at all.
func (n *Network) Turned() *Network {
	if n.Reversible() {
		return n
	}
	n.mutex.Lock()
	defer n.mutex.Unlock()
	if n.back == nil {
		n.back = New(n.Graph.Transpose("Transpose("+n.Graph.Name()+")"), n.Group)
		n.back.back, n.back.Pairs, n.back.Dilates = n, n.Pairs, n.Dilates
	}
	return n.back
}

// Reversible reports whether a symmetry turns all links round.
func (n *Network) Reversible() bool { return n.Symmetric() || n.Graph.Bidirectional() }

// Towards is what one step delivers: to every point that is at a distance in low+1..high
// from a source, the source's data, from a point at distance low on the way. With only,
// just the points that it lists get any.
type Towards struct {
	Low, High int
	Only      []int // of source 0 in a symmetric network; nil: all
}

// targets appends the points that a step reaches from a source of given distances. The longest
// ways come first: the short ones then even out what those leave.
func (t Towards) targets(dist []int16, to []int32) []int32 {
	add := func(v int) {
		if d := int(dist[v]); d > t.Low && d <= t.High {
			to = append(to, int32(v))
		}
	}
	if t.Only != nil {
		for _, v := range t.Only {
			add(v)
		}
	} else {
		for v := range dist {
			add(v)
		}
	}
	slices.SortStableFunc(to, func(a, b int32) int { return int(dist[b]) - int(dist[a]) })
	return to
}

// Way is how a part of a source's data gets to a point: along path, whose first point has
// it.
type Way struct {
	Source int
	Part   int
	Path   []int32
	// modulus, if not 0: the data are those of all points with the source's residue.
	Modulus int
	// share, if not 0: the ways of a source to a point have shares of the same data, and
	// there are no parts.
	Share float64
	// replaces: what comes takes the place of what the last point has; see walks.
	Replaces bool
	// of is the part of the first point's value that goes, of an exchange; see windows.
	Of collective.Part
}

// Tally is what a step takes: its hops, and loads in units of one source's data.
type Tally struct {
	Hops     int
	Peak     float64 // of the busiest link
	Dilation float64 // of the route with the most bytes times hops
	Pair     float64 // of the busiest pair, if that matters
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

// Route finds the routes of a step. Every source's data is cut into equal parts that may take
// different routes: each part is traced back from its target along the least loaded links that
// lead closer to the source. It takes O(pairs * hops * degree). Routes are listed only if keep is
// set. If it is stopped, its result is unusable.
func (n *Network) Route(t Towards, parts int, keep bool, stopped func() bool) (Tally, []Way) {
	if n.Symmetric() {
		return n.Even(t, parts, keep)
	}
	if parts == 1 && n.spreads(t) {
		return n.spread(keep, stopped)
	}
	if parts == 1 && n.Points <= maxBalanced && t.Only == nil {
		return n.balanced(t, keep, stopped)
	}
	var result Tally
	var ways []Way
	load := make([]float64, len(n.Width))
	amount := 1 / float64(parts)
	var pairs map[[2]int32]float64
	if n.Pairs {
		pairs = map[[2]int32]float64{}
	}
	var order []int32
	var same []routed // parts of one source's data for one point that go the same way
	for _, source := range n.sources() {
		dist := n.Distances(source)
		order = t.targets(dist, order[:0])
		for _, v := range order {
			hops := int(dist[v]) - t.Low
			result.Hops = max(result.Hops, hops)
			same = same[:0]
			for part := range parts {
				at, delay, key := v, 0.0, uint64(0)
				var path []int32
				if keep {
					path = make([]int32, hops+1)
					path[hops] = v
				}
				for h := hops; h > 0; h-- {
					best := n.nearer(dist, at, load)
					load[best.Class] += amount
					delay += amount / n.Width[best.Class]
					at = best.Node
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
				result.Dilation = max(result.Dilation, same[i].delay)
				if n.Pairs {
					pairs[[2]int32{at, v}] += amount
				}
				if keep {
					ways = append(ways, Way{Source: source, Part: part, Path: path})
				}
			}
		}
	}
	for c, bytes := range load {
		result.Peak = max(result.Peak, bytes/n.Width[c])
	}
	for _, bytes := range pairs {
		result.Pair = max(result.Pair, bytes)
	}
	return result, ways
}

// nearer returns the least loaded link into a node from one that is a hop nearer.
func (n *Network) nearer(dist []int16, at int32, load []float64) arc {
	best := arc{-1, -1}
	for _, a := range n.In[at] {
		if dist[a.Node] != dist[at]-1 {
			continue
		}
		if best.Node < 0 || load[a.Class]/n.Width[a.Class] < load[best.Class]/n.Width[best.Class] {
			best = a
		}
	}
	return best
}
