package sim

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sort"

	"github.com/lightpath-net/lightpath/flow"
)

// stream is the part of a flow that takes one route.
type stream struct {
	bytes    int64
	start    int64
	first    int32 // hop
	priority int32
}

// layout is a phase cut into streams. Flow i of the phase, under element k of its
// group, is flow i*order + k here.
type layout struct {
	*routing
	phase   *Phase
	order   int   // images per flow: 1 if only representatives are simulated
	granule int64 // bytes; only the last of a flow may be less
	begin   int64 // when traffic starts
	delays  []int64
	streams []stream
	first   []int32 // the streams of flow i are first[i] up to first[i+1]
}

// shareTolerance is how far shares may sum from 1: the rounding of some thousand
// routes and of decimal text.
const shareTolerance = 1e-9

var errTooLong = errors.New("sim: the traffic may take longer than 53 days")

// longest is how far a simulation may run, in ps: 53 days. It keeps sums of two times
// within 64 bits.
const longest = 1<<62 - 1

// cut makes the streams.
func (l *layout) cut(ctx context.Context) error {
	flows := l.phase.Flows
	if len(flows) > (math.MaxInt32-1)/l.order {
		return fmt.Errorf("sim: more than %d flows in a phase", math.MaxInt32-1)
	}
	var heads []int32
	if l.phase.Routes == nil {
		var err error
		if heads, err = l.shortest(ctx, l.phase); err != nil {
			return err
		}
	} else {
		l.hops = make([]hop, 0, len(flows)*l.order)
	}
	l.first = make([]int32, 1, len(flows)*l.order+1)
	l.streams = make([]stream, 0, len(flows)*l.order)
	for i := range flows {
		if i%1024 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		for k := range l.order {
			if err := l.image(i, k, heads); err != nil {
				return ofFlow(i*l.order+k, "sim: flow %d: %w", i*l.order+k, err)
			}
			l.first = append(l.first, int32(len(l.streams)))
		}
	}
	return nil
}

// startOf returns when a flow is handed to the network.
func (l *layout) startOf(index int) int64 {
	f := &l.phase.Flows[index/l.order]
	src := l.phase.Group.Apply(index%l.order, int(f.Src))
	return l.begin + int64(f.Start) + l.delays[src]
}

// flowOf returns the flow that a stream belongs to.
func (l *layout) flowOf(stream int32) int {
	return sort.Search(len(l.first)-1, func(i int) bool { return l.first[i+1] > stream })
}

// image adds the streams of flow i of the phase under element k of the group. heads
// are the first hops of shortest paths, or nil.
func (l *layout) image(i, k int, heads []int32) error {
	f := &l.phase.Flows[i]
	if !f.moves() {
		return nil
	}
	s := stream{bytes: int64(f.Bytes), start: l.startOf(i*l.order + k), priority: f.Priority}
	if s.start > longest {
		return errTooLong
	}
	if heads == nil {
		return l.split(s, f, l.phase.Routes[i], k)
	}
	s.first = heads[i]
	if k > 0 || l.phase.Pace {
		var err error
		if s.first, err = l.translated(l.nodes(f.Src, heads[i]), k); err != nil {
			return err
		}
	}
	return l.add(s)
}

func (l *layout) add(s stream) error {
	if len(l.streams) == math.MaxInt32-1 {
		return fmt.Errorf("more than %d streams in a phase", math.MaxInt32-1)
	}
	l.streams = append(l.streams, s)
	return nil
}

// split divides a flow over its routes: of n packets, the first floor(n s) take the
// first route, of share s, and so on. The last route takes what rounding leaves.
func (l *layout) split(whole stream, f *Flow, routes []flow.Route, k int) error {
	last, err := checkRoutes(f, routes)
	if err != nil {
		return err
	}
	packets := packetsOf(whole.bytes, l.granule)
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
		part.bytes = whole.bytes - begun*l.granule
		if until < packets {
			part.bytes = (until - begun) * l.granule
		}
		if part.first, err = l.translated(route.Path, k); err != nil {
			return err
		}
		if err := l.add(part); err != nil {
			return err
		}
		begun = until
	}
	return nil
}

// checkRoutes reports what is wrong with the ends and shares of routes, and which is
// the last that carries anything.
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
func (l *layout) translated(nodes []int32, k int) (int32, error) {
	if k == 0 {
		return l.path(nodes)
	}
	moved := make([]int32, len(nodes))
	for h, u := range nodes {
		if u < 0 || int(u) >= l.graph.Nodes() {
			return 0, fmt.Errorf("node %d is outside a graph of %d nodes", u, l.graph.Nodes())
		}
		moved[h] = int32(l.phase.Group.Apply(k, int(u)))
	}
	return l.path(moved)
}
