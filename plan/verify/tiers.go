package verify

import (
	"context"
	"fmt"
	"slices"

	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/units"
)

// besides is a table of fixed links and islands, which are always up.
type besides struct {
	fabric *fabric.Fabric
	fixed  map[[2]int32]int // links by their ends
}

func besidesOf(f *fabric.Fabric) besides {
	b := besides{fabric: f}
	block := f.Fixed.Links.Block()
	if block == nil {
		return b
	}
	b.fixed = map[[2]int32]int{}
	size := block.Nodes()
	for e := range block.Edges() {
		for u, v := e.From, e.To; u < f.Nodes; u, v = u+size, v+size {
			if !f.Avoid.GPU(u) && !f.Avoid.GPU(v) && !f.Avoid.Link(u, v) {
				b.fixed[[2]int32{int32(u), int32(v)}] += e.Count
			}
		}
	}
	return b
}

// over returns the tier of a hop: a circuit of the stage, a fixed link, or else the island.
func (b *besides) over(circuits *topology.Graph, u, v int32) plan.Tier {
	switch {
	case circuits.Find(int(u), int(v)) >= 0:
		return plan.OverCircuit
	case b.fixed[[2]int32{u, v}] > 0 && !(b.fabric.SameIsland(int(u), int(v)) && b.worse(b.fixed[[2]int32{u, v}])):
		return plan.OverLink
	case b.fabric.SameIsland(int(u), int(v)):
		return plan.OverIsland
	}
	return plan.NoWay
}

// worse reports whether that many fixed links are worse than the island of both GPUs in any
// respect.
func (b *besides) worse(links int) bool {
	f := b.fabric
	return float64(f.FixedBandwidth())*float64(links) < float64(f.Island.Bandwidth) ||
		f.FixedAlpha() > f.IslandAlpha() || f.FixedDelta() > f.IslandDelta()
}

// checkTiers computes the time of every step on a fabric with islands or fixed links again. It
// takes every hop of every image separately, with a table of what each GPU has to send into its
// island, to receive from it, and to send over each of its links and circuits.
func checkTiers(ctx context.Context, p *plan.Plan) error {
	if !p.Fabric.Tiered() {
		return nil
	}
	x := &tierTimes{plan: p, circuits: p.Fabric.Circuits(), up: besidesOf(&p.Fabric)}
	for stage, step := range p.Steps() {
		startup, sends, flight, err := x.of(ctx, stage, step)
		if err != nil {
			return fmt.Errorf("step %d: %w", step.Index, err)
		}
		c := step.Cost
		if !plan.Near(c.Startup, startup) || !plan.Near(c.Transmission, sends) || !plan.Near(c.Propagation, flight) {
			return fmt.Errorf("step %d: claims a start-up of %v, %v of sending and %v on the way; each GPU by itself gives %v, %v and %v",
				step.Index, c.Startup, c.Transmission, c.Propagation, startup, sends, flight)
		}
	}
	return nil
}

// tierTimes computes times of steps hop by hop.
type tierTimes struct {
	plan     *plan.Plan
	circuits *fabric.Circuits // their properties; nil: all equal
	up       besides
}

// hopLike says what carries a hop, and how fast.
type hopLike struct {
	tier         plan.Tier
	count        int
	rate         units.Bandwidth
	delay, alpha units.Duration
}

// like returns what carries a hop.
func (x *tierTimes) like(circuits *topology.Graph, u, v int32) hopLike {
	f := &x.plan.Fabric
	switch tier := x.up.over(circuits, u, v); tier {
	case plan.OverIsland:
		return hopLike{tier, 1, f.Island.Bandwidth, f.IslandDelta(), f.IslandAlpha()}
	case plan.OverLink:
		return hopLike{tier, x.up.fixed[[2]int32{u, v}], f.FixedBandwidth(), f.FixedDelta(), f.FixedAlpha()}
	case plan.OverCircuit:
		h := hopLike{tier, circuits.Count(int(u), int(v)), f.Bandwidth, f.Delta, f.Alpha}
		if x.circuits != nil {
			h.rate, h.delay = x.circuits.Of(int(u), int(v))
		}
		return h
	default:
		return hopLike{}
	}
}

// of returns the start-up of a step, how long it sends, and the longest time that a byte
// travels.
//
// The loads of a step's transfers are first added up hop by hop. Each image of a hop is then
// one hop, which must have the same tier and rate; the images of a route must also have the
// same delay.
func (x *tierTimes) of(ctx context.Context, stage *plan.Stage, step *plan.Step) (startup, sends, flight units.Time, err error) {
	f := &x.plan.Fabric
	hops, err := x.hops(stage, step)
	if err != nil {
		return 0, 0, 0, err
	}
	enter, leave := make([]float64, f.Nodes), make([]float64, f.Nodes)
	busy := make([]units.Time, stage.Topology.Bundles()) // circuits
	links := map[[2]int32]units.Time{}
	pairs := map[[2]int]float64{}
	optical := false
	image := make([]int32, f.Nodes) // of the ends of hops
	var ends []int32
	for i := range hops.all {
		ends = append(ends, hops.all[i].from, hops.all[i].to)
	}
	slices.Sort(ends)
	ends = slices.Compact(ends)
	for k := range step.Group.Order() {
		if err := ctx.Err(); err != nil {
			return 0, 0, 0, err
		}
		for _, u := range ends {
			image[u] = int32(step.Group.Apply(k, int(u)))
		}
		for i := range hops.all {
			h := &hops.all[i]
			u, v := image[h.from], image[h.to]
			if like := x.like(stage.Topology, u, v); like != h.hopLike {
				if like.tier == plan.NoWay {
					return 0, 0, 0, fmt.Errorf("nothing leads from %d to %d", u, v)
				}
				return 0, 0, 0, fmt.Errorf("%d -> %d is not like %d -> %d, which it is an image of", u, v, h.from, h.to)
			}
			takes := h.rate.Transmit(h.bytes) / units.Time(h.count)
			startup = max(startup, h.alpha.Time())
			switch h.tier {
			case plan.OverIsland:
				enter[u] += h.bytes
				leave[v] += h.bytes
			case plan.OverLink:
				links[[2]int32{u, v}] += takes
			default:
				optical = true
				busy[stage.Topology.Find(int(u), int(v))] += takes
			}
		}
		for at, bytes := range hops.pairs {
			pairs[[2]int{int(image[at[0]]), int(image[at[1]])}] += bytes
		}
	}
	flight = hops.flight
	if !f.Island.IsZero() {
		sends = f.Island.Bandwidth.Transmit(max(slices.Max(enter), slices.Max(leave)))
	}
	for _, time := range busy {
		sends = max(sends, time)
	}
	for _, time := range links {
		sends = max(sends, time)
	}
	for _, bytes := range pairs {
		if optical {
			sends = max(sends, f.Bandwidth.Transmit(bytes))
		}
	}
	if f.Forwarding == fabric.StoreAndForward {
		sends = max(sends, hops.serial)
	}
	return startup, sends, flight, nil
}

// hopLoads are the loads of a step's routes, without images.
type hopLoads struct {
	all            []hopLoad
	pairs          map[[2]int]float64 // bytes by source and target, if the busiest pair counts
	flight, serial units.Time         // of the longest route: of a byte, and hop after hop
}

// hopLoad is the bytes of a hop.
type hopLoad struct {
	from, to int32
	bytes    float64
	hopLike
}

// hops adds up the loads of a step's routes, hop by hop.
func (x *tierTimes) hops(stage *plan.Stage, step *plan.Step) (*hopLoads, error) {
	loads := &hopLoads{pairs: map[[2]int]float64{}}
	known := map[[2]int32]int{}
	for i := range step.Base {
		t := &step.Base[i]
		bytes := x.plan.Bytes(t.Chunks) // its images have as many: see checkForm
		if x.plan.Fabric.CapTheta {
			loads.pairs[[2]int{t.Src, t.Dst}] += bytes
		}
		for _, route := range t.Routes {
			way, stored := units.Time(0), units.Time(0)
			u := route.Path[0]
			for _, v := range route.Path[1:] {
				at, ok := known[[2]int32{u, v}]
				if !ok {
					like := x.like(stage.Topology, u, v)
					if like.tier == plan.NoWay {
						return nil, fmt.Errorf("nothing leads from %d to %d", u, v)
					}
					at = len(loads.all)
					known[[2]int32{u, v}] = at
					loads.all = append(loads.all, hopLoad{from: u, to: v, hopLike: like})
				}
				h := &loads.all[at]
				h.bytes += route.Share * bytes
				stored += h.rate.Transmit(route.Share*bytes) / units.Time(h.count)
				way += h.delay.Time()
				u = v
			}
			loads.flight, loads.serial = max(loads.flight, way), max(loads.serial, stored)
		}
	}
	return loads, nil
}
