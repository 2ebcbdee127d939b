package fluid

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/lightpath-net/lightpath/sim/traffic"
)

// fluid simulates one phase at flow level: streams drain at max-min fair rates. A stream is
// complete when it has drained and its last bit has crossed every circuit. With
// store-and-forward a packet is also serialised again on every further circuit.
type fluid struct {
	*traffic.Traffic
	options Options
	number  []int32 // of each stream in the layout
	rates   *levels
	lines   []traffic.Line
	alike   bool    // all lines are
	now     float64 // ps
	done    []int64
	drained int
	events  int64
	kept    float64 // the longest time in ps for which rates were kept while streams came or went
}

// betweenReports is how many events there are between two reports of progress.
const betweenReports = 64

// simultaneous is the difference in ps up to which two events count as one: it is below the
// resolution of integer ps, and above the rounding of times of some hours.
const simultaneous = 1e-3

// Options say how streams are sent.
type Options struct {
	Packet int64   // bytes
	Stored bool    // a node has a whole packet before it forwards it
	Exact  bool    // keep rates exact, however long that takes
	Coarse float64 // fraction of the time so far by which streams may end late, to end together
}

// Run runs the flow level on traffic, which it overwrites. The error is a *Down if a
// stream finds no circuit.
func Run(ctx context.Context, t *traffic.Traffic, o Options, report func(now, done, total int64)) (*traffic.Tally, error) {
	f := &fluid{Traffic: t, options: o, done: make([]int64, len(t.Streams)), now: float64(t.Begin)}
	lines, capacity, resizings, err := f.capacities()
	if err != nil {
		return nil, err
	}
	for i := range t.Hops {
		t.Hops[i].Bundle = t.Class[t.Hops[i].Bundle]
	}
	f.lines = lines
	f.inOrder()
	f.rates = newLevels(f.Streams, t.Hops, capacity)
	f.alike = !slices.ContainsFunc(lines, func(l traffic.Line) bool { return l != lines[0] })
	if t.Pace {
		if len(resizings) > 0 {
			return nil, traffic.Invalid("flows with a pace need circuits that stay as they are")
		}
		f.atPace(capacity)
		return f.tally()
	}
	if err := f.run(ctx, resizings, report); err != nil {
		return nil, err
	}
	return f.tally()
}

// inOrder numbers streams by their start, so that streams that are active together are close in
// memory.
func (f *fluid) inOrder() {
	f.number = f.InTime
	streams := make([]traffic.Stream, len(f.Streams))
	for i, s := range f.number {
		streams[i] = f.Streams[s]
	}
	f.Streams = streams
}

// atPace gives every stream the same duration: the time of the busiest bundle for all its
// streams.
func (f *fluid) atPace(capacity []float64) {
	work := make([]float64, len(capacity))
	for i := range f.Streams {
		for _, on := range f.rates.route(int32(i)) {
			work[on] += float64(f.Streams[i].Bytes) / capacity[on]
		}
	}
	over := 0.0
	for _, w := range work {
		over = max(over, w)
	}
	for i := range f.Streams {
		f.done[i] = f.Streams[i].Start + int64(math.Ceil(over-simultaneous)) + f.latency(int32(i))
		f.events++
	}
}

// run processes events in order: starts and ends of streams, and changes of capacity.
func (f *fluid) run(ctx context.Context, resizings []resizing, report func(now, done, total int64)) error {
	starts := make([]int32, len(f.Streams))
	for i := range starts {
		starts[i] = int32(i)
	}
	allowed := int64(freeWork)
	for f.drained < len(f.Streams) {
		if f.rates.work > allowed && !f.options.Exact {
			return f.sample(ctx, starts, resizings, report)
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if f.events%betweenReports == 0 {
			report(int64(f.now), int64(f.drained), int64(len(f.Streams)))
		}
		fixed := math.Inf(1) // the next event that does not depend on rates
		if len(starts) > 0 {
			fixed = float64(f.Streams[starts[0]].Start)
		}
		if len(resizings) > 0 {
			fixed = min(fixed, float64(resizings[0].at))
		}
		allowed += f.advance(fixed)
		for len(resizings) > 0 && float64(resizings[0].at) <= f.now+slack(f.now) {
			f.rates.resize(resizings[0].bundle, resizings[0].capacity)
			resizings = resizings[1:]
		}
		for len(starts) > 0 && float64(f.Streams[starts[0]].Start) <= f.now+slack(f.now) {
			f.rates.enter(starts[0])
			allowed += f.worth(starts[0]) / 2
			starts = starts[1:]
		}
		f.rates.settle(f.now)
		f.events++
		if err := f.checkUp(); err != nil {
			return err
		}
	}
	return nil
}

// slack returns how much later than the given time an event may be and still count as
// simultaneous.
func slack(time float64) float64 { return simultaneous + rateTolerance*time }

// advance goes to the next event, which is no later than fixed, and ends the streams that have
// drained by then. It returns half of their worth.
func (f *fluid) advance(fixed float64) (worth int64) {
	b, at := f.rates.ends.next()
	f.now = max(f.now, min(fixed, at))
	until := f.now + slack(f.now)
	if coarse := f.now + f.options.Coarse*(f.now-float64(f.Begin)); fixed > coarse {
		until = max(until, coarse)
	}
	for ; at <= until; b, at = f.rates.ends.next() {
		s := f.rates.streams[b][0]
		f.now = max(f.now, at)
		f.rates.leave(s)
		f.done[s] = int64(math.Ceil(at-simultaneous)) + f.latency(s)
		f.drained++
		worth += f.worth(s) / 2
	}
	return worth
}

// latency returns the time from when a stream has drained until its last bit arrives.
func (f *fluid) latency(s int32) int64 {
	packet := min(f.Streams[s].Bytes, f.options.Packet)
	if route := f.rates.route(s); f.alike && len(route) > 0 {
		sum := int64(len(route)) * f.lines[0].Delay
		if f.options.Stored {
			tx, _ := traffic.Transmit(packet, f.lines[0].Bps)
			sum += int64(len(route)-1) * tx
		}
		return sum
	}
	sum := int64(0)
	for i, b := range f.rates.route(s) {
		sum += f.lines[b].Delay
		if f.options.Stored && i > 0 && !f.lines[b].Cut {
			tx, _ := traffic.Transmit(packet, f.lines[b].Bps)
			sum += tx
		}
	}
	return sum
}

// checkUp reports a stream without a circuit to continue on.
func (f *fluid) checkUp() error {
	if len(f.rates.order) == 0 || f.rates.clusters[f.rates.order[0]].level > 0 {
		return nil
	}
	return f.downOf(slices.MinFunc(f.rates.streams[f.rates.order[0]], func(s, t int32) int { return cmp.Compare(f.number[s], f.number[t]) }))
}

// downOf says which of a stream's bundles is down.
func (f *fluid) downOf(s int32) error {
	for _, b := range f.rates.route(s) {
		if f.rates.capacity[b] > 0 {
			continue
		}
		return &Down{At: int64(f.now), Bundle: b, Stream: f.number[s]}
	}
	return nil
}

// Down says that no circuit of a bundle is up for an active stream.
type Down struct {
	At     int64
	Bundle int32 // of the simulation
	Stream int32
}

func (d *Down) Error() string {
	return fmt.Sprintf("bundle %d is down while stream %d is on its way", d.Bundle, d.Stream)
}

// tally collects what was simulated.
func (f *fluid) tally() (*traffic.Tally, error) {
	done := make([]int64, len(f.done))
	for i, t := range f.done {
		done[f.number[i]] = t
	}
	out := &traffic.Tally{Done: done, Events: f.events, Kept: int64(math.Ceil(f.kept)), Carried: make([]traffic.Carried, len(f.Used))}
	for i := range f.Streams {
		for _, b := range f.rates.route(int32(i)) {
			out.Carried[b].Bytes += f.Streams[i].Bytes
		}
	}
	for b := range out.Carried {
		busy, ok := traffic.Transmit(out.Carried[b].Bytes, f.lines[b].Bps)
		if !ok {
			return nil, traffic.ErrTooLong
		}
		out.Carried[b].Busy = busy
	}
	return out, nil
}
