package portfolio

import (
	"context"
	"errors"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/collective/algorithms"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/flow"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/units"
)

// directAlgorithm is the all-to-all that sends everything at once.
var directAlgorithm = algorithms.Direct(collective.AllToAll)

// symmetricDirect returns the cost of the all-to-all of all GPUs that sends everything at once
// over a base topology that looks the same from every GPU, so that the transfers of GPU 0 stand
// for all. Planner static finds the same cost but uses the rotations of the algorithm. On a torus
// these are not a symmetry of the circuits, and static's program is larger by the square of a
// side of the torus. symmetricDirect reports false if the base has no such symmetry, does not
// connect all GPUs, or is not up for free at the start.
func symmetricDirect(ctx context.Context, f *fabric.Fabric, size units.Bytes) (cost plan.StepCost, ok bool, err error) {
	base, err := f.BaseTopology()
	if err != nil {
		return plan.StepCost{}, false, nil // there is no plan
	}
	group, ok := base.Symmetry()
	up, err := f.InitialTopology()
	if err != nil || !ok || !f.Open() || !f.Links.IsZero() || up != nil && !up.Equal(base) {
		return plan.StepCost{}, false, nil
	}
	pair := float64(size) / float64(f.Nodes)
	demands := make([]flow.Demand, f.Nodes-1)
	for i := range demands {
		demands[i] = flow.Demand{Src: 0, Dst: i + 1, Amount: pair}
	}
	time := func(l flow.Load) float64 { return float64(plan.CostOf(f, l, pair, 0).Total()) }
	routed, err := flow.Fastest(ctx, flow.Problem{Graph: base, Demands: demands, Group: group}, f.Routing, time)
	if errors.Is(err, flow.ErrUnreachable) {
		return plan.StepCost{}, false, nil // there is no plan here either
	}
	if err != nil {
		return plan.StepCost{}, false, err
	}
	return plan.CostOf(f, routed.Load, pair, 0), true, nil
}

// basedExchange returns static's plan of an all-to-all of more GPUs than MostWhole, or the direct
// all-to-all on static's base (symmetricDirect) if that is faster. The direct one sends to all
// others in one step, so it is not among the ways for so many GPUs. It takes a second to find and
// spares static most of its routing GPU by GPU. Only its time is known: the plan has no stages,
// because on a ring its routes would take hundreds of megabytes.
func (r *Request) basedExchange(ctx context.Context, s *Search) (*plan.Plan, error) {
	static := s.Planners().Baseline(plan.Static)
	direct, ok, err := symmetricDirect(ctx, &r.Fabric, r.Operations[0].Size)
	if err != nil {
		return nil, err
	}
	if !ok || static == nil {
		return r.Baseline(ctx, plan.Static, s)
	}
	// On a ring nothing is faster, and to bound thousands of steps takes minutes.
	if !OnlyRing(collective.AllToAll, &r.Fabric) {
		based, err := r.Baseline(ctx, plan.Static, s.within(direct.Total()))
		if err == nil && based.Cost.Total() <= direct.Total() {
			return based, nil
		}
		if err != nil && !errors.Is(err, planner.ErrBeyond) && !errors.Is(err, planner.ErrInfeasible) {
			return nil, err
		}
	}
	return &plan.Plan{
		Fabric: r.Fabric, Provenance: plan.Provenance{Planner: static.Name()},
		Collective: plan.Collective{Op: collective.AllToAll, Algorithm: directAlgorithm, Size: r.Operations[0].Size},
		Cost:       plan.Cost{Startup: direct.Startup, Propagation: direct.Propagation, Transmission: direct.Transmission},
	}, nil
}

// exchangesMany reports whether the request is one all-to-all with equal amounts among more GPUs
// than MostWhole.
func (r *Request) exchangesMany() bool {
	return r.Fabric.Nodes > MostWhole && r.uniformExchange()
}

// uniformExchange reports whether the request is one all-to-all of all GPUs with equal amounts.
func (r *Request) uniformExchange() bool {
	if r.Pattern != nil || len(r.Operations) != 1 {
		return false
	}
	o := &r.Operations[0]
	return o.Op == collective.AllToAll && o.Demand == nil && o.Generator == "" && len(o.GPUs) == 0
}

// StaticDirect returns the time of the simplest all-to-all, which sends everything at once over
// the base topology. It returns 0 for other operations, if there is no such plan, and if pairs or
// GPUs differ, since that takes a large linear program (compare has it). The time may be that of
// the plan p or of one of the extremes.
func StaticDirect(ctx context.Context, p *plan.Plan, extremes []Extreme, registry planner.Registry) (units.Time, error) {
	if p.Collective.Op != collective.AllToAll || !p.Collective.Space.Homogeneous() {
		return 0, nil
	}
	static := registry.Baseline(plan.Static)
	for _, known := range append([]Extreme{{Plan: p}}, extremes...) {
		if static != nil && known.Planner == static.Name() && known.Collective.Algorithm == directAlgorithm {
			return known.Cost.Total(), nil
		}
	}
	if p.Collective.Algorithm == directAlgorithm && p.Collective.Space.Members == nil && p.SameAlgorithm.Static > 0 {
		return p.SameAlgorithm.Static, nil
	}
	if static == nil {
		return 0, nil
	}
	if p.Collective.Space.Members == nil {
		if cost, ok, err := symmetricDirect(ctx, &p.Fabric, p.Collective.Size); ok || err != nil {
			return cost.Total(), err
		}
	}
	c, err := algorithms.New(collective.AllToAll, directAlgorithm, p.Fabric.Nodes, p.Fabric.Ports)
	if err != nil {
		return 0, err
	}
	made, err := static.Plan(ctx, planner.Request{Fabric: p.Fabric, Collective: c, Size: p.Collective.Size, Bare: true})
	switch {
	case errors.Is(err, planner.ErrInfeasible):
		return 0, nil
	case err != nil:
		return 0, err
	}
	return made.Cost.Total(), nil
}
