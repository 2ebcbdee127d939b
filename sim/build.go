package sim

import (
	"cmp"
	"context"
	"math"
	"math/bits"
	"slices"

	"github.com/lightpath-net/lightpath/fabric"
)

// builder turns a phase into what is simulated.
type builder struct {
	*layout
	options *Options
	class   []int32 // number in the simulation of each bundle of the graph, or -1
	used    []int32 // bundle of the graph for each of the simulation
	inTime  []int32 // streams by when they start, and then in the order of the phase
	k       *kernel
}

// newBuilder lays a phase out. Traffic starts at begin, at node u later by delays[u].
func newBuilder(ctx context.Context, p *Phase, o *Options, granule, begin int64, delays []int64) (*builder, error) {
	l := &layout{
		routing: newRouting(p.union(), !p.Pace), phase: p, order: p.Group.Order(),
		granule: granule, begin: begin, delays: delays,
	}
	if o.Orbit {
		l.order = 1
	}
	if err := l.cut(ctx); err != nil {
		return nil, err
	}
	b := &builder{layout: l, options: o}
	b.findBundles()
	b.inTime = b.sortByStart()
	b.sortHops()
	return b, nil
}

// multiplier returns how many flows each one that is laid out stands for.
func (b *builder) multiplier() int64 { return int64(b.phase.Group.Order() / b.order) }

// home returns the bundle that stands for a bundle of the graph: its image that
// starts at a representative node, or if all are simulated, itself.
func (b *builder) home(e int) int {
	if b.multiplier() == 1 {
		return e
	}
	group := b.phase.Group
	k, r := group.Locate(int(b.from[e]))
	return b.graph.Find(r, group.Back(k, int(b.to[e])))
}

// findBundles numbers the bundles that routes use, in the order of the graph.
func (b *builder) findBundles() {
	b.class = make([]int32, b.graph.Bundles())
	homes := make([]int32, b.graph.Bundles())
	for e := range homes {
		homes[e] = int32(b.home(e))
		b.class[e] = -1
	}
	const taken = 0
	for i := range b.hops {
		b.class[homes[b.hops[i].bundle]] = taken
	}
	for e, c := range b.class {
		if c == taken {
			b.class[e] = int32(len(b.used))
			b.used = append(b.used, int32(e))
		}
	}
	for e, h := range homes {
		b.class[e] = b.class[h]
	}
}

// sortHops brings hops into the order of their bundles, so that what a bundle looks up while it
// serves is in one place. Those of given routes, which are as many as streams have, are then in
// the order, about, in which streams start.
func (b *builder) sortHops() {
	start := make([]int32, len(b.used)+1)
	for i := range b.hops {
		start[b.class[b.hops[i].bundle]+1]++
	}
	for i := range b.used {
		start[i+1] += start[i]
	}
	place := make([]int32, len(b.hops))
	for i := range place {
		place[i] = unplaced
	}
	put := func(h int32) {
		at := &start[b.class[b.hops[h].bundle]]
		place[h] = *at
		*at++
	}
	if b.phase.Routes != nil {
		for _, s := range b.inTime {
			for h := b.streams[s].first; h != arrived && place[h] == unplaced; h = b.hops[h].next {
				put(h)
			}
		}
	}
	for h := range place {
		if place[h] == unplaced {
			put(int32(h))
		}
	}
	sorted := make([]hop, len(b.hops))
	for i, h := range b.hops {
		if h.next != arrived {
			h.next = place[h.next]
		}
		sorted[place[i]] = h
	}
	b.hops = sorted
	for i := range b.streams {
		b.streams[i].first = place[b.streams[i].first]
	}
}

// unplaced marks a hop of which it is not known yet where it goes.
const unplaced = -1

// sortByStart returns the streams by when they start; those that start together stay in the
// order of the phase.
func (b *builder) sortByStart() []int32 {
	first, last := int64(math.MaxInt64), int64(math.MinInt64)
	for i := range b.streams {
		first, last = min(first, b.streams[i].start), max(last, b.streams[i].start)
	}
	list := make([]int32, len(b.streams))
	width := bits.Len(uint(len(list)))
	if first < last && bits.Len64(uint64(last-first))+width > 64 {
		for i := range list {
			list[i] = int32(i)
		}
		slices.SortStableFunc(list, func(x, y int32) int { return cmp.Compare(b.streams[x].start, b.streams[y].start) })
		return list
	}
	keys := make([]uint64, len(list))
	for i := range b.streams {
		keys[i] = uint64(b.streams[i].start-first)<<width | uint64(i)
	}
	for i, key := range sortKeys(keys, width) {
		list[i] = int32(key & (1<<width - 1))
	}
	return list
}

// makeKernel builds the kernel of the packet level.
func (b *builder) makeKernel() error {
	o := b.options
	b.k = &kernel{
		packet: int64(o.Packet),
		cut:    o.Forwarding == fabric.CutThrough,
		relay:  int64(o.Relay),
		ranked: o.Priorities && b.hasPriorities(),
		done:   make([]int64, len(b.streams)),
	}
	if err := b.makeBundles(); err != nil {
		return err
	}
	smallest, err := b.measure()
	if err != nil {
		return err
	}
	if err := b.makePipes(smallest); err != nil {
		return err
	}
	b.makeSources()
	if b.phase.Pace {
		return b.makePace()
	}
	return nil
}

// hasPriorities reports whether any two streams differ in priority.
func (b *builder) hasPriorities() bool {
	return slices.ContainsFunc(b.streams, func(s stream) bool { return s.priority != b.streams[0].priority })
}

// makeBundles makes queues and circuits.
func (b *builder) makeBundles() error {
	k := b.k
	k.bundles = make([]bundle, len(b.used))
	k.clock = make([]int64, len(b.used))
	k.next = make([]int64, len(b.used))
	k.blocks = make([]int64, (len(b.used)+blockSize-1)/blockSize)
	if k.ranked {
		k.queues = make([]ranking, len(b.used))
	}
	up := &outages{b.phase, b.begin}
	for i, e := range b.used {
		u, v := int(b.from[e]), int(b.to[e])
		bps, delay, err := b.phase.Network.between(u, v)
		if err != nil {
			return err
		}
		tx, ok := transmit(k.packet, int64(bps))
		if !ok {
			return errTooLong
		}
		if k.cut && delay == 0 {
			return invalid("circuit %d -> %d has no delay: cut-through needs at least 1ps", u, v)
		}
		first := int32(len(k.circuits))
		k.circuits = up.circuits(k.circuits, u, v, b.graph.Count(u, v))
		k.bundles[i] = bundle{
			firstCircuit: first, lastCircuit: int32(len(k.circuits)),
			bps: int64(bps), tx: tx, delay: int64(delay),
		}
		if k.ranked {
			k.bundles[i].queue = &k.queues[i]
		}
		k.next[i] = never
	}
	k.alike = !slices.ContainsFunc(k.bundles, func(b bundle) bool { return b.bps != k.bundles[0].bps })
	return nil
}

// measure counts packet-hops and returns the size of the smallest packet. It makes
// sure that no time leaves 64 bits: nothing can take longer than all packets one
// after another.
func (b *builder) measure() (smallest int64, err error) {
	k := b.k
	total, latest := 0.0, int64(0)
	smallest = k.packet
	over := make([]float64, len(b.class)) // each bundle of the graph, for one packet
	for e, i := range b.class {
		if i >= 0 {
			over[e] = float64(k.bundles[i].tx) + float64(k.bundles[i].delay)
		}
	}
	for i := range b.streams {
		s := &b.streams[i]
		packets := packetsOf(s.bytes, k.packet)
		each := 0.0
		for h := s.first; h != arrived; h = b.hops[h].next {
			each += over[b.hops[h].bundle]
			k.total += packets
		}
		total += float64(packets) * each
		latest = max(latest, s.start)
		if rest := s.bytes % k.packet; rest > 0 {
			smallest = min(smallest, rest)
		}
	}
	if total+float64(latest) > longest {
		return 0, errTooLong
	}
	return smallest, nil
}

// makeSources gives every bundle the streams that start there, in order of time and then
// of the phase. The kernel numbers streams in this order, so that those which it looks at
// together are in one place.
func (b *builder) makeSources() {
	k := b.k
	at := make([]int32, len(b.streams)) // the bundle where each starts
	for i := range at {
		at[i] = b.class[b.hops[b.streams[i].first].bundle]
	}
	start, list := group(len(b.inTime), len(k.bundles), func(i int) int { return int(at[b.inTime[i]]) })
	k.number = list
	k.streams = make([]stream, len(list))
	for j, i := range list {
		list[j] = b.inTime[i]
		k.streams[j] = b.streams[list[j]]
	}
	k.sources = make([]feed, len(k.bundles))
	for i := range k.sources {
		first, last := start[i], start[i+1]
		k.sources[i] = feed{next: first, last: last}
		if first < last {
			k.next[i] = k.streams[first].start
		}
	}
}
