package packet

import "github.com/lightpath-net/lightpath/sim/traffic"

// serveBundle serves packets in order of arrival on parallel circuits: each takes the circuit
// on which it can start first, the lowest number among equals. Packets are served one at a time
// here, and form trains again behind the circuits.
func (w *worker) serveBundle(b int32, now int64) {
	m := &w.merge
	m.open(w.k, b, now)
	for range batch {
		in, n := m.head()
		if n == 0 {
			break
		}
		r := in.head
		if r.n != tail {
			r.n = 1
		}
		w.send(b, &r, in.from != source)
		m.take(in, 1)
	}
	w.settle(b, m)
}

// earliest returns the circuit on which a packet that is present from the given time on can
// start first, and when. It considers circuits that come up while the packet would wait for
// another. If no circuit is up when it becomes free, up is false, and the circuit is the one
// that would be free first.
func (k *Kernel) earliest(b int32, there int64) (circuit int32, start int64, up bool) {
	circuits := k.circuitsOf(b)
	start = traffic.Never
	dark, darkStart := int32(0), int64(traffic.Never)
	for i := range circuits {
		c := &circuits[i]
		s := max(there, c.free)
		if on, off := c.Around(s); s >= on && s < off {
			up = true
		} else {
			if s < darkStart {
				dark, darkStart = int32(i), s
			}
			if on < s {
				continue // it does not come up again
			}
			s = on
		}
		if s < start {
			circuit, start = int32(i), s
		}
	}
	if !up {
		return dark, darkStart, false
	}
	return circuit, start, true
}

// send puts one packet on a circuit.
func (w *worker) send(b int32, r *train, transit bool) {
	k := w.k
	bundle := &k.bundles[b]
	circuit, start, up := k.earliest(b, max(r.at, bundle.last))
	c := &k.circuitsOf(b)[circuit]
	c.Advance(start)
	tx, size := k.txOf(bundle, r)
	switch {
	case !up:
		w.blame(Fault{Kind: Dark, At: start, Bundle: b, Stream: r.stream})
	case start+tx > c.Off:
		w.blame(Fault{Kind: CutOff, At: start, Bundle: b, Stream: r.stream})
	}
	if start > max(r.at, c.free) {
		c.idle = append(c.idle, traffic.Interval{Start: max(r.at, c.free), End: start})
	}
	c.free, bundle.last = start+tx, start
	bundle.peak = max(bundle.peak, k.backlog(b, r.at))
	w.count(bundle, size, tx, 1)
	if k.relay > 0 && transit {
		c.held = c.held.push(start+tx, tx, 1, size)
		w.hold(b, r, size, 1)
	}
	w.forward(b, circuit, r, burst{start, tx, tx, 1})
}

// backlog returns the work left at a time in the queue and on the circuits.
func (k *Kernel) backlog(b int32, at int64) int64 {
	work := int64(0)
	if q := k.bundles[b].queue; q != nil {
		work = q.work
	}
	circuits := k.circuitsOf(b)
	for i := range circuits {
		c := &circuits[i]
		work += max(0, c.free-at)
		for len(c.idle) > 0 && c.idle[0].End <= at {
			c.idle = c.idle[1:]
		}
		for _, pause := range c.idle {
			work -= pause.End - max(pause.Start, at)
		}
	}
	return work
}

// count adds n packets to what the bundle carried.
func (w *worker) count(bundle *bundle, size, tx, n int64) {
	bundle.bytes += n * size
	bundle.busy += n * tx
	bundle.packets += n
}

// circuitsOf returns the circuits of a bundle.
func (k *Kernel) circuitsOf(b int32) []circuit {
	return k.circuits[k.bundles[b].firstCircuit:k.bundles[b].lastCircuit]
}

// width returns how many circuits the bundle has.
func (b *bundle) width() int { return int(b.lastCircuit - b.firstCircuit) }
