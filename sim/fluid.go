package sim

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/units"
)

// fluid is the flow level of one phase: streams that drain at max-min fair rates. A
// stream is complete when it has drained and its last bit has crossed every circuit;
// with store-and-forward a packet is also serialised again on every further one.
type fluid struct {
	*builder
	number  []int32 // of each stream in the layout
	rates   *levels
	lines   []line
	alike   bool    // lines
	now     float64 // ps
	done    []int64
	drained int
	events  int64
	kept    float64 // the longest that rates were kept though streams came or went, in ps
}

// simultaneous is how close events may be, in ps, to be one: below what integers of ps
// can tell, and above the rounding of times of some hours.
const simultaneous = 1e-3

// simulateFlows runs the flow level.
func (b *builder) simulateFlows(ctx context.Context, report func(now, done, total int64)) (*outcome, error) {
	lines, capacity, resizings, err := b.capacities()
	if err != nil {
		return nil, err
	}
	for i := range b.hops {
		b.hops[i].bundle = b.class[b.hops[i].bundle]
	}
	n := len(b.streams)
	f := &fluid{builder: b, lines: lines, done: make([]int64, n), now: float64(b.begin)}
	f.inOrder()
	f.rates = newLevels(f.streams, b.hops, capacity)
	f.alike = !slices.ContainsFunc(lines, func(l line) bool { return l != lines[0] })
	if b.phase.Pace {
		if len(resizings) > 0 {
			return nil, invalid("flows with a pace need circuits that stay as they are")
		}
		f.atPace(capacity)
		return f.outcome()
	}
	if err := f.run(ctx, resizings, report); err != nil {
		return nil, err
	}
	return f.outcome()
}

// inOrder numbers streams by when they start, so that those which are on their way together are in
// one place.
func (f *fluid) inOrder() {
	f.number = f.inTime
	streams := make([]stream, len(f.streams))
	for i, s := range f.number {
		streams[i] = f.streams[s]
	}
	f.streams = streams
}

// atPace gives every stream the same time: what the busiest bundle takes for all on it.
func (f *fluid) atPace(capacity []float64) {
	work := make([]float64, len(capacity))
	for i := range f.streams {
		for _, on := range f.rates.route(int32(i)) {
			work[on] += float64(f.streams[i].bytes) / capacity[on]
		}
	}
	over := 0.0
	for _, w := range work {
		over = max(over, w)
	}
	for i := range f.streams {
		f.done[i] = f.streams[i].start + int64(math.Ceil(over-simultaneous)) + f.latency(int32(i))
		f.events++
	}
}

// run goes from event to event: starts and ends of streams, and changes of capacity.
func (f *fluid) run(ctx context.Context, resizings []resizing, report func(now, done, total int64)) error {
	starts := make([]int32, len(f.streams))
	for i := range starts {
		starts[i] = int32(i)
	}
	allowed := int64(freeWork)
	for f.drained < len(f.streams) {
		if f.rates.work > allowed && !f.options.Exact {
			return f.sample(ctx, starts, resizings, report)
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if f.events%patience == 0 {
			report(int64(f.now), int64(f.drained), int64(len(f.streams)))
		}
		fixed := math.Inf(1) // the next event that does not depend on rates
		if len(starts) > 0 {
			fixed = float64(f.streams[starts[0]].start)
		}
		if len(resizings) > 0 {
			fixed = min(fixed, float64(resizings[0].at))
		}
		allowed += f.advance(fixed)
		for len(resizings) > 0 && float64(resizings[0].at) <= f.now+slack(f.now) {
			f.rates.resize(resizings[0].bundle, resizings[0].capacity)
			resizings = resizings[1:]
		}
		for len(starts) > 0 && float64(f.streams[starts[0]].start) <= f.now+slack(f.now) {
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

// slack returns how much later than a time an event may be, to be at that time.
func slack(time float64) float64 { return simultaneous + rateTolerance*time }

// advance goes to the next event, which is no later than fixed, and ends the streams
// that have drained until then. It returns half of what they are worth.
func (f *fluid) advance(fixed float64) (worth int64) {
	b, at := f.rates.ends.next()
	f.now = max(f.now, min(fixed, at))
	until := f.now + slack(f.now)
	if coarse := f.now + f.options.Coarse*(f.now-float64(f.begin)); fixed > coarse {
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

// latency returns how long after a stream has drained its last bit arrives.
func (f *fluid) latency(s int32) int64 {
	packet := min(f.streams[s].bytes, int64(f.options.Packet))
	stored := f.options.Forwarding == fabric.StoreAndForward
	if route := f.rates.route(s); f.alike && len(route) > 0 {
		sum := int64(len(route)) * f.lines[0].delay
		if stored {
			tx, _ := transmit(packet, f.lines[0].bps)
			sum += int64(len(route)-1) * tx
		}
		return sum
	}
	sum := int64(0)
	for i, b := range f.rates.route(s) {
		sum += f.lines[b].delay
		if stored && i > 0 {
			tx, _ := transmit(packet, f.lines[b].bps)
			sum += tx
		}
	}
	return sum
}

// checkUp reports a stream that has no circuit to go on.
func (f *fluid) checkUp() error {
	if len(f.rates.order) == 0 || f.rates.clusters[f.rates.order[0]].level > 0 {
		return nil
	}
	return f.downOf(slices.MinFunc(f.rates.streams[f.rates.order[0]], func(s, t int32) int { return cmp.Compare(f.number[s], f.number[t]) }))
}

// downOf says which circuit of a stream is down.
func (f *fluid) downOf(s int32) error {
	for _, b := range f.rates.route(s) {
		if f.rates.capacity[b] > 0 {
			continue
		}
		u, v := int(f.from[f.used[b]]), int(f.to[f.used[b]])
		at := int64(f.now)
		of := f.flowOf(f.number[s])
		return ofFlow(of, "%w: %d -> %d is down at %v while flow %d is on its way", f.cause(u, v, at), u, v, units.Duration(at), of)
	}
	return nil
}

// outcome collects what was simulated.
func (f *fluid) outcome() (*outcome, error) {
	done := make([]int64, len(f.done))
	for i, t := range f.done {
		done[f.number[i]] = t
	}
	out := &outcome{
		flows: f.completions(done), events: f.events, kept: int64(math.Ceil(f.kept)),
		graph: f.graph, carried: make([]carried, len(f.used)), bundleOf: f.class, multiplier: f.multiplier(),
	}
	for i := range f.streams {
		for _, b := range f.rates.route(int32(i)) {
			out.carried[b].bytes += f.streams[i].bytes
		}
	}
	for b := range out.carried {
		busy, ok := transmit(out.carried[b].bytes, f.lines[b].bps)
		if !ok {
			return nil, errTooLong
		}
		out.carried[b].busy = busy
	}
	return out, nil
}
