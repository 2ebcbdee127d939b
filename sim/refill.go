package sim

import (
	"math"
	"slices"
)

// refill finds the rates of all streams from nothing: those that are there and those that
// come. It is progressive filling (Bertsekas and Gallager, Data Networks, 6.5.2): all rates
// rise together until a bundle is full, those of its streams are frozen, and so on. What a
// bundle has for each stream that is not frozen only grows meanwhile, so that the first in a
// heap by what that was is moved down until it is the first by what it is.
//
// It takes O(h log n) for h hops of all streams and n bundles.
func (l *levels) refill() {
	streams := l.coming
	for _, b := range l.order {
		c := &l.clusters[b]
		c.run(l.now)
		for _, s := range l.streams[b] {
			l.bytes[s] = l.finish[s] - c.clock
		}
		streams = append(streams, l.streams[b]...)
		l.put(b, l.apart(b))
		l.loads[b].own, l.streams[b] = 0, l.streams[b][:0]
		c.over, c.level, c.clock, c.first = c.over[:0], 0, 0, math.Inf(1)
		l.changed.add(b)
	}
	slices.Sort(streams)
	l.order = l.order[:0]

	members := make([][]int32, len(l.loads))
	all := make([]int32, 0, len(l.hops))
	left := make([]filled, len(l.loads))
	for b, on := range l.loads {
		members[b] = all[len(all) : len(all) : len(all)+int(on.passes)]
		all = all[:len(all)+int(on.passes)]
		left[b] = filled{l.capacity[b], on.passes}
	}
	for _, s := range streams {
		for _, b := range l.route(s) {
			members[b] = append(members[b], s)
		}
		l.of[s] = -1
	}
	var queue shares
	for b := range members {
		if len(members[b]) > 0 {
			queue = append(queue, share{left[b].share(), int32(b)})
		}
	}
	for i := len(queue) / 2; i >= 0; i-- {
		queue.down(i)
	}
	for len(queue) > 0 {
		b := queue[0].bundle
		switch now := left[b].share(); {
		case left[b].open == 0:
			queue[0] = queue[len(queue)-1]
			queue = queue[:len(queue)-1]
			queue.down(0)
		case now > queue[0].rate:
			queue[0].rate = now
			queue.down(0)
		default:
			l.freeze(b, now, members[b], left)
		}
	}
	l.present, l.coming = len(streams), l.coming[:0]
	l.sum()
	l.todo = newPlaces(2 * len(l.loads))
}

// freeze makes those streams of a bundle that are not frozen its cluster.
func (l *levels) freeze(b int32, rate float64, members []int32, left []filled) {
	if k := len(l.order); k > 0 {
		rate = max(rate, l.clusters[l.order[k-1]].level)
	}
	l.put(b, int32(len(l.order)))
	l.order = append(l.order, b)
	l.clusters[b].level, l.clusters[b].since = rate, l.now
	for _, s := range members {
		if l.of[s] >= 0 {
			continue
		}
		l.join(b, s, l.bytes[s])
		for _, e := range l.route(s) {
			left[e].residual -= rate
			left[e].open--
		}
	}
}

// filled is how far the filling of a bundle is.
type filled struct {
	residual float64 // what frozen streams leave of it
	open     int32   // passes of those that are not frozen
}

// share is what it has for each.
func (f *filled) share() float64 { return max(0, f.residual) / float64(max(1, f.open)) }

// shares is a heap of bundles, by what each of their open streams can get.
type shares []share

type share struct {
	rate   float64
	bundle int32
}

// down moves the share at a place away from the top, as far as it belongs.
func (q shares) down(i int) {
	for {
		child := 2*i + 1
		if child >= len(q) {
			return
		}
		if child+1 < len(q) && q[child+1].before(q[child]) {
			child++
		}
		if !q[child].before(q[i]) {
			return
		}
		q[i], q[child] = q[child], q[i]
		i = child
	}
}

func (s share) before(t share) bool {
	return s.rate < t.rate || s.rate == t.rate && s.bundle < t.bundle
}
