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
	"github.com/lightpath-net/lightpath/units"
)

// onFixed returns the fastest of the plans for a fabric with fixed links that are made of plans for
// others: for the same GPUs without these links, so that no plan is slower than that, and for
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
	if r.Pattern == nil {
		for _, n := range fixed.Networks(&r.Fabric) {
			x.on(ctx, &n)
			if err := ctx.Err(); err != nil {
				return nil, err
			}
		}
	}
	return x.answer(s)
}

// onFixed is a search for a plan on a fabric with fixed links.
type onFixed struct {
	lifted
	limit units.Time // that is of use; 0: any
}

// within is a search for plans of use on a network where they take what they take on the fabric.
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
		return // which changes circuits
	}
	if x.best != nil && bound.OfOperation(&n.Fabric, x.best.Collective.Section()).Total() >= x.best.Cost.Total() && n.Alike(&x.Fabric) {
		return // as good at best
	}
	if x.search.scope.repaired && (x.best != nil || x.limit > 0) && x.Operations[0].Op == collective.AllToAll && n.Fabric.Nodes > mostExact {
		return // a repaired plan is known, and all pairs take long to route
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

// onLinks returns the fastest plan over fixed links alone; nil: they do not join all GPUs.
func (r *Request) onLinks(ctx context.Context, s *Search) *plan.Plan {
	if r.Fabric.Fixed.IsZero() || r.Pattern != nil {
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

// unfold lists the transfers of steps whose symmetry is not one of the fixed links.
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
