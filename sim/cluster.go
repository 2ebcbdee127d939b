package sim

import (
	"math"
	"slices"
)

// cluster is the streams that a bundle holds up. All have the same rate, so that one clock
// tells how far each is: a stream that joins when the clock shows c with b bytes to go has
// drained when it shows c + b.
type cluster struct {
	streams []int32 // a heap, by what the clock shows when they have drained
	over    []passing
	clock   float64 // bytes, as of since
	since   float64
	rate    float64 // bytes per ps
	level   float64 // the rate to come
	opened  int32   // passes over the bundle at that level
	ends    float64 // when the first stream has drained
}

// passing is how often the streams of a cluster pass a bundle.
type passing struct{ bundle, passes int32 }

// run turns the clock on to a time.
func (c *cluster) run(now float64) {
	c.clock += c.rate * (now - c.since)
	c.since = now
	if len(c.streams) == 0 {
		c.clock = 0 // rounding ends here
	}
}

// turn changes to the rate to come.
func (c *cluster) turn(l *levels) {
	if math.Abs(c.level-c.rate) > rateTolerance*c.level || c.level == 0 {
		c.run(l.now)
		c.rate = c.level
	}
	c.next(l)
}

// next notes when the first stream has drained.
func (c *cluster) next(l *levels) {
	c.ends = math.Inf(1)
	if len(c.streams) > 0 && c.rate > 0 {
		c.ends = c.since + (l.finish[c.streams[0]]-c.clock)/c.rate
	}
}

// passes reports whether a stream of the cluster passes a bundle.
func (c *cluster) passes(b int32) bool {
	return slices.ContainsFunc(c.over, func(x passing) bool { return x.bundle == b && x.passes > 0 })
}

// count adds to how often a bundle is passed.
func (c *cluster) count(b, by int32) {
	for i := range c.over {
		x := &c.over[i]
		if x.bundle != b {
			continue
		}
		if x.passes += by; x.passes == 0 {
			*x = c.over[len(c.over)-1]
			c.over = c.over[:len(c.over)-1]
		}
		return
	}
	c.over = append(c.over, passing{b, by})
}

// before orders streams by when they have drained and then by number, so that the order is
// always the same.
func (l *levels) before(s, t int32) bool {
	return l.finish[s] < l.finish[t] || l.finish[s] == l.finish[t] && s < t
}

// add puts a stream into a cluster.
func (l *levels) add(b, s int32) {
	c := &l.clusters[b]
	for _, e := range l.route(s) {
		c.count(e, 1)
	}
	l.of[s] = b
	c.streams = append(c.streams, s)
	l.up(c.streams, len(c.streams)-1, s)
}

// remove takes a stream out of a cluster.
func (l *levels) remove(b, s int32) {
	c := &l.clusters[b]
	for _, e := range l.route(s) {
		c.count(e, -1)
	}
	i := int(l.at[s])
	last := c.streams[len(c.streams)-1]
	c.streams = c.streams[:len(c.streams)-1]
	if last != s {
		l.up(c.streams, l.down(c.streams, i, last), last)
	}
}

// up moves a stream from place i towards the top of a heap, as far as it belongs.
func (l *levels) up(heap []int32, i int, s int32) {
	for i > 0 && l.before(s, heap[(i-1)/2]) {
		heap[i] = heap[(i-1)/2]
		l.at[heap[i]] = int32(i)
		i = (i - 1) / 2
	}
	heap[i] = s
	l.at[s] = int32(i)
}

// down moves a stream from place i away from the top, and returns where to.
func (l *levels) down(heap []int32, i int, s int32) int {
	for {
		child := 2*i + 1
		if child >= len(heap) {
			break
		}
		if child+1 < len(heap) && l.before(heap[child+1], heap[child]) {
			child++
		}
		if !l.before(heap[child], s) {
			break
		}
		heap[i] = heap[child]
		l.at[heap[i]] = int32(i)
		i = child
	}
	heap[i] = s
	l.at[s] = int32(i)
	return i
}

// next returns the cluster of which a stream has drained first, and when.
func (l *levels) next() (b int32, at float64) {
	b, at = -1, math.Inf(1)
	for _, e := range l.order[:l.full] {
		if ends := l.clusters[e].ends; ends < at {
			b, at = e, ends
		}
	}
	return b, at
}
