package balls

import (
	"math"
	"slices"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/internal/arithmetic"
	"github.com/lightpath-net/lightpath/planner/joint/network"
)

// finder chooses the second step: which points send sums to whom, over which parts of their balls,
// and on which routes. It chooses for one receiver at a time, at prices of links that grow with
// their load, and for all receivers several times, each given what all others get.
//
// For one receiver, it takes the missing point that is in the fewest balls first, and of these
// balls the one with the most missing points for its price. In good graphs a far point is in a
// single ball that is near enough, so most choices are forced.
type finder struct {
	*network.Network
	far    int
	ball   []set // by point
	load   []float64
	mean   float64 // of the loads, for the prices
	asides []aside
	gets   [][]message // by receiver
	lack   set         // of the receiver at hand
	part   set         // scratch
	none   set
}

// message is a sum that a point gets in the second step.
type message struct {
	path []int32
	sum  set // of the sender's ball
	side int // the side sum that it is; 0 if it is another part
}

// rounds is how often the messages of every receiver are chosen, less often for many points.
const rounds, choices = 6, 400

// Find returns sums in two steps. The first has the given number of hops, the second as many as
// are left to the diameter. It returns nil if some point would have to keep too many side sums, or
// if it is stopped.
func Find(net *network.Network, near int, stopped func() bool) *Sums {
	f := newFinder(net, near)
	var best [][]message
	var asides []aside
	least := math.Inf(1)
	for range max(2, min(rounds, choices/net.Points)) {
		if !f.round(stopped) {
			break
		}
		if peak := f.peak(); peak < least {
			least, best, asides = peak, slices.Clone(f.gets), slices.Clone(f.asides)
		}
	}
	if best == nil || stopped() {
		return nil
	}
	f.gets, f.asides = best, asides
	return f.sums(near, stopped)
}

// round chooses the messages of every receiver. It reports whether all of them get every point.
func (f *finder) round(stopped func() bool) bool {
	queue := arithmetic.UpTo(f.Points)
	for i := 0; i < len(queue); i++ {
		to := queue[i]
		f.drop(to)
		for {
			if stopped() {
				return false
			}
			stuck, ok := f.choose(to)
			if ok {
				break
			}
			if len(queue) > evictions*f.Points {
				return false
			}
			f.drop(to)
			queue = append(queue, f.evict(to, stuck)...)
		}
	}
	return true
}

// evictions limits how many receivers get other messages because another receiver cannot do without
// one of their side sums, as a multiple of the points.
const evictions = 2

// evict makes room for a side sum of a point that has the stuck point in its ball and is near a
// receiver: it drops the side sum that the fewest receivers get, with all their messages, and
// returns these receivers.
func (f *finder) evict(to, stuck int) (receivers []int) {
	from, side, fewest := -1, 0, math.MaxInt
	for u := range f.Points {
		if d := int(f.Distances(u)[to]); d == 0 || d > f.far || !f.ball[u].has(stuck) {
			continue
		}
		for i, uses := range f.asides[u].uses {
			if uses < fewest {
				from, side, fewest = u, i+1, uses
			}
		}
	}
	for y := range f.gets {
		if slices.ContainsFunc(f.gets[y], func(m message) bool { return int(m.path[0]) == from && m.side == side }) {
			f.drop(y)
			receivers = append(receivers, y)
		}
	}
	return receivers
}

func newFinder(net *network.Network, near int) *finder {
	n := net.Points
	f := &finder{
		Network: net, far: net.Diameter - near, ball: ballsOf(net, near), load: make([]float64, len(net.Width)),
		asides: make([]aside, n), gets: make([][]message, n), mean: Least(net, near),
	}
	f.lack, f.part, f.none = newSet(n), newSet(n), newSet(n)
	return f
}

func (f *finder) peak() float64 {
	peak := 0.0
	for c, l := range f.load {
		peak = max(peak, l/f.Width[c])
	}
	return peak
}

// price returns what it costs to send over a link that carries some load.
func (f *finder) price(class int32) float64 {
	over := (f.load[class] + 1) / f.Width[class] / (f.mean + 1)
	return 1 + over*over*over
}

// cheapest returns the cheapest shortest path between two points, and its price.
func (f *finder) cheapest(from, to int) ([]int32, float64) {
	path, price := []int32{int32(from)}, 0.0
	for at := from; at != to; {
		next, class, least := -1, int32(0), math.Inf(1)
		left := f.Distances(at)[to]
		for _, a := range f.Out[at] {
			if f.Distances(int(a.Node))[to] == left-1 {
				if p := f.price(a.Class); p < least {
					next, class, least = int(a.Node), a.Class, p
				}
			}
		}
		price += f.price(class)
		path = append(path, int32(next))
		at = next
	}
	return path, price
}

// carry adds to the loads of the links of a path.
func (f *finder) carry(path []int32, by float64) {
	for h := 1; h < len(path); h++ {
		for _, a := range f.Out[path[h-1]] {
			if a.Node == path[h] {
				f.load[a.Class] += by
			}
		}
	}
}

// drop forgets what a receiver gets.
func (f *finder) drop(to int) {
	for _, m := range f.gets[to] {
		f.carry(m.path, -1)
		if m.side > 0 {
			f.asides[m.path[0]].uses[m.side-1]--
		}
	}
	f.gets[to] = nil
}

// sums lists the ways of both steps.
func (f *finder) sums(near int, stopped func() bool) *Sums {
	s := &Sums{}
	s.Takes[0], s.First = f.Route(network.Towards{High: near}, 1, true, stopped)
	if stopped() {
		return nil
	}
	for i := range s.First {
		w := &s.First[i]
		w.Modulus = 1
		from, to := int(w.Path[0]), w.Path[len(w.Path)-1]
		for k := range collective.MostSides {
			if a := &f.asides[to]; a.uses[k] > 0 && a.sets[k].has(from) {
				w.Sides |= collective.SidesOf(k + 1)
			}
		}
	}
	twice := 1 // messages from the same sender to the same receiver
	for to := range f.gets {
		for i, m := range f.gets[to] {
			same := 1
			for _, other := range f.gets[to][:i] {
				if other.path[0] == m.path[0] {
					same++
				}
			}
			twice = max(twice, same)
			s.Second = append(s.Second, network.Way{Source: int(m.path[0]), Modulus: 1, Path: m.path, Of: f.partOf(m)})
		}
	}
	s.Takes[1] = network.TallyOf(f.Network, s.Second)
	s.Takes[1].Pair = float64(twice)
	return s
}

// partOf returns the part of the sender's value that a message is.
func (f *finder) partOf(m message) collective.Part {
	from := int(m.path[0])
	own := m.sum.has(from)
	switch {
	case m.side > 0:
		return collective.SidePart(m.side, own)
	case own && m.sum.count() == 1:
		return collective.OwnPart
	case own:
		return collective.WholePart
	}
	return collective.ReceivedPart
}
