package packet

import "github.com/lightpath-net/lightpath/sim/traffic"

// inbox collects the arrivals at a bundle that many circuits feed. With a pipe from each of
// them, every round of the bundle would look at all pipes, most of them in vain; so all
// arrivals are in one heap. Serving a train takes O(log t) if t trains wait, whatever the
// number of circuits, and memory is proportional to t.
//
// Less is known in advance than with pipes: nothing arrives sooner than over the shortest way
// from a circuit that starts a packet now. That is enough to make progress. All circuits are
// inspected only for trains that are long enough to make it pay.
type inbox struct {
	waiting []delivery // a heap
	feeders []feeder
	nearest int64 // the smallest lag of a feeder
	// order, if streams are paced, orders deliveries that reach the bundle over the same circuit
	// in the same picosecond: by step.
	order []int64
}

// feeder is a circuit that brings packets.
type feeder struct {
	from int32 // its bundle
	lag  int64 // from a packet's start there to its arrival, at least
}

// delivery is a train that reaches a bundle over the circuit with the given rank, from 1, or,
// if it is paced, from the node itself, with rank 0. A circuit brings one packet at a time, so
// without pace no two deliveries have the same time and rank.
type delivery struct {
	train
	rank int32
}

// post is a delivery that the inbox does not have yet.
type post struct {
	delivery
	bundle int32
}

// address is an inbox, with the rank of the circuit that leads there.
type address struct{ bundle, rank int32 }

// manyPipes is the number of pipes from which on a bundle has an inbox instead: inspecting
// fewer pipes is faster than keeping a heap.
const manyPipes = 12

// smallestInbox is an inbox's initial capacity.
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

// second returns the delivery after the first.
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

// horizon returns the earliest arrival of a train that is not known yet. It inspects all
// feeders, even those with a waiting delivery: what they send next arrives later.
func (x *inbox) horizon(k *Kernel, now int64) int64 {
	soonest := int64(traffic.Never)
	for i := range x.feeders {
		f := &x.feeders[i]
		soonest = min(soonest, max(k.clock[f.from], now)+f.lag)
	}
	return soonest
}

// dispatch sends n packets of a train to an inbox. They arrive from at on, period apart.
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

// postAll posts n full packets, as one train if its gap field can hold their distance.
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

// post sends a train to an inbox. A train that continues the one just sent is merged with it.
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

// collect moves what others have sent to the inboxes of the worker's bundles.
func (w *worker) collect(posts []post) {
	k := w.k
	for i := range posts {
		p := &posts[i]
		k.bundles[p.bundle].inbox.push(&p.delivery)
		k.wake(p.bundle, p.at)
	}
}
