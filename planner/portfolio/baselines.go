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

// AnyAlgorithm returns a request for the same with algorithms left open. A pattern has no
// other algorithm than its own.
func (r *Request) AnyAlgorithm() *Request {
	any := *r
	any.Operations = make([]collective.Operation, len(r.Operations))
	for i, o := range r.Operations {
		o.Algorithm = ""
		any.Operations[i] = o
	}
	return &any
}

// Extreme is a plan that others are compared with.
type Extreme struct {
	Role plan.Baseline
	*plan.Plan
	Among string // what it is the fastest of, if not of everything
}

// Extremes returns the fastest plan of any planner that does not rewire and the fastest that
// rewires before every step, as far as there are such. made is the fastest plan of all
// planners, nil where that is not known.
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

// Baseline returns the fastest plan of the planner that others are compared with; a registry may
// lack it.
func (r *Request) Baseline(ctx context.Context, b plan.Baseline, s *Search) (*plan.Plan, error) {
	p := s.Planners().Baseline(b)
	if p == nil {
		return nil, fmt.Errorf("%w: no planner is the baseline %s; use %s", planner.ErrInfeasible, b, strings.Join(s.Planners().Names(), ", "))
	}
	return r.Fastest(ctx, p, s)
}

// Staying returns the fastest plan of any planner that does not rewire: the faster of what
// static makes and what auto makes where a change is forbiddingly slow (Still), since a plan
// without changes takes the same time at any delay. If the fastest plan of all planners, made, is
// known and does not, that is it. A fabric that is dark at the start sets
// circuits up once. Pipelines whose number of pieces is open are tried on the base only, as
// static has them: to look for it on all of harvest's topologies would take longer than to
// plan. So are the steps of algorithms for all-to-alls of very many GPUs (RoutesSteps).
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

// staying is Staying without plans that send the same data to everyone separately, where no plan is
// known.
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

// stayingStill is stayingOf where what a change takes depends on the circuits or on what is sent
// meanwhile, and nothing is paid for those that are up first. Plans without a change do not depend
// on that: where all changes take the same, they are soon known, and no ports need be left unused
// (idle.Of).
func (r *Request) stayingStill(ctx context.Context, s *Search) (*plan.Plan, error) {
	still := *r
	still.Fabric = Still(r.Fabric)
	p, err := still.stayingOf(ctx, s)
	if err != nil {
		return nil, err
	}
	return p, r.moved(ctx, p)
}

// moved turns a plan for the fabric whose changes are forbidding into one for that of the request.
// What no other plan beats there may be beaten here, by one that rewires.
func (r *Request) moved(ctx context.Context, p *plan.Plan) error {
	p.Fabric = r.Fabric
	if len(p.Stages) == 0 { // of which only the time is known
		return nil
	}
	if any := p.OperationBound().Total(); any < p.Bound {
		laid := p.Laid(ctx)
		p.Bound = min(p.Bound, max(any, bound.OfAlgorithm(&p.Fabric, laid.Collective, laid.Size).Schedule))
	}
	return p.PriceContext(ctx)
}

// stayingOf is Staying on one tier, where no plan is known.
func (r *Request) stayingOf(ctx context.Context, s *Search) (*plan.Plan, error) {
	if r.onlyPairs() {
		return nil, fmt.Errorf("%w: circuits that stay join pairs only", planner.ErrInfeasible)
	}
	if r.uniformExchange() && OnlyRing(collective.AllToAll, &r.Fabric) {
		return r.based(ctx, s)
	}
	if r.Fabric.Initial == fabric.InitialFree && !r.exchangesMany() {
		beaten, err := r.beatenElsewhere(ctx, s)
		if err != nil || beaten != nil {
			return beaten, err
		}
	}
	based, err := r.based(ctx, s)
	if err != nil && !errors.Is(err, planner.ErrInfeasible) {
		return nil, err
	}
	// On a dark fabric the cost of the initial set-up may depend on the circuits. A plan that
	// takes longer may then be cheaper to set up, so there is no limit. From circuits other than the
	// base, what is on these competes with the base and the change to it.
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

// onlyPairs reports whether circuits that stay join pairs of GPUs only, and an operation has more
// GPUs than that.
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

// based is staying for the circuits of the base.
func (r *Request) based(ctx context.Context, s *Search) (*plan.Plan, error) {
	if r.exchangesMany() {
		return r.basedExchange(ctx, s)
	}
	return r.Baseline(ctx, plan.Static, s)
}

// stayingElsewhere is staying for circuits that may be others than the base.
func (r *Request) stayingElsewhere(ctx context.Context, s *Search) (*plan.Plan, error) {
	s = s.staying()
	still := *r
	still.Fabric = Still(r.Fabric)
	all := s.Planners().Best()
	if all == nil {
		return nil, fmt.Errorf("%w: no planner stands for all others", planner.ErrInfeasible)
	}
	p, err := still.Fastest(ctx, all, s)
	if err != nil {
		return nil, err
	}
	if p.Cost.Total() >= Forbidding.Time() {
		return nil, fmt.Errorf("%w: every plan reconfigures", planner.ErrInfeasible)
	}
	return p, r.moved(ctx, p)
}
