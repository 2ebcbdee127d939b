package fluid

import (
	"math"
	"slices"

	"github.com/lightpath-net/lightpath/sim/traffic"
)

// levels keeps the rates of streams max-min fair while streams come and go and capacities
// change: no rate can grow without shrinking one that is no larger.
//
// Rates are max-min fair if and only if every stream passes a full bundle on which no other
// stream has a higher rate (Bertsekas and Gallager, Data Networks, 6.5.2). The streams that a
// bundle limits in this way are its cluster and have one rate: the bundle's level. So rates are
// kept per bundle rather than per stream, and streams drain by the clock of their cluster.
//
// Bundles with a cluster are ordered by their levels, and a stream belongs to the first bundle
// of its route in that order. The level of a bundle then depends only on those before it,
//
//	level = (capacity - below) / own,
//
// where below is the rate that streams of other clusters take on it, and own the number of
// passes of its own streams. Between events, these invariants hold for all bundles:
//
//   - below and own are as defined,
//   - the level is that of the formula, up to settled,
//   - levels ascend, and
//   - bundles without a cluster are not overfull.
//
// An event changes below or own of the bundles on one route, and marks them. Marked bundles are
// processed in order. If the level of a bundle changes, the bundles that its cluster passes,
// all later in the order, are marked. If a bundle now fills up before others, it moves ahead of
// them and takes over those of their streams that pass it. So an update processes only what
// depends on the event. It takes O(c + m), where c counts pairs of a bundle whose level changes
// and a bundle that its cluster passes, and m the positions by which bundles move, plus O(n/64)
// bytes of marks for n bundles. If everything depends on everything, c is a large part of all
// pairs: about 1000 per event for 20 000 simultaneous messages on a 12 x 12 torus.
type levels struct {
	routes
	again    []bool // the stream passes a bundle more than once
	bytes    []float64
	of       []int32 // bundle whose cluster a stream is in
	finish   []float64
	at       []int32 // place of a stream in the heap of its cluster
	coming   []int32
	moving   []int32
	capacity []float64
	loads    []load // by bundle
	clusters []cluster
	streams  [][]int32 // of each cluster: a heap, by the clock at which they have drained
	order    []int32   // bundles with a cluster
	todo     places    // of bundles to process
	changed  worklist  // bundles whose first stream drains at another time
	ends     horizon
	filling  *filling
	present  int // number of streams
	now      float64
	updates  int
	work     int64 // so far, in units of about 2 ns
}

// These are the costs of the parts of an update, measured and rounded, in the unit of
// levels.work.
const (
	workOfUpdate = 200
	workOfLook   = 30
	workOfPair   = 2
	workOfBack   = 4
	workOfMove   = 60
)

// load is what a bundle carries, in bytes per ps.
type load struct {
	left        float64 // capacity - below
	enough      float64 // if left is at least this, the bundle need not be processed
	own, passes int32   // of its own cluster's streams, and of all
	place       int32
}

// due returns the place of a bundle, or nowhere if it need not be processed.
func (on *load) due() int32 {
	place := on.place
	if on.left >= on.enough {
		place = nowhere
	}
	return place
}

// rateTolerance is the relative difference up to which two rates count as equal: the rounding
// of some thousand additions.
const rateTolerance = 1e-12

// settled is the relative change of a level that is ignored. It is smaller than the change that
// any stream makes, and larger than the rounding of an addition.
const settled = 1e-14

// overfull is the fraction of its capacity by which a bundle may exceed it through rounding:
// that of as many additions and subtractions as there are between two sums.
const overfull = 1e-11

// between is the number of updates between two recomputed sums of the bundles' loads.
const between = 256

func newLevels(streams []traffic.Stream, hops []traffic.Hop, capacity []float64) *levels {
	n, m := len(capacity), len(streams)
	l := &levels{
		routes: routes{make([]int32, 1, m+1), make([]int32, 0, len(hops))},
		again:  make([]bool, m), bytes: make([]float64, m), of: make([]int32, m), finish: make([]float64, m), at: make([]int32, m),
		capacity: capacity, loads: make([]load, n), clusters: make([]cluster, n), streams: make([][]int32, n), order: make([]int32, 0, n), todo: newPlaces(2 * n),
		changed: newWorklist(n), ends: newHorizon(n),
	}
	met := make([]int32, n) // by bundle: 1 + the last stream seen to pass it
	for s := range streams {
		for h := streams[s].First; h != traffic.Arrived; h = hops[h].Next {
			b := hops[h].Bundle
			l.hops = append(l.hops, b)
			l.again[s] = l.again[s] || met[b] == int32(s)+1
			met[b] = int32(s) + 1
		}
		l.first = append(l.first, int32(len(l.hops)))
		l.bytes[s] = float64(streams[s].Bytes)
	}
	for b := range l.loads {
		l.loads[b].left = capacity[b]
		l.put(int32(b), l.apart(int32(b)))
	}
	return l
}

// apart returns the place of a bundle without a cluster: after all others.
func (l *levels) apart(b int32) int32 { return int32(len(l.loads)) + b }

// put gives a bundle its place. One without a cluster is processed only if it is overfull.
func (l *levels) put(b, place int32) {
	l.loads[b].place, l.loads[b].enough = place, math.Inf(1)
	if place >= l.apart(0) {
		l.loads[b].enough = -overfull * l.capacity[b]
	}
}

// enter adds a stream. It counts from the next settle on.
func (l *levels) enter(s int32) { l.coming = append(l.coming, s) }

// leave removes a stream.
func (l *levels) leave(s int32) {
	for _, e := range l.route(s) {
		l.loads[e].passes--
	}
	l.remove(l.of[s], s)
	l.present--
	l.renew(l.of[s])
}

// resize changes the capacity of a bundle.
func (l *levels) resize(b int32, capacity float64) {
	l.loads[b].left += capacity - l.capacity[b]
	l.capacity[b] = capacity
	l.put(b, l.loads[b].place)
	l.todo.mark(l.loads[b].place)
}

// settle computes the rates from the given time on, after streams have come and gone.
func (l *levels) settle(now float64) {
	l.now = now
	l.work += workOfUpdate
	if len(l.coming) > max(l.present, len(l.loads)/8) { // more than are present, and more than a few
		l.refill()
	} else {
		l.admit()
	}
	tolerance, moves, patience := rateTolerance, 0, 4*len(l.order)*len(l.order)+1000
	for p := l.todo.next(0); p >= 0; {
		to := l.look(p, tolerance)
		if to <= p {
			if moves++; moves > patience { // rounding must not cause an endless loop
				moves, tolerance = 0, 10*tolerance
			}
		}
		p = l.todo.next(to)
	}
	for _, b := range l.changed.take() {
		l.renew(b)
	}
	if l.updates++; l.updates%between == 0 {
		l.sum()
	}
}

// admit adds new streams to the clusters of the first bundles of their routes. If no bundle of
// a route has a cluster, the stream goes to the bundle that has the least left.
func (l *levels) admit() {
	for _, s := range l.coming {
		route := l.route(s)
		best := route[0]
		for _, b := range route {
			l.loads[b].passes++
			if l.before(&l.loads[b], &l.loads[best]) {
				best = b
			}
		}
		if l.loads[best].place == l.apart(best) {
			l.insert(best)
		}
		l.join(best, s, l.bytes[s])
		l.present++
	}
	l.coming = l.coming[:0]
}

// join adds a stream with the given bytes to go to a cluster.
func (l *levels) join(b, s int32, bytes float64) {
	l.clusters[b].run(l.now)
	l.finish[s] = l.clusters[b].clock + bytes
	l.add(b, s)
}

// before reports whether a bundle precedes another in the order or, if both have no cluster,
// has less left.
func (l *levels) before(x, y *load) bool {
	if n := l.apart(0); x.place < n || y.place < n {
		return x.place < y.place
	}
	return x.left < y.left
}

// insert appends a bundle to the order.
func (l *levels) insert(b int32) {
	l.todo.clear(l.loads[b].place)
	l.put(b, int32(len(l.order)))
	l.order = append(l.order, b)
	l.todo.mark(l.loads[b].place)
}

// look updates the level of the bundle at a place, and returns the place to go on from.
func (l *levels) look(p int32, tolerance float64) int32 {
	l.work += workOfLook
	l.todo.clear(p)
	b := p - l.apart(0)
	if b < 0 {
		b = l.order[p]
	}
	on := &l.loads[b]
	if on.own == on.passes {
		on.left = l.capacity[b] // rounding ends here
	}
	isOverfull := on.left < -overfull*l.capacity[b]
	switch {
	case p < l.apart(0) && on.own == 0 && !isOverfull:
		l.close(p)
		return p
	case p >= l.apart(0) && isOverfull:
		l.insert(b)
		return on.place
	case p >= l.apart(0):
		return p + 1
	}
	at, share := l.back(b, p, tolerance)
	if at < p {
		l.shift(b, p, at)
	}
	change := share - l.clusters[b].level
	if math.Abs(change) <= settled*share {
		return at + 1
	}
	c := &l.clusters[b]
	c.run(l.now)
	l.changed.add(b)
	l.clusters[b].level = share
	l.work += workOfPair * int64(len(c.over))
	loads, todo := l.loads, &l.todo
	for _, x := range c.over {
		on := &loads[x.bundle]
		on.left -= float64(x.passes) * change
		todo.mark(on.due())
	}
	if change > 0 && int(at)+1 < len(l.order) {
		l.todo.mark(at + 1) // that bundle may now be full before this one
	}
	return at + 1
}

// back returns the place, at p or before, where a bundle belongs, and its level there. It moves
// streams that pass the bundle to its cluster from the clusters of bundles that fill up later.
func (l *levels) back(b, p int32, tolerance float64) (at int32, share float64) {
	share = l.share(b)
	from := p
	for ; p > 0; p-- {
		last := l.order[p-1]
		if share >= l.clusters[last].level*(1-tolerance) {
			break
		}
		if l.loads[b].own < l.loads[b].passes && l.clusters[last].passes(b) {
			l.hand(last, b)
			share = l.share(b)
		}
	}
	l.work += workOfBack * int64(from-p)
	return p, max(0, share)
}

// share returns what a bundle has for each of its own passes, negative if it has none.
func (l *levels) share(b int32) float64 {
	if l.loads[b].own == 0 {
		return -1
	}
	return l.loads[b].left / float64(l.loads[b].own)
}

// hand moves the streams of one cluster that pass the other's bundle to the other cluster.
func (l *levels) hand(from, to int32) {
	c := &l.clusters[from]
	c.run(l.now)
	l.moving = l.moving[:0]
	for _, s := range l.streams[from] {
		if slices.Contains(l.route(s), to) {
			l.moving = append(l.moving, s)
		}
	}
	l.work += workOfMove * int64(len(l.moving))
	for _, s := range l.moving {
		left := l.finish[s] - c.clock
		l.remove(from, s)
		l.join(to, s, left)
	}
}

// shift moves a bundle from one place to an earlier one.
func (l *levels) shift(b, from, to int32) {
	for i := from; i > to; i-- {
		l.order[i] = l.order[i-1]
		l.loads[l.order[i]].place = i
		l.todo.move(i-1, i)
	}
	l.order[to], l.loads[b].place = b, to
	if int(from)+1 < len(l.order) {
		l.todo.mark(from + 1) // another bundle now precedes it
	}
}

// close removes the bundle at a place, which has no stream left, from the order.
func (l *levels) close(p int32) {
	b := l.order[p]
	last := int32(len(l.order) - 1)
	for i := p; i < last; i++ {
		l.order[i] = l.order[i+1]
		l.loads[l.order[i]].place = i
		l.todo.move(i+1, i)
	}
	l.order = l.order[:last]
	if p < last {
		l.todo.mark(p) // another bundle now precedes it
	}
	l.put(b, l.apart(b))
	l.clusters[b].level = 0
	l.changed.add(b)
}

// sum recomputes the loads of bundles, which ends the accumulation of rounding.
func (l *levels) sum() {
	for b := range l.loads {
		l.loads[b].left = l.capacity[b]
	}
	for _, b := range l.order {
		for _, x := range l.clusters[b].over {
			l.loads[x.bundle].left -= float64(x.passes) * l.clusters[b].level
		}
	}
}
