package portfolio

import (
	"context"
	"errors"
	"fmt"

	"github.com/lightpath-net/lightpath/bound"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/fixed"
)

// onFixed returns the fastest of the plans for a fabric with fixed links that are made of plans for
// others: for the same GPUs without these links, so that no plan is slower than that, and for
// networks of fixed links and circuits that stay.
func (r *Request) onFixed(ctx context.Context, p planner.Planner, stays bool, s *Search) (*plan.Plan, error) {
	x := &onFixed{Request: r, planner: p, stays: stays, search: s.Quiet().Unseen().within(0), found: s.options.Better}
	without := *r
	without.Fabric = r.Fabric.Unfixed()
	var made *plan.Plan
	err := fmt.Errorf("%w: circuits alone do not connect all GPUs", planner.ErrInfeasible)
	if without.Fabric.Apart(nil) == "" {
		made, err = x.fastest(ctx, &without)
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
	switch {
	case x.best == nil:
		return nil, x.reason
	case s.scope.limit > 0 && planner.Above(x.best.Cost.Total(), s.scope.limit):
		return nil, &planner.Beyond{Least: x.best.Cost.Total()}
	}
	return x.best, nil
}

// onFixed is a search for a plan on a fabric with fixed links.
type onFixed struct {
	*Request
	planner planner.Planner
	stays   bool
	search  *Search
	found   func(p *plan.Plan) // called with every plan that is the best so far; nil: nobody is

	best   *plan.Plan
	reason error // why there is none
}

// fastest asks for a plan on a fabric without fixed links.
func (x *onFixed) fastest(ctx context.Context, other *Request) (*plan.Plan, error) {
	if x.stays {
		return other.Staying(ctx, nil, x.search)
	}
	return other.Fastest(ctx, x.planner, x.search)
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
	inner := *x.Request
	inner.Fabric = n.Fabric
	made, err := inner.Fastest(ctx, p, x.search)
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
	x := &onFixed{Request: r, stays: true, search: s.Quiet().Unseen().within(0)}
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
		err = made.Price()
	}
	switch {
	case err != nil:
		if x.reason == nil {
			x.reason = err
		}
		return
	case x.stays && made.Reconfigurations > x.Fabric.SetUps():
		return
	case x.best != nil && made.Cost.Total() >= x.best.Cost.Total():
		return
	}
	made.Bound = min(made.OperationBound().Total(), made.Cost.Total())
	if x.best = made; x.found != nil {
		x.found(made)
	}
}
