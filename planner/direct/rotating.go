package direct

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/flow"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/direct/bfb"
	"github.com/lightpath-net/lightpath/planner/direct/rotated"
	"github.com/lightpath-net/lightpath/units"
)

// mostRotated is the largest number of GPUs for which there are plans on graphs that a rotation
// maps onto themselves. Beyond it, such graphs have too few nodes that differ to be short.
const mostRotated = 1 << 17

// rotatedOn reports whether plans for a fabric may use graphs that a rotation maps onto
// themselves.
func rotatedOn(f *fabric.Fabric) bool {
	return f.Nodes > mostPairs && f.Nodes <= mostRotated && f.Ports > 1 && f.Ports <= rotated.MostPorts && anyCircuits(f)
}

// anyCircuits reports whether a plan may have any circuits, and all are alike.
func anyCircuits(f *fabric.Fabric) bool {
	return f.Base == "" && f.Links.IsZero() && f.Avoid.IsZero() && (f.Initial == fabric.InitialFree || f.Initial == fabric.InitialDark)
}

// manyOrRotating returns the faster of two plans for many GPUs: on a graph that a rotation maps
// onto itself, and on line graphs of any shape.
func manyOrRotating(ctx context.Context, r planner.Request) (*plan.Plan, error) {
	if !rotatedOn(&r.Fabric) {
		return many(ctx, r)
	}
	turning, reason := rotating(ctx, &r)
	if !compactOn(&r.Fabric) || reason != nil && !errors.Is(reason, planner.ErrInfeasible) {
		if reason != nil {
			return nil, reason
		}
		return turning.plan(ctx, &r)
	}
	within := r
	if turning != nil && r.Beyond(turning.least(&r)) == nil {
		within.Limit = planner.Below(turning.least(&r))
	}
	other, err := many(ctx, within)
	if turning == nil || err == nil || !errors.Is(err, planner.ErrInfeasible) && !errors.Is(err, planner.ErrBeyond) {
		return other, err
	}
	return turning.plan(ctx, &r)
}

// halves holds an allgather on a graph, one on its transpose for a reduce-scatter, or both.
type halves struct {
	wiring          *rotated.Wiring
	gather, scatter *rotated.Gather // nil: none
}

// rotating finds a graph that a rotation maps onto itself, and schedules the operation there.
func rotating(ctx context.Context, r *planner.Request) (*halves, error) {
	f := &r.Fabric
	costs := rotated.Costs{
		Start: float64(f.Alpha.Time()), Hop: float64(f.Delta.Time()),
		Shard:  float64(f.Bandwidth.Transmit(float64(r.Size) / float64(f.Nodes))),
		OneHop: f.Forwarding != fabric.CutThrough,
	}
	w := rotated.Find(ctx, f.Nodes, f.Ports, f.Duplex, costs)
	if w == nil {
		return nil, errors.Join(ctx.Err(), fmt.Errorf("%w: no rotation of %d GPUs was found", planner.ErrInfeasible, f.Nodes))
	}
	h := &halves{wiring: w}
	op, _ := Schedulable(r.Collective.Op)
	h.gather = rotated.Solve(ctx, w, costs)
	switch op {
	case bfb.AllGather:
	case bfb.ReduceScatter: // on the circuits turned round
		h.wiring, h.gather, h.scatter = w.Transpose(), nil, h.gather
	default:
		h.scatter = h.gather
		if !f.Duplex {
			h.scatter = rotated.Solve(ctx, w.Transpose(), costs)
		}
	}
	return h, ctx.Err()
}

// least returns the time of the plan without the initial setup of its circuits.
func (h *halves) least(r *planner.Request) (time units.Time) {
	for _, half := range []*rotated.Gather{h.gather, h.scatter} {
		if half != nil {
			time += units.Time(half.Time)
		}
	}
	return time
}

// plan lists the transfers. The reduce-scatter runs the allgather on the transpose backwards.
func (h *halves) plan(ctx context.Context, r *planner.Request) (*plan.Plan, error) {
	if err := r.Beyond(h.least(r)); err != nil {
		return nil, err
	}
	g, err := h.wiring.Graph()
	if err != nil {
		return nil, err
	}
	var steps []plan.Step
	if h.scatter != nil {
		steps = h.listed(h.scatter, collective.Reduce)
		slices.Reverse(steps)
	}
	if h.gather != nil {
		steps = append(steps, h.listed(h.gather, collective.Copy)...)
	}
	return laid(ctx, r, g, steps, 1)
}

// listed lists what the GPUs below the width receive in an allgather or, if the action reduces,
// what they send in the reduce-scatter that runs it backwards. Steps are in the order of the
// allgather.
func (h *halves) listed(g *rotated.Gather, action collective.Action) []plan.Step {
	steps := make([]plan.Step, len(g.Ends))
	for i := range steps {
		steps[i].Group = h.wiring.Group()
		for d := range g.Deliveries(i) {
			if action == collective.Reduce {
				slices.Reverse(d.Path)
			}
			steps[i].Base = append(steps[i].Base, plan.Transfer{
				Transfer: collective.Transfer{Src: int(d.Path[0]), Dst: int(d.Path[len(d.Path)-1]), Action: action, Chunks: collective.Of(d.Shards)},
				Routes:   []flow.Route{{Path: d.Path, Share: 1}},
			})
		}
		slices.SortStableFunc(steps[i].Base, byEnds)
	}
	return steps
}
