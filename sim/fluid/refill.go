package fluid

import (
	"math"
	"slices"
)

// refill computes the rates of all streams, old and new, from scratch.
func (l *levels) refill() {
	for _, s := range l.coming {
		for _, b := range l.route(s) {
			l.loads[b].passes++
		}
	}
	streams := l.takeAll()
	if l.filling == nil {
		l.filling = newFilling(len(l.loads), len(l.bytes))
	}
	l.filling.fill(streams, &l.routes, l.capacity, func(b, s int32, rate float64) {
		if k := len(l.order); k == 0 || l.order[k-1] != b {
			l.put(b, int32(k))
			l.order = append(l.order, b)
			l.clusters[b].level, l.clusters[b].since = rate, l.now
		}
		l.join(b, s, l.bytes[s])
	})
	l.present = len(streams)
	l.sum()
	l.todo = newPlaces(2 * len(l.loads))
}

// takeAll removes all streams, including new ones, and returns them in order. The bytes left of
// each are in bytes.
func (l *levels) takeAll() []int32 {
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
	l.order, l.coming, l.present = l.order[:0], l.coming[:0], 0
	return streams
}
