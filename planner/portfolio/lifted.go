package portfolio

import (
	"context"

	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/planner"
)

// lifted is a search for the fastest plan of a request among plans made from plans for simpler
// fabrics: without islands, or without fixed links.
type lifted struct {
	*Request
	planner planner.Planner
	stays   bool // only plans that do not reconfigure
	search  *Search
	found   func(p *plan.Plan) // called with every plan that is the best so far, if not nil

	best        *plan.Plan
	repairedOne *plan.Plan // the plan that the search began with; nil: none
	reason      error      // why there is no plan
}

// lifted begins a search. It does not show plans for simpler fabrics, since their times are not
// those on the request's fabric.
func (r *Request) lifted(p planner.Planner, stays bool, s *Search) lifted {
	x := lifted{Request: r, planner: p, stays: stays, search: s.Quiet().Unseen().unknowing().within(0), found: s.options.Better}
	if known := s.scope.known; known != nil && !stays {
		copied := *known
		x.best, x.repairedOne = &copied, known
	}
	return x
}

// fastest asks for a plan on a simpler fabric.
func (x *lifted) fastest(ctx context.Context, simpler *Request, s *Search) (*plan.Plan, error) {
	if x.stays {
		return simpler.Staying(ctx, nil, s)
	}
	return simpler.Fastest(ctx, x.planner, s)
}

// keep keeps a plan on the fabric of the request if it is the fastest so far.
func (x *lifted) keep(made *plan.Plan, err error) {
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

// answer returns the fastest plan, unless it exceeds the limit of the search that asked.
func (x *lifted) answer(s *Search) (*plan.Plan, error) {
	switch {
	case x.best == nil:
		return nil, x.reason
	case s.scope.limit > 0 && planner.Above(x.best.Cost.Total(), s.scope.limit):
		return nil, &planner.Beyond{Least: x.best.Cost.Total()}
	}
	return x.best, nil
}
