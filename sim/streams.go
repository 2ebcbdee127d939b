package sim

import (
	"context"

	"github.com/lightpath-net/lightpath/units"
)

// Stream is the part of a flow that takes one route.
type Stream struct {
	Flow  int // number, images included
	Path  []int32
	Bytes units.Bytes
	Gap   units.Duration // between packets with Phase.Pace, 0 without
}

// Streams returns how the packet level cuts a phase into streams, in order of their flows.
// It is for simulators that know more about the start of flows than a phase can express.
func Streams(ctx context.Context, p *Phase, options Options) ([]Stream, error) {
	o, err := options.complete()
	if err != nil {
		return nil, err
	}
	if err := p.validate(&o); err != nil {
		return nil, err
	}
	b, err := newBuilder(ctx, p, &o, int64(o.Packet), 0, make([]int64, p.Network.Graph.Nodes()))
	if err != nil {
		return nil, err
	}
	list := make([]Stream, len(b.Streams))
	for i := range len(b.Flows) - 1 {
		for s := b.Flows[i]; s < b.Flows[i+1]; s++ {
			path := b.nodes(b.From[b.Hops[b.Streams[s].First].Bundle], b.Streams[s].First)
			list[s] = Stream{Flow: i, Path: path, Bytes: units.Bytes(b.Streams[s].Bytes)}
		}
	}
	if !p.Pace || len(list) == 0 {
		return list, nil
	}
	k, err := b.kernel()
	if err != nil {
		return nil, err
	}
	for i, gap := range k.Gaps() {
		list[i].Gap = units.Duration(gap)
	}
	return list, nil
}
