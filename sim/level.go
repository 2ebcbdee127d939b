package sim

import (
	"context"
	"errors"
	"fmt"

	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/internal/threads"
	"github.com/lightpath-net/lightpath/sim/fluid"
	"github.com/lightpath-net/lightpath/sim/packet"
	"github.com/lightpath-net/lightpath/sim/traffic"
	"github.com/lightpath-net/lightpath/units"
)

// Level is the granularity of a simulation.
type Level string

// The levels.
const (
	PacketLevel Level = "packet" // exact, packet by packet
	FlowLevel   Level = "flow"   // flows share circuits max-min fairly
)

// ParseLevel returns the level of that name.
func ParseLevel(name string) (Level, error) {
	switch l := Level(name); l {
	case PacketLevel, FlowLevel:
		return l, nil
	}
	return "", fmt.Errorf("unknown level %q: want %q or %q", name, FlowLevel, PacketLevel)
}

// simulatePackets runs the packet level.
func (b *builder) simulatePackets(ctx context.Context, phase int, report func(now, done, total int64)) (*outcome, error) {
	k, err := b.kernel()
	if err != nil {
		return nil, err
	}
	workers := threads.AtMost(ctx, b.options.Threads)
	if o := b.options.Observer; o != nil {
		workers = 1
		k.Watch(func(t packet.Transmission) { o.Transmission(b.describe(phase, t)) })
	}
	first, err := k.Run(ctx, workers, report)
	if err != nil {
		return nil, err
	}
	if first != nil {
		return nil, b.explain(first)
	}
	return b.outcome(k.Tally()), nil
}

// kernel makes the kernel of the packet level.
func (b *builder) kernel() (*packet.Kernel, error) {
	o := b.options
	return packet.New(b.Traffic, packet.Options{
		Packet: int64(o.Packet), CutThrough: o.Forwarding == fabric.CutThrough, Relay: int64(o.Relay), Priorities: o.Priorities,
	})
}

// simulateFlows runs the flow level.
func (b *builder) simulateFlows(ctx context.Context, report func(now, done, total int64)) (*outcome, error) {
	o := b.options
	t, err := fluid.Run(ctx, b.Traffic, fluid.Options{
		Packet: int64(o.Packet), Stored: o.Forwarding == fabric.StoreAndForward, Exact: o.Exact, Coarse: o.Coarse,
	}, report)
	var d *fluid.Down
	if errors.As(err, &d) {
		e, at := b.Used[d.Bundle], d.At
		u, v, of := int(b.From[e]), int(b.To[e]), b.flowOf(d.Stream)
		return nil, ofFlow(of, "%w: %d -> %d is down at %v while flow %d is on its way", b.cause(u, v, at), u, v, units.Duration(at), of)
	}
	if err != nil {
		return nil, err
	}
	return b.outcome(t), nil
}

// outcome translates the results of streams and bundles to flows and the graph.
func (b *builder) outcome(t *traffic.Tally) *outcome {
	return &outcome{Tally: t, flows: b.completions(t.Done), graph: b.graph, bundleOf: b.Class, multiplier: b.multiplier()}
}

// completions returns when each flow is complete: when its last stream is, or at its start if
// it has none.
func (b *builder) completions(done []int64) []int64 {
	flows := make([]int64, len(b.Flows)-1)
	for i := range flows {
		streams := done[b.Flows[i]:b.Flows[i+1]]
		if len(streams) == 0 {
			flows[i] = b.startOf(i)
		}
		for _, t := range streams {
			flows[i] = max(flows[i], t)
		}
	}
	return flows
}

// describe converts a transmission for an observer.
func (b *builder) describe(phase int, t packet.Transmission) Transmission {
	e, stream := b.Used[t.Bundle], t.Stream
	flow := b.flowOf(stream)
	return Transmission{
		Phase: phase, From: int(b.From[e]), To: int(b.To[e]), Circuit: int(t.Circuit), Flow: flow, Route: int(stream - b.Flows[flow]),
		Packets: t.Packets, Start: units.Duration(t.Start), Gap: units.Duration(t.Gap), Each: units.Duration(t.Each),
		Bytes: units.Bytes(t.Bytes), Queued: units.Duration(t.Queued), QueuedGap: units.Duration(t.QueuedGap), Relayed: !t.First,
	}
}
