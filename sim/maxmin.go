package sim

import (
	"cmp"
	"math"
	"slices"
	"sort"
)

// levels keeps the rates of streams max-min fair while streams come and go and capacities
// change: no rate can grow unless one that is not larger shrinks.
//
// It is progressive filling (Bertsekas and Gallager, Data Networks, 6.5.2): all rates rise
// together until a bundle is full, those of its streams are frozen, and so on. The streams
// that a bundle freezes are its cluster, and have one rate: the bundle's level. So rates are
// kept by bundle and not by stream, streams drain by the clock of their cluster, and filling
// takes time in proportion to the bundles that clusters pass, not to streams.
//
// Bundles are kept in the order in which they get full, and those that never do come last. A
// stream belongs to the first bundle of its route in that order. A filling that follows some
// order is right if levels ascend and no bundle is overfull: at an earlier turn a bundle's
// share is a mean of its own level and of those between, which are no lower than that turn's.
// So what was the order before is followed, and a bundle that turns out to be full sooner
// than the one before it goes there, which takes back the levels in between and hands it
// their streams that pass it. Events change the order little.
//
// A stream that leaves was frozen at its own level, and what was full before stays; of one
// that comes, least has how far up everything stays. Filling begins there: at the last of
// some states that were kept on the way.
//
// An update takes O(c + b) for c pairs of a cluster and a bundle that it passes, above where
// it begins, and b bundles, and as much as the levels in between again for every bundle that
// changes its place.
type levels struct {
	first    []int32 // hop of each stream in hops
	hops     []int32 // bundles of all routes, one after the other
	bytes    []float64
	capacity []float64
	clusters []cluster
	order    []int32 // bundles: those that are full, by level, and others
	full     int     // how many are
	place    []int32 // of a bundle in order
	of       []int32 // bundle of a stream's cluster
	finish   []float64
	at       []int32 // place of a stream in the heap of its cluster
	passes   []int32 // of streams over a bundle
	added    []int32 // of those that have come since the last filling
	coming   []int32
	present  int // streams
	floor    float64
	now      float64

	state          // while filling, and what it has left
	kept   []state // before levels 0, stride, 2 stride ..
	todo   []int32
	idle   []int32
	moving []int32
}

// state is how far a filling is.
type state struct {
	residual []float64 // what frozen streams leave of a bundle
	open     []int32   // passes of those that are not frozen
}

func (s *state) copy(from *state) {
	s.residual, s.open = append(s.residual[:0], from.residual...), append(s.open[:0], from.open...)
}

// rateTolerance is how much two rates may differ, relative to them, and be the same
// rate: the rounding of some thousand additions.
const rateTolerance = 1e-12

// overfull is by how much of its capacity a bundle may seem to be overfull: the rounding of
// as many additions and their taking back.
const overfull = 1e-11

func newLevels(streams []stream, hops []hop, capacity []float64) *levels {
	n, m := len(capacity), len(streams)
	l := &levels{
		first: make([]int32, 1, m+1), bytes: make([]float64, m), capacity: capacity, clusters: make([]cluster, n),
		order: make([]int32, n), place: make([]int32, n), of: make([]int32, m), finish: make([]float64, m), at: make([]int32, m),
		passes: make([]int32, n), added: make([]int32, n), floor: math.Inf(1),
	}
	for s := range streams {
		for h := streams[s].first; h != arrived; h = hops[h].next {
			l.hops = append(l.hops, hops[h].bundle)
		}
		l.first = append(l.first, int32(len(l.hops)))
		l.bytes[s] = float64(streams[s].bytes)
	}
	for b := range l.order {
		l.order[b], l.place[b] = int32(b), int32(b)
		l.clusters[b].ends = math.Inf(1)
	}
	l.residual, l.open = slices.Clone(capacity), make([]int32, n)
	return l
}

// route returns the bundles of a stream.
func (l *levels) route(s int32) []int32 { return l.hops[l.first[s]:l.first[s+1]] }

// stride is between the levels before which the state is kept.
func (l *levels) stride() int { return 4 * int(math.Sqrt(float64(len(l.order)))+1) }

// enter lets a stream come. It counts from settle on.
func (l *levels) enter(s int32) {
	for _, b := range l.route(s) {
		l.passes[b]++
		l.added[b]++
		for i := range l.kept {
			l.kept[i].open[b]++
		}
	}
	l.coming = append(l.coming, s)
}

// least returns a level below which the filling of a bundle stays as it is, whatever has
// come. If its level is x, of o streams, and a more come, then at x o/(o+a) it is not full
// yet: those that were frozen below take as much as before, and the o + a others no more
// than x o. If it was not full, it is not before the others have what was left.
func (l *levels) least(b int32) float64 {
	even := l.capacity[b] / float64(l.passes[b])
	if c := &l.clusters[b]; int(l.place[b]) < l.full {
		return max(even, c.rate*float64(c.opened)/float64(c.opened+l.added[b]))
	}
	return max(even, l.residual[b]/float64(l.added[b]))
}

// leave lets a stream go.
func (l *levels) leave(s int32) {
	b := l.of[s]
	l.floor = min(l.floor, l.clusters[b].rate)
	for _, e := range l.route(s) {
		l.passes[e]--
		for i := range l.kept {
			l.kept[i].open[e]--
		}
	}
	l.remove(b, s)
	l.clusters[b].next(l)
	l.present--
}

// resize changes the capacity of a bundle.
func (l *levels) resize(b int32, capacity float64) {
	for i := range l.kept {
		l.kept[i].residual[b] += capacity - l.capacity[b]
	}
	l.residual[b] += capacity - l.capacity[b]
	if m := l.passes[b]; m > 0 {
		l.floor = min(l.floor, min(capacity, l.capacity[b])/float64(m))
	}
	l.capacity[b] = capacity
}

// settle finds the rates from a time on, after streams have come and gone.
func (l *levels) settle(now float64) {
	l.now = now
	l.admit()
	if math.IsInf(l.floor, 1) {
		return
	}
	from := sort.Search(l.full, func(i int) bool {
		return l.clusters[l.order[i]].rate >= l.floor*(1-rateTolerance)
	})
	stride := l.stride()
	if len(l.kept) == 0 {
		from = 0
	}
	from = min(from/stride, max(0, len(l.kept)-1)) * stride
	if from > 0 || len(l.kept) > 0 {
		l.copy(&l.kept[from/stride])
	} else {
		copy(l.residual, l.capacity)
		copy(l.open, l.passes)
	}
	l.fill(from, stride)
	l.floor = math.Inf(1)
}

// admit gives streams that have come to the clusters of the first bundles of their routes.
func (l *levels) admit() {
	if len(l.coming) == 0 {
		return
	}
	if l.present == 0 { // a good order to begin with
		slices.SortStableFunc(l.order, func(a, b int32) int {
			return cmp.Compare(l.capacity[a]*float64(l.passes[b]), l.capacity[b]*float64(l.passes[a]))
		})
		for i, b := range l.order {
			l.place[b] = int32(i)
		}
		l.full, l.kept = 0, nil
	}
	for _, s := range l.coming {
		best := l.route(s)[0]
		for _, b := range l.route(s) {
			l.floor = min(l.floor, l.least(b))
			if l.place[b] < l.place[best] {
				best = b
			}
		}
		l.clusters[best].run(l.now)
		l.finish[s] = l.clusters[best].clock + l.bytes[s]
		l.add(best, s)
		l.present++
	}
	for _, s := range l.coming {
		for _, b := range l.route(s) {
			l.added[b] = 0
		}
	}
	l.coming = l.coming[:0]
}

// fill fills bundles from the given place in the order on.
func (l *levels) fill(from, stride int) {
	l.todo = append(l.todo[:0], l.order[from:]...)
	slices.Reverse(l.todo)
	l.idle = l.idle[:0]
	done := l.order[:from]
	lowest := from // levels from here on may have changed
	tolerance, returned, patience := rateTolerance, 0, 4*len(l.order)*len(l.order)+1000
	for len(l.todo) > 0 || l.recheck() {
		b := l.todo[len(l.todo)-1]
		l.todo = l.todo[:len(l.todo)-1]
		share := -1.0
		if l.open[b] > 0 {
			share = max(0, l.residual[b]) / float64(l.open[b])
		} else if !l.isOverfull(b) {
			l.idle = append(l.idle, b)
			continue
		}
		if len(done) > 0 {
			last := done[len(done)-1]
			level := l.clusters[last].level
			if share < 0 || share < level*(1-tolerance) {
				// b is full before the last one is.
				done = done[:len(done)-1]
				lowest = min(lowest, len(done))
				l.freeze(last, -1)
				l.hand(last, b)
				l.todo = append(l.todo, last, b)
				if returned++; returned > patience { // rounding must not go round in circles
					returned, tolerance = 0, 10*tolerance
				}
				continue
			}
			share = max(share, level)
		}
		if len(done)%stride == 0 {
			l.keep(len(done) / stride)
		}
		c := &l.clusters[b]
		c.level, c.opened = max(0, share), l.open[b]
		l.freeze(b, 1)
		done = append(done, b)
	}
	l.full = len(done)
	l.kept = l.kept[:min(len(l.kept), (l.full+stride-1)/stride)]
	l.order = append(done, l.idle...)
	for i := lowest; i < len(l.order); i++ {
		b := l.order[i]
		l.place[b] = int32(i)
		if i >= l.full {
			l.clusters[b].level = 0
		}
		l.clusters[b].turn(l)
	}
}

// recheck puts a bundle that was not full when it was looked at, and is overfull since levels
// before it have changed, back to be done.
func (l *levels) recheck() bool {
	i := slices.IndexFunc(l.idle, l.isOverfull)
	if i < 0 {
		return false
	}
	l.todo = append(l.todo, l.idle[i])
	l.idle = slices.Delete(l.idle, i, i+1)
	return true
}

// isOverfull reports whether frozen streams take more than a bundle has.
func (l *levels) isOverfull(b int32) bool { return l.residual[b] < -overfull*l.capacity[b] }

// keep notes the state before a level.
func (l *levels) keep(i int) {
	if i == len(l.kept) {
		l.kept = append(l.kept, state{})
	}
	l.kept[i].copy(&l.state)
}

// freeze freezes the streams of a cluster at its level or, with sign -1, takes that back.
func (l *levels) freeze(b int32, sign int32) {
	c := &l.clusters[b]
	rate := c.level * float64(sign)
	for _, x := range c.over {
		l.residual[x.bundle] -= float64(x.passes) * rate
		l.open[x.bundle] -= sign * x.passes
	}
}

// hand gives the streams of one cluster that pass the bundle of another to that.
func (l *levels) hand(from, to int32) {
	c := &l.clusters[from]
	if !c.passes(to) {
		return
	}
	c.run(l.now)
	l.clusters[to].run(l.now)
	l.moving = l.moving[:0]
	for _, s := range c.streams {
		if slices.Contains(l.route(s), to) {
			l.moving = append(l.moving, s)
		}
	}
	for _, s := range l.moving {
		l.remove(from, s)
		l.finish[s] += l.clusters[to].clock - c.clock
		l.add(to, s)
	}
}
