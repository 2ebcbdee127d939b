package lightpath

import (
	"context"
	"errors"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/flow"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/units"
)

// symmetricDirect returns what it takes to do the all-to-all of all GPUs that sends everything at
// once over a base topology that looks the same from every GPU: what GPU 0 sends stands for
// all. It is what planner static takes, which follows the rotations of the algorithm: on a
// torus these are no symmetry of the circuits, and its program is larger by a side of the
// torus squared. It reports false where the base is of another kind, or not up at the start
// for nothing.
func symmetricDirect(ctx context.Context, f *fabric.Fabric, size units.Bytes) (cost plan.StepCost, ok bool, err error) {
	base, err := f.BaseTopology()
	if err != nil {
		return plan.StepCost{}, false, nil // there is no plan
	}
	group, ok := base.Symmetry()
	up, err := f.InitialTopology()
	if err != nil || !ok || f.Avoid != "" || f.Links != "" || up != nil && !up.Equal(base) {
		return plan.StepCost{}, false, nil
	}
	pair := float64(size) / float64(f.Nodes)
	demands := make([]flow.Demand, f.Nodes-1)
	for i := range demands {
		demands[i] = flow.Demand{Src: 0, Dst: i + 1, Amount: pair}
	}
	time := func(l flow.Load) float64 { return float64(plan.CostOf(f, l, pair, 0).Total()) }
	routed, err := flow.Fastest(ctx, flow.Problem{Graph: base, Demands: demands, Group: group}, f.Routing, time)
	if err != nil {
		return plan.StepCost{}, false, err
	}
	return plan.CostOf(f, routed.Load, pair, 0), true, nil
}

// basedExchange is what static makes of an all-to-all of more GPUs than mostWhole, or the direct
// one on its base (symmetricDirect) if that is faster: it is none of the ways that such a number of
// GPUs leaves, as it sends to all others in one step, and it takes a second to find, which spares
// static most of what it would route GPU by GPU. Of that one only the time is known: the plan has
// no stages, as on a ring its routes would take hundreds of megabytes.
func (r *PlanRequest) basedExchange(ctx context.Context, e environment) (*plan.Plan, error) {
	direct, ok, err := symmetricDirect(ctx, &r.Fabric, r.Operations[0].Size)
	if err != nil {
		return nil, err
	}
	if !ok {
		return r.named(ctx, roleStatic, &e)
	}
	e.limit = direct.Total()
	based, err := r.named(ctx, roleStatic, &e)
	if err == nil && based.Cost.Total() <= direct.Total() {
		return based, nil
	}
	if err != nil && !errors.Is(err, planner.ErrBeyond) && !errors.Is(err, planner.ErrInfeasible) {
		return nil, err
	}
	return &plan.Plan{
		Fabric: r.Fabric, Provenance: plan.Provenance{Planner: roleStatic},
		Collective: plan.Collective{Op: collective.AllToAll, Algorithm: "direct", Size: r.Operations[0].Size},
		Cost:       plan.Cost{Startup: direct.Startup, Propagation: direct.Propagation, Transmission: direct.Transmission},
	}, nil
}

// exchangesMany reports whether a request is one all-to-all of more GPUs than mostWhole, all of
// which have the same for all others.
func (r *PlanRequest) exchangesMany() bool {
	return r.Fabric.Nodes > mostWhole && r.uniformExchange()
}

// uniformExchange reports whether a request is one all-to-all of all GPUs, each of which has the
// same for all others.
func (r *PlanRequest) uniformExchange() bool {
	if r.Pattern != nil || len(r.Operations) != 1 {
		return false
	}
	o := &r.Operations[0]
	return o.Op == collective.AllToAll && o.Demand == nil && o.Generator == "" && len(o.GPUs) == 0
}
