package sim

import (
	"context"

	"github.com/lightpath-net/lightpath/sim/traffic"
)

// builder cuts a phase into streams. Flow i of the phase, under element k of its group, is flow
// i*order + k here; only representatives are simulated if order is 1.
type builder struct {
	*routing
	phase   *Phase
	options *Options
	granule int64 // bytes; only the last of a flow may be less
	delays  []int64
}

// newBuilder lays a phase out. Traffic starts at begin, at node u later by delays[u].
func newBuilder(ctx context.Context, p *Phase, o *Options, granule, begin int64, delays []int64) (*builder, error) {
	b := &builder{routing: newRouting(p.union(), !p.Pace), phase: p, options: o, granule: granule, delays: delays}
	b.Images, b.Begin, b.Group, b.Pace, b.Line = p.Group.Order(), begin, p.Group, p.Pace, b.lineOf
	if o.Orbit {
		b.Images = 1
	}
	if err := b.cut(ctx); err != nil {
		return nil, err
	}
	b.Number(b.home)
	b.Sort(p.Routes != nil)
	return b, nil
}

// multiplier returns how many flows each one that is laid out stands for.
func (b *builder) multiplier() int64 { return int64(b.phase.Group.Order() / b.Images) }

// home returns the bundle that stands for a bundle of the graph: its image that
// starts at a representative node, or if all are simulated, itself.
func (b *builder) home(e int) int {
	if b.multiplier() == 1 {
		return e
	}
	group := b.phase.Group
	k, r := group.Locate(int(b.From[e]))
	return b.graph.Find(r, group.Back(k, int(b.To[e])))
}

// lineOf returns what the circuits of a bundle of the simulation are like, and when they are up.
func (b *builder) lineOf(i int, up []traffic.Uptime) (traffic.Line, []traffic.Uptime, error) {
	e := b.Used[i]
	u, v := int(b.From[e]), int(b.To[e])
	bps, delay, err := b.phase.Network.between(u, v)
	if err != nil {
		return traffic.Line{}, nil, err
	}
	line := traffic.Line{Bps: int64(bps), Delay: int64(delay), Cut: b.phase.Network.cuts(u)}
	return line, (&outages{b.phase, b.Begin}).circuits(up, u, v, b.graph.Count(u, v)), nil
}
