package packet

import "github.com/lightpath-net/lightpath/sim/traffic"

// inbox is what reaches a bundle that many circuits feed. A pipe from each of them
// would have to be looked at whenever the bundle serves something, most of them in
// vain; so all arrivals are in one heap. Serving a train takes O(log t) for t that wait,
// whatever the number of circuits, and memory is in proportion to t.
//
// What is known in advance is less than with pipes: nothing arrives sooner than the
// shortest way from a circuit that starts a packet now. That is enough to go on. For
// trains so long that it pays, all circuits are looked at.
type inbox struct {
	waiting []delivery // a heap
	feeders []feeder
	nearest int64 // the smallest lag of a feeder
	// order, if streams are paced, tells deliveries apart that reach the bundle over the
	// same circuit in the same picosecond: by step.
	order []int64
}

// feeder is a circuit over which packets come.
type feeder struct {
	from int32 // its bundle
	lag  int64 // no packet comes sooner after its start there
}

// delivery is a train that reaches a bundle over the circuit of a rank, from 1, or if it
// is paced from the node itself, with rank 0. A circuit brings one packet at a time, so
// without pace no two deliveries are equal in both.
type delivery struct {
	train
	rank int32
}

// post is a delivery on its way.
type post struct {
	delivery
	bundle int32
}

// address is an inbox and by which circuit something gets there.
type address struct{ bundle, rank int32 }

// manyPipes is the number of pipes from which on a bundle has an inbox instead: to look
// at fewer takes less time than to keep a heap.
const manyPipes = 12

// smallestInbox is the deliveries that an inbox has room for from the start.
const smallestInbox = 4

func (x *inbox) before(d, e *delivery) bool {
	if d.at != e.at {
		return d.at < e.at
	}
	if d.rank != e.rank || x.order == nil {
		return d.rank < e.rank
	}
	return x.order[d.step] < x.order[e.step]
}

// push adds a delivery.
func (x *inbox) push(d *delivery) {
	x.waiting = append(x.waiting, *d)
	h := x.waiting
	i := len(h) - 1
	for i > 0 && x.before(d, &h[(i-1)/2]) {
		h[i] = h[(i-1)/2]
		i = (i - 1) / 2
	}
	h[i] = *d
}

// take removes n packets from the first delivery.
func (x *inbox) take(n int64) {
	h := x.waiting
	d := h[0]
	if n < int64(d.n) {
		d.n -= int32(n)
		d.at += n * int64(d.gap)
	} else {
		d = h[len(h)-1]
		h = h[:len(h)-1]
		x.waiting = h
		if len(h) == 0 {
			return
		}
	}
	i := 0
	for {
		child := 2*i + 1
		if child >= len(h) {
			break
		}
		if child+1 < len(h) && x.before(&h[child+1], &h[child]) {
			child++
		}
		if !x.before(&h[child], &d) {
			break
		}
		h[i] = h[child]
		i = child
	}
	h[i] = d
}

// second returns the delivery that is next after the first.
func (x *inbox) second() *delivery {
	switch h := x.waiting; {
	case len(h) < 2:
		return nil
	case len(h) > 2 && x.before(&h[2], &h[1]):
		return &h[2]
	default:
		return &h[1]
	}
}

// horizon returns when the first train may come that is not known yet. It looks at all
// feeders, also at those of which something waits: what they send next comes later.
func (x *inbox) horizon(k *Kernel, now int64) int64 {
	soonest := int64(traffic.Never)
	for i := range x.feeders {
		f := &x.feeders[i]
		soonest = min(soonest, max(k.clock[f.from], now)+f.lag)
	}
	return soonest
}

// dispatch sends n packets of a train, which get there from at on, period apart, to an inbox.
func (w *worker) dispatch(to address, r *train, step int32, at, period, n int64) {
	switch {
	case w.k.pace != nil:
		w.space(to, r, step, at, period, n)
	case r.n == tail:
		w.post(to, at, r.gap, tail, r.stream, step)
	default:
		w.postAll(to, r.stream, step, at, period, n)
	}
}

// postAll posts n full packets, as one train if that can say how far they are apart.
func (w *worker) postAll(to address, stream, step int32, at, gap, n int64) {
	switch {
	case n == 1:
		w.post(to, at, 0, 1, stream, step)
	case gap <= widestGap:
		w.post(to, at, uint32(gap), int32(n), stream, step)
	default:
		for j := range n {
			w.post(to, at+j*gap, 0, 1, stream, step)
		}
	}
}

// post puts a train on its way to an inbox. A train that continues the one sent just
// before becomes one with it.
func (w *worker) post(to address, at int64, gap uint32, n, stream, step int32) {
	reader := w.k.owner[to.bundle/blockSize]
	posts := w.posts[reader]
	if len(posts) > 0 {
		if last := &posts[len(posts)-1]; last.rank == to.rank && last.extend(at, gap, n, stream, step) {
			return
		}
	}
	w.posts[reader] = append(posts, post{delivery{train{at, gap, n, stream, step}, to.rank}, to.bundle})
}

// collect puts what others have sent into the inboxes of the worker's bundles.
func (w *worker) collect(posts []post) {
	k := w.k
	for i := range posts {
		p := &posts[i]
		k.bundles[p.bundle].inbox.push(&p.delivery)
		k.wake(p.bundle, p.at)
	}
}
