package packet

import (
	"math/bits"

	"github.com/lightpath-net/lightpath/internal/arithmetic"
	"github.com/lightpath-net/lightpath/sim/traffic"
)

// pacing says how far apart the packets of each stream are.
//
// Let the work of a bundle be the time that its streams take on one of its circuits, divided by
// the number of circuits, and T the largest work of all bundles. A stream of b bytes in packets
// of p has the gap T p/b, rounded up. At this rate it takes T for all of its bytes, and the
// rates of the streams on a bundle add up to at most its capacity. (Streams with time to spare
// take a little longer, and others gain by it: see spreads.) A node hands a packet to a queue
// no sooner than a gap after the previous packet of the stream, both where the stream starts
// and at every node that it passes. (That is a rate-jitter regulator: Zhang and Ferrari,
// Rate-controlled static-priority queueing, INFOCOM 1993; that it does not add to the largest
// delay is shown by Le Boudec and Thiran, Network Calculus, theorem 1.5.2.)
//
// So a packet of m streams on a circuit that takes tx per packet waits for at most one packet
// of every other stream: a queue that is busy from s to t has been handed at most sum((t-s)/gap
// + 1) tx <= (t-s) + m tx, so a packet that arrives at t has left by t + m tx. A regulator
// passes a packet on no later than the largest delay of the hop after the previous regulator
// did. This follows by induction over the packets: the previous packet was passed on by then, a
// gap earlier.
type pacing struct {
	gap   []int64 // by stream
	last  []int64 // when the last packet was passed on, by step
	order []int64 // of steps, for packets that are passed on together
}

// unsent, as the time of the last packet, says that there was none, whatever the gap.
const unsent = -1 << 62

// busiest returns the largest work of a bundle, in ps. A stream counts as its bytes in full
// packets, rounded up.
func (b *assembly) busiest() int64 {
	k := b.k
	work := make([]int64, len(k.bundles))
	for i := range b.Streams {
		s := &b.Streams[i]
		for h := s.First; h != traffic.Arrived; h = b.Hops[h].Next {
			on := b.Class[b.Hops[h].Bundle]
			work[on] += scaled(k.bundles[on].tx, s.Bytes, k.packet)
		}
	}
	most := int64(0)
	for i, w := range work {
		width := int64(k.bundles[i].width())
		most = max(most, arithmetic.CeilDiv(w, width))
	}
	return most
}

// scaled returns a b/c, rounded up, or longest if it is more.
func scaled(a, b, c int64) int64 {
	hi, lo := bits.Mul64(uint64(a), uint64(b))
	lo, carry := bits.Add64(lo, uint64(c-1), 0)
	if hi += carry; hi >= uint64(c) {
		return traffic.Longest
	}
	q, _ := bits.Div64(hi, lo, uint64(c))
	return int64(min(q, traffic.Longest))
}

// makePace gives streams their gaps and puts all their packets into the inboxes of the bundles
// where they start.
func (b *assembly) makePace() error {
	k := b.k
	p := &pacing{
		gap: make([]int64, len(k.streams)), last: make([]int64, len(k.steps)), order: make([]int64, len(k.steps)),
	}
	for i := range p.last {
		p.last[i] = unsent
	}
	b.orderSteps(p.order)
	for i := range k.bundles {
		k.bundles[i].inbox.order = p.order
	}
	over := b.spreads()
	latest := int64(0)
	for i := range k.streams {
		s := &k.streams[i]
		gap := scaled(over[k.number[i]], k.packet, s.Bytes)
		full := s.Bytes / k.packet
		if full > 0 && gap > traffic.Longest/full {
			return traffic.ErrTooLong
		}
		p.gap[i] = gap
		latest = max(latest, s.Start+full*gap)
	}
	if latest > traffic.Longest {
		return traffic.ErrTooLong
	}
	k.pace = p
	for i := range k.sources {
		for f := &k.sources[i]; f.next < f.last; f.next++ {
			b.handOver(int32(i), f.next)
		}
	}
	return nil
}

// handOver puts a stream's packets into the inbox of the bundle where it starts.
func (b *assembly) handOver(bundle, stream int32) {
	k := b.k
	s, box := &k.streams[stream], k.bundles[bundle].inbox
	at, gap := s.Start, k.pace.gap[stream]
	left := s.Bytes / k.packet
	for left > 0 {
		n := int64(1)
		if gap <= widestGap {
			n = min(left, longestTrain)
		}
		d := delivery{train: train{at: at, n: int32(n), stream: stream, step: s.First}}
		if n > 1 {
			d.gap = uint32(gap)
		}
		box.push(&d)
		at += n * gap
		left -= n
	}
	if rest := restOf(s, k.packet); rest > 0 {
		box.push(&delivery{train: train{at: at, gap: rest, n: tail, stream: stream, step: s.First}})
	}
}

// orderSteps numbers the steps of all routes, beginning with the phase's first flow. The images
// of a route have the same numbers, so that ties have the same result in all of them.
func (b *assembly) orderSteps(order []int64) {
	most := 0
	for i := range b.Streams {
		hops := 0
		for h := b.Streams[i].First; h != traffic.Arrived; h = b.Hops[h].Next {
			hops++
		}
		most = max(most, hops)
	}
	number := int64(0)
	for i := range len(b.Flows) - 1 {
		image := number
		for s := b.Flows[i]; s < b.Flows[i+1]; s++ {
			at := image * int64(most)
			for h := b.Streams[s].First; h != traffic.Arrived; h = b.Hops[h].Next {
				order[h] = at
				at++
			}
			image++
		}
		if (i+1)%b.Images == 0 {
			number = image
		}
	}
}

// space passes n packets of a train, which arrive from at on, period apart, to the queue at an
// address, at least their stream's gap apart.
func (w *worker) space(to address, r *train, step int32, at, period, n int64) {
	p := w.k.pace
	gap := p.gap[r.stream]
	due := p.last[step] + gap // earliest time for the first packet
	if r.n == tail {
		at = max(at, due)
		p.last[step] = at
		w.post(to, at, r.gap, tail, r.stream, step)
		return
	}
	held := int64(0) // how many packets go a gap apart; the rest go as they arrive
	switch {
	case at >= due && (n == 1 || period >= gap):
	case period <= gap:
		held, at = n, max(at, due)
	default:
		held = min(n, (due-at)/(period-gap)+1)
	}
	if held > 0 {
		w.postAll(to, r.stream, step, max(at, due), gap, held)
		p.last[step] = max(at, due) + (held-1)*gap
	}
	if held < n {
		w.postAll(to, r.stream, step, at+held*period, period, n-held)
		p.last[step] = at + (n-1)*period
	}
}
