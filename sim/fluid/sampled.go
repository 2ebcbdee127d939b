package fluid

import (
	"context"
	"math"
	"slices"

	"github.com/lightpath-net/lightpath/sim/traffic"
)

// sampled is the flow level for traffic whose exact rates would take longer to compute than its
// packets to simulate: thousands of small messages on full circuits, where every start and
// every end changes most other rates.
//
// All rates are recomputed only from time to time (filling) and kept in between. Meanwhile, a
// message that starts gets the minimum, over the bundles of its route, of
//
//	max(capacity / (streams + 1), what is left, or the rate at which the bundle was full)
//
// and the bandwidth of a message that ends stays unused. How long rates are kept depends on the
// cost of computing them, which is kept to a fraction of what packets would cost for the
// messages that start or end meanwhile. So the time is O(packets hops) for all messages
// together, and the more packets a message has, the more often its rate is updated. Times are
// not exact: TestSampledRatesAreClose measures the error.
type sampled struct {
	*fluid
	filling *filling
	present []int32
	rate    []float64
	left    []float64 // in bytes, when rates were computed
	width   float64   // for how long rates are kept, in ps
	longest float64
}

// worthOfRoute is the most packets per message that count when work is compared with that of
// packets, because long messages are sent in trains.
const worthOfRoute = 24

// workOfPacket is the work on rates that corresponds to one packet on one hop, in the unit of
// levels.work: 56 ns, somewhat less than the 60 to 90 ns that simulating it takes.
const workOfPacket = 28

// partOfPackets is the fraction of the packets' time that may be spent on recomputing rates.
const partOfPackets = 0.6

// freeWork is the work that is always allowed: what takes less than 1 ms is exact.
const freeWork = 300_000

// worth returns the cost of simulating a stream's packets, in the unit of levels.work.
func (f *fluid) worth(s int32) int64 {
	packets := min(traffic.Packets(f.Streams[s].Bytes, f.options.Packet), worthOfRoute)
	return workOfPacket * packets * int64(len(f.rates.route(s)))
}

// sample takes over when exact rates have become too expensive.
func (f *fluid) sample(ctx context.Context, starts []int32, resizings []resizing, report func(now, done, total int64)) error {
	n := len(f.Streams)
	x := &sampled{fluid: f, filling: newFilling(len(f.lines), n), rate: make([]float64, n), left: f.rates.bytes}
	x.present = slices.Clone(f.rates.takeAll())
	x.width = (f.now-float64(f.Begin))/float64(f.events+1) + 1
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		for len(resizings) > 0 && float64(resizings[0].at) <= f.now+slack(f.now) {
			f.rates.capacity[resizings[0].bundle] = resizings[0].capacity
			resizings = resizings[1:]
		}
		if len(x.present) == 0 && len(starts) == 0 {
			f.kept = x.longest
			return nil
		}
		if f.events%betweenReports == 0 {
			report(int64(f.now), int64(f.drained), int64(n))
		}
		if len(x.present) == 0 {
			f.now = max(f.now, float64(f.Streams[starts[0]].Start))
		}
		x.filling.fill(x.present, &f.rates.routes, f.rates.capacity, func(_, s int32, rate float64) { x.rate[s] = rate })
		f.events++
		until := f.now + x.width
		if len(resizings) > 0 {
			until = min(until, float64(resizings[0].at))
		}
		count := 0
		for count < len(starts) && float64(f.Streams[starts[count]].Start) < until {
			count++
		}
		if err := x.keep(starts[:count], until); err != nil {
			return err
		}
		starts = starts[count:]
	}
}

// keep advances to a time at the current rates, and starts streams on the way.
func (x *sampled) keep(starting []int32, until float64) error {
	earned := int64(0)
	here := x.present
	x.present = x.present[:0]
	for _, s := range here {
		if x.rate[s] <= 0 {
			return x.downOf(s)
		}
		if !x.drain(s, x.now, until) {
			earned += x.worth(s) / 2
		}
	}
	for _, s := range starting {
		earned += x.worth(s) / 2
		if x.rate[s] = x.offer(s); x.rate[s] <= 0 {
			return x.downOf(s)
		}
		if !x.drain(s, float64(x.Streams[s].Start), until) {
			earned += x.worth(s) / 2
		}
	}
	x.longest = max(x.longest, until-x.now)
	x.now = until
	x.width *= min(4, max(0.25, float64(x.filling.work)/(partOfPackets*float64(earned+1))))
	return nil
}

// drain advances a stream from one time to another, and reports whether it has more to send.
func (x *sampled) drain(s int32, from, until float64) bool {
	if end := from + x.left[s]/x.rate[s]; end <= until {
		x.done[s] = int64(math.Ceil(end-simultaneous)) + x.latency(s)
		x.drained++
		return false
	}
	x.left[s] -= x.rate[s] * (until - from)
	x.present = append(x.present, s)
	return true
}

// offer takes the rate for a stream that starts while rates are kept, and returns it.
func (x *sampled) offer(s int32) float64 {
	rate := math.Inf(1)
	for _, b := range x.rates.route(s) {
		on := x.onBundle(b)
		on.passes++
		rate = min(rate, max(x.rates.capacity[b]/float64(on.passes), on.residual, on.level))
	}
	for _, b := range x.rates.route(s) {
		x.filling.left[b].residual -= rate
	}
	return rate
}

// onBundle returns the state of a bundle, even if no stream passed it when rates were computed.
func (x *sampled) onBundle(b int32) *filled {
	on := &x.filling.left[b]
	if on.passes == 0 {
		on.residual = x.rates.capacity[b]
		x.filling.touched = append(x.filling.touched, b)
	}
	return on
}
