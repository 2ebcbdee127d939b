package sim

import (
	"context"
	"fmt"
	"math"
	"sort"

	"github.com/lightpath-net/lightpath/flow"
	"github.com/lightpath-net/lightpath/sim/traffic"
)

// shareTolerance is how far the sum of shares may be from 1: the rounding of some thousand
// routes and of decimal text.
const shareTolerance = 1e-9

// cut makes the streams.
func (b *builder) cut(ctx context.Context) error {
	flows := b.phase.Flows
	if len(flows) > (math.MaxInt32-1)/b.Images {
		return fmt.Errorf("sim: more than %d flows in a phase", math.MaxInt32-1)
	}
	var heads []int32
	if b.phase.Routes == nil {
		var err error
		if heads, err = b.shortest(ctx, b.phase); err != nil {
			return err
		}
	} else {
		b.Hops = make([]traffic.Hop, 0, len(flows)*b.Images)
	}
	b.Flows = make([]int32, 1, len(flows)*b.Images+1)
	b.Streams = make([]traffic.Stream, 0, len(flows)*b.Images)
	for i := range flows {
		if i%1024 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		for k := range b.Images {
			if err := b.image(i, k, heads); err != nil {
				return ofFlow(i*b.Images+k, "sim: flow %d: %w", i*b.Images+k, err)
			}
			b.Flows = append(b.Flows, int32(len(b.Streams)))
		}
	}
	return nil
}

// startOf returns when the network gets a flow.
func (b *builder) startOf(index int) int64 {
	f := &b.phase.Flows[index/b.Images]
	src := b.phase.Group.Apply(index%b.Images, int(f.Src))
	return b.Begin + int64(f.Start) + b.delays[src]
}

// flowOf returns the flow that a stream belongs to.
func (b *builder) flowOf(stream int32) int {
	return sort.Search(len(b.Flows)-1, func(i int) bool { return b.Flows[i+1] > stream })
}

// image adds the streams of flow i of the phase under element k of the group. heads
// are the first hops of shortest paths, or nil.
func (b *builder) image(i, k int, heads []int32) error {
	f := &b.phase.Flows[i]
	if !f.moves() {
		return nil
	}
	s := traffic.Stream{Bytes: int64(f.Bytes), Start: b.startOf(i*b.Images + k), Priority: f.Priority}
	if s.Start > traffic.Longest {
		return traffic.ErrTooLong
	}
	if heads == nil {
		return b.split(s, f, b.phase.Routes[i], k)
	}
	s.First = heads[i]
	if k > 0 || b.phase.Pace {
		var err error
		if s.First, err = b.translated(b.nodes(f.Src, heads[i]), k); err != nil {
			return err
		}
	}
	return b.add(s)
}

func (b *builder) add(s traffic.Stream) error {
	if len(b.Streams) == math.MaxInt32-1 {
		return fmt.Errorf("more than %d streams in a phase", math.MaxInt32-1)
	}
	b.Streams = append(b.Streams, s)
	return nil
}

// split divides a flow over its routes: of n packets, the first floor(n s) take the first
// route, of share s, and so on. The last route takes the rest.
func (b *builder) split(whole traffic.Stream, f *Flow, routes []flow.Route, k int) error {
	last, err := checkRoutes(f, routes)
	if err != nil {
		return err
	}
	packets := traffic.Packets(whole.Bytes, b.granule)
	sum, begun := 0.0, int64(0)
	for i, route := range routes[:last+1] {
		sum += route.Share
		until := packets
		if i < last {
			until = min(packets, int64(sum*float64(packets)+shareTolerance))
		}
		if until <= begun {
			continue
		}
		part := whole
		part.Bytes = whole.Bytes - begun*b.granule
		if until < packets {
			part.Bytes = (until - begun) * b.granule
		}
		if part.First, err = b.translated(route.Path, k); err != nil {
			return err
		}
		if err := b.add(part); err != nil {
			return err
		}
		begun = until
	}
	return nil
}

// checkRoutes reports errors in the ends and shares of routes, and returns the last route that
// carries anything.
func checkRoutes(f *Flow, routes []flow.Route) (last int, err error) {
	sum := 0.0
	for i, r := range routes {
		if !(r.Share >= 0) {
			return 0, fmt.Errorf("a route has share %v", r.Share)
		}
		if len(r.Path) < 2 || r.Path[0] != f.Src || r.Path[len(r.Path)-1] != f.Dst {
			return 0, fmt.Errorf("route %v does not lead from %d to %d", r.Path, f.Src, f.Dst)
		}
		if r.Share > 0 {
			last = i
		}
		sum += r.Share
	}
	if !(math.Abs(sum-1) <= shareTolerance) {
		return 0, fmt.Errorf("the shares of its routes sum to %v", sum)
	}
	return last, nil
}

// translated adds the route along the images of nodes under element k.
func (b *builder) translated(nodes []int32, k int) (int32, error) {
	if k == 0 {
		return b.path(nodes)
	}
	moved := make([]int32, len(nodes))
	for h, u := range nodes {
		if u < 0 || int(u) >= b.graph.Nodes() {
			return 0, fmt.Errorf("node %d is outside a graph of %d nodes", u, b.graph.Nodes())
		}
		moved[h] = int32(b.phase.Group.Apply(k, int(u)))
	}
	return b.path(moved)
}
