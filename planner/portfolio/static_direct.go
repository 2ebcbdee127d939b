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

// symmetricDirect returns what it takes to do the all-to-all of all GPUs that sends everything at
// once over a base topology that looks the same from every GPU: what GPU 0 sends stands for
// all. It is what planner static takes, which follows the rotations of the algorithm: on a
// torus these are no symmetry of the circuits, and its program is larger by a side of the
// torus squared. It reports false where the base is of another kind or leads from no GPU to all
// others, or is not up at the start for nothing.
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
		return plan.StepCost{}, false, nil // likewise
	}
	if err != nil {
		return plan.StepCost{}, false, err
	}
	return plan.CostOf(f, routed.Load, pair, 0), true, nil
}

// basedExchange is what static makes of an all-to-all of more GPUs than MostWhole, or the direct
// one on its base (symmetricDirect) if that is faster: it is none of the ways that such a number
// of GPUs leaves, as it sends to all others in one step, and it takes a second to find, which
// spares static most of what it would route GPU by GPU. Of that one only the time is known: the
// plan has no stages, as on a ring its routes would take hundreds of megabytes.
func (r *Request) basedExchange(ctx context.Context, s *Search) (*plan.Plan, error) {
	static := s.Planners().Baseline(plan.Static)
	direct, ok, err := symmetricDirect(ctx, &r.Fabric, r.Operations[0].Size)
	if err != nil {
		return nil, err
	}
	if !ok || static == nil {
		return r.Baseline(ctx, plan.Static, s)
	}
	based, err := r.Baseline(ctx, plan.Static, s.within(direct.Total()))
	if err == nil && based.Cost.Total() <= direct.Total() {
		return based, nil
	}
	if err != nil && !errors.Is(err, planner.ErrBeyond) && !errors.Is(err, planner.ErrInfeasible) {
		return nil, err
	}
	return &plan.Plan{
		Fabric: r.Fabric, Provenance: plan.Provenance{Planner: static.Name()},
		Collective: plan.Collective{Op: collective.AllToAll, Algorithm: directAlgorithm, Size: r.Operations[0].Size},
		Cost:       plan.Cost{Startup: direct.Startup, Propagation: direct.Propagation, Transmission: direct.Transmission},
	}, nil
}

// exchangesMany reports whether a request is one all-to-all of more GPUs than MostWhole, all of
// which have the same for all others.
func (r *Request) exchangesMany() bool {
	return r.Fabric.Nodes > MostWhole && r.uniformExchange()
}

// uniformExchange reports whether a request is one all-to-all of all GPUs, each of which has the
// same for all others.
func (r *Request) uniformExchange() bool {
	if r.Pattern != nil || len(r.Operations) != 1 {
		return false
	}
	o := &r.Operations[0]
	return o.Op == collective.AllToAll && o.Demand == nil && o.Generator == "" && len(o.GPUs) == 0
}

// StaticDirect returns the time of the all-to-all that sends everything at once over the
// base topology, the simplest there is; 0 for other operations, where it is not possible,
// and where pairs or GPUs differ, for which it takes a large linear program (compare has
// it). It may be the plan or one of the extremes.
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
