package sim

import (
	"context"

	"github.com/lightpath-net/lightpath/sim/traffic"
)

// builder divides the flows of a phase into streams. Flow i of the phase under element k of its
// group is flow i*order + k here. If order is 1, only representatives are simulated.
type builder struct {
	*routing
	phase   *Phase
	options *Options
	granule int64 // bytes; only the last granule of a flow may be smaller
	delays  []int64
}

// newBuilder prepares a phase. Its traffic starts at begin, that of node u later by delays[u].
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

// multiplier returns how many flows each simulated flow stands for.
func (b *builder) multiplier() int64 { return int64(b.phase.Group.Order() / b.Images) }

// home returns the bundle that stands for bundle e of the graph: the image of e that starts at
// a representative node, or e itself if all are simulated.
func (b *builder) home(e int) int {
	if b.multiplier() == 1 {
		return e
	}
	group := b.phase.Group
	k, r := group.Locate(int(b.From[e]))
	return b.graph.Find(r, group.Back(k, int(b.To[e])))
}

// lineOf returns the properties of a simulated bundle's circuits, and when they are up.
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
