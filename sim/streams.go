package sim

import (
	"context"

	"github.com/lightpath-net/lightpath/units"
)

// Stream is the part of a flow that takes one route.
type Stream struct {
	Flow  int // number of the flow, counting images
	Path  []int32
	Bytes units.Bytes
	Gap   units.Duration // between packets with Phase.Pace, else 0
}

// Streams divides a phase into streams as the packet level does, in order of their flows. It is
// for simulators in which flows start at times that a phase cannot express.
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
