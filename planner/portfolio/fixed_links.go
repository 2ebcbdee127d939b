package portfolio

import (
	"context"
	"errors"
	"fmt"

	"github.com/lightpath-net/lightpath/bound"
	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/fixed"
	"github.com/lightpath-net/lightpath/planner/islands"
	"github.com/lightpath-net/lightpath/units"
)

// onFixed returns the fastest plan for a fabric with fixed links, made from plans for other
// fabrics: for the same GPUs without the links, so that links never make plans slower, and for
// networks of fixed links and circuits that stay.
func (r *Request) onFixed(ctx context.Context, p planner.Planner, stays bool, s *Search) (*plan.Plan, error) {
	x := &onFixed{lifted: r.lifted(p, stays, s), limit: s.scope.limit}
	without := *r
	without.Fabric = r.Fabric.Unfixed()
	var made *plan.Plan
	err := fmt.Errorf("%w: circuits alone do not connect all GPUs", planner.ErrInfeasible)
	if without.Fabric.Apart(nil) == "" {
		made, err = x.fastest(ctx, &without, x.search)
	}
	if err != nil && !errors.Is(err, planner.ErrInfeasible) {
		return nil, err
	}
	x.take(made, err)
	for _, n := range fixed.Networks(&r.Fabric) {
		x.on(ctx, &n)
		if err := ctx.Err(); err != nil {
			return nil, err
		}
	}
	if err := x.onBlocks(ctx); err != nil {
		return nil, err
	}
	return x.answer(s)
}

// onBlocks tries plans that treat blocks of GPUs joined by fixed links as islands.
func (x *onFixed) onBlocks(ctx context.Context) error {
	for _, like := range fixed.Blocks(&x.Fabric) {
		inner := *x.Request
		inner.Fabric = like
		made, err := x.fastest(ctx, &inner, x.search)
		x.onto(ctx, made, err)
		x.phased(ctx, &inner)
	}
	return ctx.Err()
}

// onto keeps a plan that treats blocks as islands, if it is the fastest so far.
func (x *onFixed) onto(ctx context.Context, made *plan.Plan, err error) {
	if err == nil {
		err = fixed.OntoBlocks(ctx, made, &x.Fabric)
	}
	x.take(made, err)
}

// phased tries three phases: within blocks, among GPUs at the same place in their blocks, and
// within blocks again. With links these may be the fastest even if they are not with an island.
func (x *onFixed) phased(ctx context.Context, like *Request) {
	all := like.cores()
	if like.Pattern != nil || len(all) == 0 || all[len(all)-1].Span != 1 {
		return
	}
	rails := all[len(all)-1]
	core, err := x.fastest(ctx, like.onCore(rails), x.search.wholly())
	if err == nil {
		core.Fabric = rails.Fabric
		err = core.PriceContext(ctx)
	}
	var made *plan.Plan
	if err == nil {
		made, err = islands.LiftInPhases(core, rails, &like.Fabric, like.first().Size)
	}
	x.onto(ctx, made, err)
}

// onFixed is a search for a plan on a fabric with fixed links.
type onFixed struct {
	lifted
	limit units.Time // on useful plans; 0: none
}

// within returns a search for useful plans on a network on which plans take the same time as on
// the fabric.
func (x *onFixed) within() *Search {
	switch {
	case x.best == nil:
		return x.search.within(x.limit)
	case x.limit == 0:
		return x.search.within(x.best.Cost.Total())
	}
	return x.search.within(min(x.limit, x.best.Cost.Total()))
}

// on tries the plan of a network.
func (x *onFixed) on(ctx context.Context, n *fixed.Network) {
	p := x.planner
	if x.stays {
		p = x.search.Planners().Best()
	}
	if p == nil || planner.TraitsOf(p).Baseline == plan.EveryStep {
		return // its plans change circuits
	}
	if x.best != nil && bound.OfOperation(&n.Fabric, x.best.Collective.Section()).Total() >= x.best.Cost.Total() && n.Alike(&x.Fabric) {
		return // at best equally fast
	}
	if x.search.scope.repaired && (x.best != nil || x.limit > 0) && x.Operations[0].Op == collective.AllToAll && n.Fabric.Nodes > mostExact {
		return // a repaired plan is known, and routing all pairs takes long
	}
	inner := *x.Request
	inner.Fabric = n.Fabric
	s := x.search
	if n.Alike(&x.Fabric) {
		s = x.within()
	}
	made, err := inner.Fastest(ctx, p, s)
	if err == nil {
		made, err = fixed.Lift(ctx, made, n, &x.Fabric)
	}
	x.take(made, err)
}

// onLinks returns the fastest plan that uses only fixed links; nil: they do not join all GPUs.
func (r *Request) onLinks(ctx context.Context, s *Search) *plan.Plan {
	if r.Fabric.Fixed.IsZero() {
		return nil
	}
	x := &onFixed{lifted: r.lifted(nil, true, s)}
	x.found = nil
	for _, n := range fixed.Networks(&r.Fabric) {
		if n.Grounded() {
			x.on(ctx, &n)
		}
	}
	return x.best
}

// take keeps a plan if it is the fastest so far.
func (x *onFixed) take(made *plan.Plan, err error) {
	if err == nil {
		made.Fabric = x.Fabric
		x.unfold(made)
		err = made.Price()
	}
	x.keep(made, err)
}

// unfold lists all transfers of steps whose symmetry does not preserve the fixed links.
func (x *onFixed) unfold(made *plan.Plan) {
	for i := range made.Stages {
		steps := made.Stages[i].Steps
		for j := range steps {
			if !x.Fabric.KeepsFixed(steps[j].Group) {
				steps[j].Unfold(made.Collective.Space)
			}
		}
	}
}
