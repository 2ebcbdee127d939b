package sim

import (
	"context"
	"math/big"

	"github.com/lightpath-net/lightpath/internal/threads"
	"github.com/lightpath-net/lightpath/units"
)

// simulatePackets runs the packet level.
func (b *builder) simulatePackets(ctx context.Context, phase int, report func(now, done, total int64)) (*outcome, error) {
	if err := b.makeKernel(); err != nil {
		return nil, err
	}
	k := b.k
	workers := threads.AtMost(ctx, b.options.Threads)
	if o := b.options.Observer; o != nil {
		workers = 1
		k.observe = func(t transmission) { o.Transmission(b.describe(phase, t)) }
		for i := range k.queues {
			k.queues[i].apart = true
		}
	}
	first, err := k.run(ctx, workers, func(now, done int64) { report(now, done, k.total) })
	if err != nil {
		return nil, err
	}
	if first != nil {
		return nil, b.explain(first)
	}
	return b.packetOutcome(), nil
}

// packetOutcome collects what the kernel has counted.
func (b *builder) packetOutcome() *outcome {
	k := b.k
	out := &outcome{
		flows: b.completions(k.numbered()), sum: new(big.Int),
		graph: b.graph, carried: make([]carried, len(k.bundles)), bundleOf: b.class, multiplier: b.multiplier(),
	}
	for _, w := range k.workers {
		out.sum.Add(out.sum, w.sum.big())
		out.hops += w.hops
		out.events += w.events
	}
	for i := range b.streams {
		out.packets += packetsOf(b.streams[i].bytes, k.packet)
	}
	for i := range k.bundles {
		c := &k.bundles[i]
		out.carried[i] = carried{c.bytes, c.packets, c.busy, c.peak, c.relayPeak}
	}
	return out
}

// numbered returns when the last packet of each stream of the layout has arrived.
func (k *kernel) numbered() []int64 {
	done := make([]int64, len(k.done))
	for i, t := range k.done {
		done[k.number[i]] = t
	}
	return done
}

// packetsOf returns how many packets of a size bytes need.
func packetsOf(bytes, packet int64) int64 { return (bytes-1)/packet + 1 }

// completions returns when each flow is complete: when its last stream is, or at its
// start if it has none.
func (b *builder) completions(done []int64) []int64 {
	flows := make([]int64, len(b.first)-1)
	for i := range flows {
		streams := done[b.first[i]:b.first[i+1]]
		if len(streams) == 0 {
			flows[i] = b.startOf(i)
		}
		for _, t := range streams {
			flows[i] = max(flows[i], t)
		}
	}
	return flows
}

// describe tells an observer about a transmission.
func (b *builder) describe(phase int, t transmission) Transmission {
	e, stream := b.used[t.bundle], b.k.number[t.stream]
	flow := b.flowOf(stream)
	return Transmission{
		Phase: phase, From: int(b.from[e]), To: int(b.to[e]), Circuit: int(t.circuit), Flow: flow, Route: int(stream - b.first[flow]),
		Packets: t.n, Start: units.Duration(t.start), Gap: units.Duration(t.gap), Each: units.Duration(t.tx),
		Bytes: units.Bytes(t.bytes), Queued: units.Duration(t.queued), QueuedGap: units.Duration(t.apart), Relayed: !t.first,
	}
}
