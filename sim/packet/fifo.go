package packet

import "github.com/lightpath-net/lightpath/sim/traffic"

// batch is the most trains that a bundle serves in one round. It is far above what a round
// needs. It keeps bundles with a long queue from splitting trains long before they have to,
// because whole trains take less memory.
const batch = 256

// serveFIFO serves packets in order of arrival on a single circuit, as far as arrivals are
// known.
func (w *worker) serveFIFO(b int32, now int64) {
	k := w.k
	bundle := &k.bundles[b]
	c := &k.circuits[bundle.firstCircuit]
	m := &w.merge
	m.open(k, b, now)
	for range batch {
		in, n := m.head()
		if n == 0 {
			break
		}
		r := &in.head
		tx, size := k.txOf(bundle, r)
		n, start, period := pace(r.at, int64(r.gap), n, c.free, tx)
		end := start + (n-1)*period + tx
		if end > c.Off || start < c.On {
			w.checkUp(b, c, r, burst{start, period, tx, n})
		}
		c.free = end
		bundle.peak = max(bundle.peak, start+tx-r.at, end-r.at-(n-1)*int64(r.gap))
		w.count(bundle, size, tx, n)
		if k.relay > 0 && in.from != source {
			c.held = c.held.push(start+tx, period, n, size)
			w.hold(b, r, size, n)
		}
		w.forward(b, 0, r, burst{start, period, tx, n})
		m.take(in, n)
	}
	w.settle(b, m)
}

// pace computes how a train that arrives from at on, gap apart, passes a circuit that is free
// from free on and takes tx for each packet. It returns how many of the first n packets start
// at one period, the start of the first, and the period.
func pace(at, gap, n, free, tx int64) (served, start, period int64) {
	switch {
	case gap <= tx:
		return n, max(at, free), tx
	case free <= at:
		return n, at, gap
	}
	// Until the queue empties, while the train arrives, packets go back to back.
	if backlogged := (free-at)/(gap-tx) + 1; backlogged < n {
		n = backlogged
	}
	return n, free, tx
}

// settle updates when the bundle starts its next packet.
func (w *worker) settle(b int32, m *merge) {
	k := w.k
	k.next[b] = traffic.Never
	if at := m.soonest(); at < traffic.Never {
		k.next[b] = max(at, k.freeAt(b))
	}
	w.served = append(w.served, b)
}

// freeAt returns when a circuit of the bundle is next free.
func (k *Kernel) freeAt(b int32) int64 {
	bundle := &k.bundles[b]
	free := k.circuits[bundle.firstCircuit].free
	for c := bundle.firstCircuit + 1; c < bundle.lastCircuit; c++ {
		free = min(free, k.circuits[c].free)
	}
	return free
}

// forward passes packets on to the next queue or to their destination.
func (w *worker) forward(b, circuit int32, r *train, sent burst) {
	k := w.k
	start, period, tx, n := sent.start, sent.period, sent.tx, sent.n
	w.events++
	w.hops += n
	if k.observe != nil {
		t := Transmission{Bundle: b, Circuit: circuit, Stream: r.stream, Start: start, Gap: period, Each: tx, Packets: n, Bytes: k.packet, Queued: r.at}
		if _, t.Bytes = k.txOf(&k.bundles[b], r); r.n > 1 {
			t.QueuedGap = int64(r.gap)
		}
		t.First = r.step == k.streams[r.stream].First
		k.observe(t)
	}
	at := k.steps[r.step]
	if at.outlet == traffic.Arrived {
		w.deliver(r.stream, start+tx+k.bundles[b].delay, period, n)
		return
	}
	if at.outlet < traffic.Arrived {
		to := inboxOf(at.outlet)
		w.dispatch(address{to, at.rank + circuit}, r, at.next, start+k.lagTo(to, b, r, tx), period, n)
		return
	}
	o := at.outlet + circuit
	out := &k.outlets[o]
	switch {
	case r.n == tail:
		w.write(o, out, train{start + k.lagTo(out.bundle, b, r, tx), r.gap, tail, r.stream, at.next})
	case n == 1:
		w.write(o, out, train{start + out.lag, 0, 1, r.stream, at.next})
	case period <= widestGap:
		w.write(o, out, train{start + out.lag, uint32(period), int32(n), r.stream, at.next})
	default:
		for j := range n {
			w.write(o, out, train{start + j*period + out.lag, 0, 1, r.stream, at.next})
		}
	}
}

// write puts a train into the ring of an outlet.
func (w *worker) write(o int32, out *outlet, t train) {
	if w.k.rings[out.ring].write(t.at, t.gap, t.n, t.stream, t.step) {
		w.dirty[out.reader] = append(w.dirty[out.reader], o)
	}
}
