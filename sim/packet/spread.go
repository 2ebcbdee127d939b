package packet

import (
	"math"

	"github.com/lightpath-net/lightpath/sim/traffic"
)

// spreadRounding is how much longer, relatively, streams take than their bundles require: more
// than the rounding of some thousand additions.
const spreadRounding = 1e-12

// crowd is the load of a bundle.
type crowd struct {
	streams int64   // a stream counts as often as it passes
	tight   float64 // work of streams without time to spare
	slow    float64 // sum of work over time of the other streams
}

// spreads returns how long each stream of a phase with a pace takes to send, in ps and in the
// order of the layout.
//
// All could send over T, the largest work of a bundle. A stream that passes bundles with m
// streams each has then arrived by T + L + q. Here L is its start plus the propagation over its
// route (with store-and-forward also the time of a packet on the further hops), and q is how
// long its packets can wait for one packet of every other stream (see pacing). So streams with
// long routes are last, and others have time to spare. A stream with L + q < max L sends over
//
//	T' = T + min(max L - L - q, max q)
//
// and leaves room on its bundles. Those without time to spare use it to send faster: over the
// largest, on the bundles e of their route, of
//
//	w(e) / (c(e) - sum over the slow streams on e of w/T')
//
// where c(e) is the number of circuits, w the work of a stream on one of them, and w(e) the
// work of all streams on e without time to spare. The rates on a bundle still add up to no more
// than its capacity, fast streams send over at most T, and slow ones have arrived by T + max L:
// the bound on the end of the phase, T + max (L + q), is the same as with T for all.
//
// The time is proportional to the hops of all streams.
func (b *assembly) spreads() []int64 {
	over := float64(b.busiest())
	crowds := make([]crowd, len(b.k.bundles))
	b.eachHop(func(_ int, on int32, _ bool) { crowds[on].streams++ })
	times := b.slowed(over, crowds)
	b.eachHop(func(i int, on int32, _ bool) {
		work := float64(scaled(b.k.bundles[on].tx, b.Streams[i].Bytes, b.k.packet))
		if times[i] > over {
			crowds[on].slow += work / times[i]
		} else {
			crowds[on].tight += work
		}
	})
	fast := make([]float64, len(b.Streams))
	b.eachHop(func(i int, on int32, _ bool) {
		room := float64(b.k.bundles[on].width()) - crowds[on].slow
		fast[i] = max(fast[i], crowds[on].tight/room)
	})
	spreads := make([]int64, len(b.Streams))
	for i, t := range times {
		if t == over {
			t = min(over, fast[i]*(1+spreadRounding))
		}
		spreads[i] = int64(math.Ceil(t))
	}
	return spreads
}

// slowed returns how long streams with time to spare take to send, and over for the others.
func (b *assembly) slowed(over float64, crowds []crowd) []float64 {
	crossing, waiting := make([]float64, len(b.Streams)), make([]float64, len(b.Streams))
	b.eachHop(func(i int, on int32, first bool) {
		x := &b.k.bundles[on]
		crossing[i] += float64(x.delay)
		if !x.cut && !first {
			crossing[i] += float64(x.tx)
		}
		waiting[i] += float64(crowds[on].streams-1) * float64(x.tx) / float64(x.width())
		if x.width() > 1 {
			waiting[i] += float64(x.tx)
		}
	})
	farthest, longest := 0.0, 0.0
	for i := range b.Streams {
		crossing[i] += float64(b.Streams[i].Start - b.Begin)
		farthest, longest = max(farthest, crossing[i]), max(longest, waiting[i])
	}
	times := make([]float64, len(b.Streams))
	for i := range b.Streams {
		rounding := float64(traffic.Packets(b.Streams[i].Bytes, b.k.packet)) // of gaps, up to whole ps
		times[i] = over + max(0, min(farthest-crossing[i]-waiting[i]-rounding, longest))
	}
	return times
}

// eachHop visits the bundles on the routes of all streams.
func (b *assembly) eachHop(visit func(stream int, on int32, first bool)) {
	for i := range b.Streams {
		first := b.Streams[i].First
		for h := first; h != traffic.Arrived; h = b.Hops[h].Next {
			visit(i, b.Class[b.Hops[h].Bundle], h == first)
		}
	}
}
