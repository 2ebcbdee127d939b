package fluid

import "math"

// cluster is the set of streams that a bundle limits. All have the same rate, so one clock
// gives the progress of each: a stream that joins when the clock shows c, with b bytes to go,
// has drained when it shows c + b.
type cluster struct {
	over  []passing // the other bundles of its streams
	clock float64   // in bytes, at time since
	since float64
	level float64 // bytes per ps
	first float64 // clock at which the first stream has drained
}

// passing says how often the streams of a cluster pass a bundle.
type passing struct{ bundle, passes int32 }

// run advances the clock to a time.
func (c *cluster) run(now float64) {
	c.clock += c.level * (now - c.since)
	c.since = now
}

// passes reports whether a stream of the cluster passes another bundle.
func (c *cluster) passes(b int32) bool {
	for i := range c.over {
		if c.over[i].bundle == b {
			return true
		}
	}
	return false
}

// count adds to the number of passes of a bundle.
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

// pass adds the passes of a stream to those of a cluster, or removes them if by is -1.
func (l *levels) pass(b, s, by int32) {
	c := &l.clusters[b]
	rate := c.level * float64(by)
	last := by < 0 && len(l.streams[b]) == 1
	if last {
		c.over = c.over[:0]
	}
	first := by > 0 && len(l.streams[b]) == 0 && !l.again[s]
	for _, e := range l.route(s) {
		switch {
		case e == b:
			l.loads[b].own += by
		case last:
			l.loads[e].left -= rate
		case first:
			c.over = append(c.over, passing{e, 1})
			l.loads[e].left -= rate
		default:
			c.count(e, by)
			l.loads[e].left -= rate
		}
		l.todo.mark(l.loads[e].due())
	}
	l.changed.add(b)
}

// sooner orders streams by the clock at which they have drained, then by number, so that the
// order is always the same.
func (l *levels) sooner(s, t int32) bool {
	return l.finish[s] < l.finish[t] || l.finish[s] == l.finish[t] && s < t
}

// add puts a stream into a cluster.
func (l *levels) add(b, s int32) {
	l.pass(b, s, 1)
	l.of[s] = b
	l.streams[b] = append(l.streams[b], s)
	l.up(l.streams[b], len(l.streams[b])-1, s)
	l.clusters[b].first = l.finish[l.streams[b][0]]
}

// remove takes a stream out of a cluster.
func (l *levels) remove(b, s int32) {
	l.pass(b, s, -1)
	heap := l.streams[b]
	last := heap[len(heap)-1]
	heap = heap[:len(heap)-1]
	if l.streams[b] = heap; len(heap) == 0 {
		l.clusters[b].first, l.clusters[b].clock = math.Inf(1), 0 // rounding ends here
		return
	}
	if last != s {
		l.up(heap, l.down(heap, int(l.at[s]), last), last)
	}
	l.clusters[b].first = l.finish[heap[0]]
}

// up moves a stream from place i towards the top of a heap, to where it belongs.
func (l *levels) up(heap []int32, i int, s int32) {
	for i > 0 && l.sooner(s, heap[(i-1)/2]) {
		heap[i] = heap[(i-1)/2]
		l.at[heap[i]] = int32(i)
		i = (i - 1) / 2
	}
	heap[i] = s
	l.at[s] = int32(i)
}

// down moves a stream from place i away from the top, and returns its new place.
func (l *levels) down(heap []int32, i int, s int32) int {
	for {
		child := 2*i + 1
		if child >= len(heap) {
			break
		}
		if child+1 < len(heap) && l.sooner(heap[child+1], heap[child]) {
			child++
		}
		if !l.sooner(heap[child], s) {
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
