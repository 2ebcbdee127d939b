package network

import (
	"math"
	"slices"
	"sync"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/internal/arithmetic"
	"github.com/lightpath-net/lightpath/topology"
)

// Network is the graph of a digit, which has few points, with what routing needs to know about
// it.
//
// Links of one class carry the same load, because a group that acts regularly on the points maps
// them onto each other, and every point sends the same. Without such a group every bundle of
// links is a class of its own.
type Network struct {
	Profile
	Graph   *topology.Graph
	Group   topology.Translations // regular on the points, or the trivial group
	Out     [][]arc
	In      [][]arc
	Width   []float64 // links in a bundle, by class
	from    [][]int16 // distances from each source that stands for others
	Pairs   bool      // the load of pairs matters, too
	Dilates bool      // the load of single routes matters, too

	mutex     sync.Mutex // guards what is found on demand
	back      *Network   // with all links reversed; nil until Turned needs it
	spreading *spreading // see spread
	narrows   *Narrows   // see narrow
}

// arc is a bundle of links seen from one of its ends.
type arc struct {
	Node  int32 // the other end
	Class int32
}

// New returns the network of a graph. The group must map the graph onto itself and act regularly
// on its points, or be trivial.
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

// sources returns the points whose data stand for those of all points.
func (n *Network) sources() []int {
	if n.Symmetric() {
		return []int{0}
	}
	return arithmetic.UpTo(n.Points)
}

// Farthest is the largest distance that counts as finite. Anything farther, on rings of more than
// 32768 points, is beyond any useful plan.
const Farthest = math.MaxInt16

// Distances returns how far every point is from a source, -1 if there is no path, or none of at
// most Farthest hops.
func (n *Network) Distances(source int) []int16 {
	if n.from[source] != nil {
		return n.from[source]
	}
	return n.search(source)
}

// search finds the distances from a source, breadth first.
func (n *Network) search(source int) []int16 { return n.searchFrom([]int{source}) }

// searchFrom finds the distances from the nearest of some points.
func (n *Network) searchFrom(sources []int) []int16 {
	dist := slices.Repeat([]int16{-1}, n.Points)
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

// Turned returns the network with all links reversed, on which a reversed gather is a
// reduce-scatter. It is the network itself if a symmetry maps the links onto the reversed ones:
// in a commutative group x -> -x does, and a two-way graph does not change at all.
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

// Reversible reports whether a symmetry reverses all links.
func (n *Network) Reversible() bool { return n.Symmetric() || n.Graph.Bidirectional() }

// Towards is what one step delivers: every point at a distance of Low+1 to High from a source
// gets the source's data, from a point at distance Low on the way. If Only is set, just the
// points that it lists get any.
type Towards struct {
	Low, High int
	Only      []int // of source 0 in a symmetric network; nil: all
}

// targets appends the points that a step reaches from a source, given the distances from it. The
// farthest points come first; the shorter routes to the others then even out the loads.
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

// Way is the route of a part of a source's data to a point: along Path, whose first point has the
// data.
type Way struct {
	Source int
	Part   int
	Path   []int32
	// Modulus, if not 0, says that the data are those of all points with the source's residue.
	Modulus int
	// Share, if not 0, is the share of the data that takes this route. The routes of a source to
	// a point then have shares of the same data, and there are no parts.
	Share float64
	// Replaces says that what arrives takes the place of what the last point has; see walks.
	Replaces bool
	// Of is the part of the first point's value that is sent in an exchange; see windows.
	Of collective.Part
	// Sides are the side sums of the last point to which the data also belong.
	Sides collective.Sides
	// Alone says that the part takes only this route, in an exchange as well.
	Alone bool
}

// Tally is the cost of a step: its hops, and its loads in units of one source's data.
type Tally struct {
	Hops     int
	Peak     float64 // of the busiest link
	Dilation float64 // of the route with the most bytes times hops
	Pair     float64 // of the busiest pair, if that matters
}

// routed is the data on one route, identified by a hash of the path.
type routed struct {
	key   uint64
	delay float64
}

// pathHash multiplies the hash of a path before the next point is added (Knuth's MMIX generator).
// If two paths of one pair collide, a stored-and-forwarded step only looks slower.
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
	var same []routed // parts of one source's data for one point that share a route
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
