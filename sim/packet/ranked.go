package packet

import (
	"cmp"
	"slices"

	"github.com/lightpath-net/lightpath/sim/traffic"
)

// ranking holds the trains that wait at a bundle: those of each priority in order of arrival.
type ranking struct {
	classes []class // by priority, ascending; some may be empty
	best    int     // no class below it has any train
	size    int     // trains
	work    int64   // ps of one circuit
	since   int64   // when a packet last arrived at an empty queue
	apart   bool    // trains are not joined, so that their arrivals stay known
}

// class is the trains of one priority.
type class struct {
	priority int32
	first    int // index in waiting of the first that has not been served
	waiting  []waiting
}

type waiting struct {
	train
	transit bool
}

// join adds the packets of s, which arrived next, to those of w. Their times of arrival no
// longer matter.
func (w *waiting) join(s *waiting) bool {
	if w.stream != s.stream || w.step != s.step || w.n <= 0 || s.n <= 0 || w.n > longestTrain-s.n {
		return false
	}
	w.n += s.n
	return true
}

// push puts a train behind those of its priority.
func (q *ranking) push(priority int32, r waiting) {
	i, ok := slices.BinarySearchFunc(q.classes, priority, func(c class, p int32) int { return cmp.Compare(c.priority, p) })
	if !ok {
		q.classes = slices.Insert(q.classes, i, class{priority: priority})
	}
	c := &q.classes[i]
	if c.first > len(c.waiting)/2 {
		c.waiting = c.waiting[:copy(c.waiting, c.waiting[c.first:])]
		c.first = 0
	}
	q.best = min(q.best, i)
	if n := len(c.waiting); !q.apart && n > c.first && c.waiting[n-1].join(&r) {
		return
	}
	c.waiting = append(c.waiting, r)
	q.size++
}

// front returns the next train.
func (q *ranking) front() *waiting {
	for q.classes[q.best].first == len(q.classes[q.best].waiting) {
		q.best++
	}
	c := &q.classes[q.best]
	return &c.waiting[c.first]
}

// pop removes the next train.
func (q *ranking) pop() {
	q.front()
	q.classes[q.best].first++
	q.size--
}

// serveRanked serves, whenever a circuit becomes free, the packet of the lowest priority number
// among those that have arrived, including those that arrive in that very picosecond. Unlike in
// order of arrival, a departure is known only when all arrivals up to its start are.
func (w *worker) serveRanked(b int32, now int64) {
	q := w.k.bundles[b].queue
	m := &w.merge
	m.open(w.k, b, now)
	for range batch {
		if q.size == 0 {
			if q.since = m.soonest(); q.since == traffic.Never {
				break
			}
		}
		circuit, start, up := w.k.earliest(b, max(w.k.bundles[b].last, q.since))
		w.absorb(b, m, start)
		if start >= m.limit.at || q.size == 0 {
			break
		}
		w.startBest(b, m, circuit, start, up)
	}
	w.settle(b, m)
	if q.size > 0 {
		_, w.k.next[b], _ = w.k.earliest(b, max(w.k.bundles[b].last, q.since))
	}
}

// absorb queues what arrives up to time until, as far as it is known.
func (w *worker) absorb(b int32, m *merge, until int64) {
	k := w.k
	bundle := &k.bundles[b]
	q := bundle.queue
	for {
		in, n := m.head()
		if n == 0 || in.head.at > until {
			return
		}
		r := in.head
		if r.gap > 0 {
			n = min(n, (until-r.at)/int64(r.gap)+1)
		}
		if r.n != tail {
			r.n = int32(n)
		}
		tx, size := k.txOf(bundle, &r)
		bundle.peak = max(bundle.peak, k.backlog(b, r.at)+tx, k.backlog(b, r.last())+n*tx)
		q.work += n * tx
		transit := in.from != source
		if k.relay > 0 && transit {
			w.hold(b, &r, size, n)
		}
		q.push(k.streams[r.stream].Priority, waiting{r, transit})
		m.take(in, n)
	}
}

// startBest starts the first packets in the queue: on a single circuit, as many of the train as
// start before the next arrival.
func (w *worker) startBest(b int32, m *merge, circuit int32, start int64, up bool) {
	k := w.k
	bundle := &k.bundles[b]
	q := bundle.queue
	best := q.front()
	r := best.train
	tx, size := k.txOf(bundle, &r)
	n := int64(1)
	if bundle.width() == 1 {
		until := min(m.limit.at, m.soonest())
		n = min(r.count(), (until-start-1)/tx+1)
	}
	c := &k.circuitsOf(b)[circuit]
	c.Advance(start)
	switch {
	case !up:
		w.blame(Fault{Kind: Dark, At: start, Bundle: b, Stream: r.stream})
	case start+n*tx > c.Off:
		w.checkUp(b, c, &r, burst{start, tx, tx, n})
	}
	c.free = start + n*tx
	bundle.last = start + (n-1)*tx
	q.work -= n * tx
	w.count(bundle, size, tx, n)
	if k.relay > 0 && best.transit {
		c.held = c.held.push(start+tx, tx, n, size)
	}
	if n < r.count() {
		best.n -= int32(n)
		best.at += n * int64(best.gap)
	} else {
		q.pop()
	}
	w.forward(b, circuit, &r, burst{start, tx, tx, n})
}
