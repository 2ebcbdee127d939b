package portfolio

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/lightpath-net/lightpath/bound"
	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/internal/threads"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/planner"
)

// AnyAlgorithm returns the request with algorithms left open. A pattern keeps its own algorithm.
func (r *Request) AnyAlgorithm() *Request {
	any := *r
	any.Operations = make([]collective.Operation, len(r.Operations))
	for i, o := range r.Operations {
		o.Algorithm = ""
		any.Operations[i] = o
	}
	return &any
}

// Extreme is a baseline: a plan that others are compared with.
type Extreme struct {
	Role plan.Baseline
	*plan.Plan
	Among string // the plans that it is the fastest of, if not of all
}

// Extremes returns the fastest plan of any planner that does not reconfigure and the fastest plan
// that reconfigures before every step, as far as they exist. made is the fastest plan of all
// planners, or nil if that is not known.
func (r *Request) Extremes(ctx context.Context, made *plan.Plan, s *Search) ([]Extreme, error) {
	quiet := s.Quiet()
	ends := [...]struct {
		role plan.Baseline
		make func() (*plan.Plan, error)
	}{
		{plan.Static, func() (*plan.Plan, error) { return r.Staying(ctx, made, quiet) }},
		{plan.EveryStep, func() (*plan.Plan, error) { return r.Baseline(ctx, plan.EveryStep, quiet) }},
	}
	var plans [len(ends)]*plan.Plan
	var errs [len(ends)]error
	threads.Each(ctx, len(ends), func(i int) { plans[i], errs[i] = ends[i].make() })
	var list []Extreme
	for i, err := range errs {
		switch {
		case errors.Is(err, planner.ErrInfeasible):
		case err != nil:
			return nil, err
		default:
			x := Extreme{Role: ends[i].role, Plan: plans[i]}
			if x.Role == plan.Static && x.Plan != made {
				x.Among = r.staticAmong()
			}
			list = append(list, x)
		}
	}
	return list, nil
}

// staticAmong is StaticAmong for the operations of a request.
func (r *Request) staticAmong() string {
	for _, o := range r.Operations {
		if among := StaticAmong(o.Op, &r.Fabric); among != "" {
			return among
		}
	}
	return ""
}

// Baseline returns the fastest plan of the planner that provides a baseline. A registry may lack
// such a planner.
func (r *Request) Baseline(ctx context.Context, b plan.Baseline, s *Search) (*plan.Plan, error) {
	p := s.Planners().Baseline(b)
	if p == nil {
		return nil, fmt.Errorf("%w: no planner is the baseline %s; use %s", planner.ErrInfeasible, b, strings.Join(s.Planners().Names(), ", "))
	}
	return r.Fastest(ctx, p, s)
}

// Staying returns the fastest plan of any planner that does not reconfigure: the faster of
// static's plan and the plan that auto makes if a change is forbiddingly slow (Still), since a
// plan without changes takes the same time at any delay. If made, the fastest plan of all
// planners, is known and does not reconfigure, it is the answer. A fabric that is dark at the
// start sets circuits up once. Pipelines whose number of pieces is open are tried only on the
// base, as static plans them: trying numbers of pieces on all of harvest's topologies would take
// longer than planning. The same holds for the steps of algorithms for all-to-alls among very
// many GPUs (RoutesSteps).
func (r *Request) Staying(ctx context.Context, made *plan.Plan, s *Search) (*plan.Plan, error) {
	if made != nil && made.Reconfigurations == r.Fabric.SetUps() {
		return made, nil
	}
	made, err := r.staying(ctx, s)
	if err != nil && !errors.Is(err, planner.ErrBeyond) {
		return nil, err
	}
	if other, otherErr := r.stayingOrSeparate(ctx, s, made); other != nil || otherErr != nil {
		return other, otherErr
	}
	return made, err
}

// staying is Staying if no plan is known, without plans that send the same data to everyone
// separately.
func (r *Request) staying(ctx context.Context, s *Search) (*plan.Plan, error) {
	if !r.Fabric.Fixed.IsZero() {
		return r.onFixed(ctx, nil, true, s)
	}
	if !r.Fabric.Island.IsZero() {
		return r.onIslands(ctx, nil, true, s)
	}
	if r.settled() {
		return r.stayingSettled(ctx, s)
	}
	if _, uniform := r.Fabric.UniformWait(); !uniform && r.Fabric.Initial == fabric.InitialFree && r.Fabric.Charge == fabric.ChargeChanges {
		return r.stayingStill(ctx, s)
	}
	return r.stayingOf(ctx, s)
}

// stayingStill is stayingOf for fabrics on which the time of a change depends on the circuits or
// on what is sent meanwhile, and the first circuits are free. Plans without changes do not depend
// on that time. If all changes take the same time, they are found quickly, and no ports need be
// left unused (idle.Of).
func (r *Request) stayingStill(ctx context.Context, s *Search) (*plan.Plan, error) {
	still := *r
	still.Fabric = Still(r.Fabric)
	p, err := still.stayingOf(ctx, s)
	if err != nil {
		return nil, err
	}
	return p, r.moved(ctx, p)
}

// moved turns a plan for the fabric with forbidding changes into one for the request's fabric. A
// plan that is optimal there may be beaten here by one that reconfigures, so its bound is
// lowered.
func (r *Request) moved(ctx context.Context, p *plan.Plan) error {
	p.Fabric = r.Fabric
	if len(p.Stages) == 0 { // only its time is known
		return nil
	}
	if any := p.OperationBound().Total(); any < p.Bound {
		laid := p.Laid(ctx)
		p.Bound = min(p.Bound, max(any, bound.OfAlgorithm(&p.Fabric, laid.Collective, laid.Size).Schedule))
	}
	return p.Retime()
}

// stayingOf is Staying on one tier if no plan is known.
func (r *Request) stayingOf(ctx context.Context, s *Search) (*plan.Plan, error) {
	if r.onlyPairs() {
		return nil, fmt.Errorf("%w: circuits that stay join pairs only", planner.ErrInfeasible)
	}
	if r.onlyRing() {
		return r.based(ctx, s)
	}
	if r.Fabric.Initial == fabric.InitialFree && !r.exchangesMany() {
		beaten, err := r.beatenElsewhere(ctx, s)
		if err != nil || beaten != nil {
			return beaten, err
		}
		other, err := r.stayingElsewhere(ctx, s)
		if err == nil { // its time saves routing what is slower on the base
			based, err := r.based(ctx, s.within(other.Cost.Total()))
			if errors.Is(err, planner.ErrBeyond) || errors.Is(err, planner.ErrInfeasible) {
				return other, nil
			}
			return faster(based, err, other, nil)
		}
		if !errors.Is(err, planner.ErrBeyond) && !errors.Is(err, planner.ErrInfeasible) {
			return nil, err
		}
	}
	based, err := r.based(ctx, s)
	if err != nil && !errors.Is(err, planner.ErrInfeasible) {
		return nil, err
	}
	// On a dark fabric the cost of the initial set-up may depend on the circuits. A plan that
	// takes longer may then be cheaper to set up, so there is no limit. If circuits other than
	// the base are up at the start, plans on them compete with the base plus the change to it.
	elsewhere := s
	_, uniform := r.Fabric.UniformWait()
	switch {
	case based == nil:
	case r.Fabric.Initial != fabric.InitialDark:
		elsewhere = s.within(based.Cost.Total())
	case uniform:
		elsewhere = s.within(based.Cost.Total() - based.Cost.Reconfiguration)
	}
	other, otherErr := r.stayingElsewhere(ctx, elsewhere)
	if errors.Is(otherErr, planner.ErrBeyond) {
		return based, err
	}
	return faster(based, err, other, otherErr)
}

// onlyPairs reports whether circuits that stay can only join pairs of GPUs and an operation has
// more than two GPUs.
func (r *Request) onlyPairs() bool {
	if !r.Fabric.Duplex || r.Fabric.Ports > 1 || r.Pattern != nil {
		return false
	}
	left := r.Fabric.Nodes
	if alive := r.Fabric.Alive(); alive != nil {
		left = len(alive)
	}
	for _, o := range r.Operations {
		if o.Demand == nil && o.Generator == "" && (o.GPUs == nil && left > 2 || len(o.GPUs) > 2) {
			return true
		}
	}
	return false
}

// onlyRing is OnlyRing for a request.
func (r *Request) onlyRing() bool {
	return r.uniformExchange() && OnlyRing(collective.AllToAll, &r.Fabric)
}

// based is staying on the circuits of the base.
func (r *Request) based(ctx context.Context, s *Search) (*plan.Plan, error) {
	if r.exchangesMany() {
		return r.basedExchange(ctx, s)
	}
	return r.Baseline(ctx, plan.Static, s)
}

// stayingElsewhere is staying on circuits that may differ from the base.
func (r *Request) stayingElsewhere(ctx context.Context, s *Search) (*plan.Plan, error) {
	still, all, s, err := r.Elsewhere(s)
	if err != nil {
		return nil, err
	}
	limited := s
	if forbidding := fabric.Forbidding.Time(); s.scope.limit == 0 || s.scope.limit > forbidding {
		limited = s.within(forbidding)
	}
	p, err := still.Fastest(ctx, all, limited)
	if limited != s && errors.Is(err, planner.ErrBeyond) || err == nil && p.Cost.Total() >= fabric.Forbidding.Time() {
		return nil, fmt.Errorf("%w: every plan reconfigures", planner.ErrInfeasible)
	}
	if err != nil {
		return nil, err
	}
	return p, r.moved(ctx, p)
}

// Elsewhere says how to find the fastest plan on circuits that stay and may differ from the base:
// by which request, planner and search. A plan that reconfigures takes longer than a forbidding
// delay, so no planner need look for one. The error wraps planner.ErrInfeasible if nothing can be
// faster than the base.
func (r *Request) Elsewhere(s *Search) (*Request, planner.Planner, *Search, error) {
	if r.onlyRing() {
		return nil, nil, nil, fmt.Errorf("%w: with one port, all circuits that stay are a ring", planner.ErrInfeasible)
	}
	s = s.staying()
	still := *r
	still.Fabric = Still(r.Fabric)
	all := s.Planners().Best()
	if all == nil {
		return nil, nil, nil, fmt.Errorf("%w: no planner stands for all others", planner.ErrInfeasible)
	}
	return &still, all, s, nil
}
