package lightpath

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/internal/threads"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/exchange/strategy"
	"github.com/lightpath-net/lightpath/planner/portfolio"
	"github.com/lightpath-net/lightpath/planner/staged"
)

// anyAlgorithm returns a request for the same with algorithms left open. A pattern has no
// other algorithm than its own.
func (r *PlanRequest) anyAlgorithm() *PlanRequest {
	any := *r
	any.Operations = make([]Operation, len(r.Operations))
	for i, o := range r.Operations {
		o.Algorithm = ""
		any.Operations[i] = o
	}
	return &any
}

// extreme is a plan that others are compared with.
type extreme struct {
	role string // static or every-step
	*plan.Plan
	among string // what it is the fastest of, if not of everything
}

// The two extremes.
const (
	roleStatic    = "static"
	roleEveryStep = "every-step"
)

// extremes returns the fastest plan of any planner that does not rewire and the fastest that
// rewires before every step, as far as there are such. made is the answer to the request, nil
// where there is none yet.
func (r *PlanRequest) extremes(ctx context.Context, made *plan.Plan, e *environment) ([]extreme, error) {
	quiet := *e
	quiet.progress, quiet.status, quiet.bare = nil, nil, true
	ends := [...]struct {
		role string
		make func() (*plan.Plan, error)
	}{
		{roleStatic, func() (*plan.Plan, error) { return r.staying(ctx, made, quiet) }},
		{roleEveryStep, func() (*plan.Plan, error) { return r.named(ctx, roleEveryStep, &quiet) }},
	}
	var plans [len(ends)]*plan.Plan
	var errs [len(ends)]error
	threads.Each(ctx, len(ends), func(i int) { plans[i], errs[i] = ends[i].make() })
	var list []extreme
	for i, err := range errs {
		switch {
		case errors.Is(err, planner.ErrInfeasible):
		case err != nil:
			return nil, err
		default:
			x := extreme{role: ends[i].role, Plan: plans[i]}
			if x.role == roleStatic && x.Plan != made {
				x.among = r.staticAmong()
			}
			list = append(list, x)
		}
	}
	return list, nil
}

// staticAmong is portfolio.StaticAmong for the operations of a request.
func (r *PlanRequest) staticAmong() string {
	for _, o := range r.Operations {
		if among := portfolio.StaticAmong(o.Op, &r.Fabric); among != "" {
			return among
		}
	}
	return ""
}

// named returns the fastest plan of a planner; a registry may lack it.
func (r *PlanRequest) named(ctx context.Context, name string, e *environment) (*plan.Plan, error) {
	p, err := e.registry.Lookup(name)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", planner.ErrInfeasible, err)
	}
	return r.fastest(ctx, p, e)
}

// staying returns the fastest plan of any planner that does not rewire: the faster of what
// static makes and what auto makes where a change takes for ever, since what does not change
// takes the same time whatever a change would take. If the answer to the request is one and
// nothing was left out to find it, that is it. A fabric that is dark at the start sets
// circuits up once. Pipelines whose number of pieces is open are tried on the base only, as
// static has them: to look for it on all of harvest's topologies would take longer than to
// plan. So are the steps of algorithms for all-to-alls of many GPUs (portfolio.RoutesSteps).
func (r *PlanRequest) staying(ctx context.Context, made *plan.Plan, e environment) (*plan.Plan, error) {
	if made != nil && made.Reconfigurations == r.Fabric.SetUps() && r.Planner == Auto && r.ChooseBy != ChooseBySimulated {
		return made, nil
	}
	if r.uniformExchange() && portfolio.OnlyRing(collective.AllToAll, &r.Fabric) {
		return r.based(ctx, e)
	}
	if r.Fabric.Initial == fabric.InitialFree && !r.exchangesMany() {
		beaten, err := r.beatenElsewhere(ctx, e)
		if err != nil || beaten != nil {
			return beaten, err
		}
	}
	based, err := r.based(ctx, e)
	if err != nil && !errors.Is(err, planner.ErrInfeasible) {
		return nil, err
	}
	// Where what is set up at the start costs depends on the circuits, and one that takes longer
	// may cost less there.
	if _, uniform := r.Fabric.UniformWait(); based != nil && (uniform || r.Fabric.Initial != fabric.InitialDark) {
		e.limit = based.Cost.Total() - based.Cost.Reconfiguration
	}
	other, otherErr := r.stayingElsewhere(ctx, e)
	if errors.Is(otherErr, planner.ErrBeyond) {
		return based, err
	}
	return faster(based, err, other, otherErr)
}

// based is staying for the circuits of the base.
func (r *PlanRequest) based(ctx context.Context, e environment) (*plan.Plan, error) {
	if r.exchangesMany() {
		return r.basedExchange(ctx, e)
	}
	return r.named(ctx, roleStatic, &e)
}

// stayingElsewhere is staying for circuits that may be others than the base.
func (r *PlanRequest) stayingElsewhere(ctx context.Context, e environment) (*plan.Plan, error) {
	still := *r
	still.ExchangeOptions, still.Synthesis = ExchangeOptions{Strategy: strategy.Auto}, staged.SynthesisPool
	e.registry, e.still = still.planners(&e), true
	still.Fabric.Reconfig = fabric.Reconfig{Model: fabric.Constant, Base: portfolio.Forbidding}
	still.Fabric.Overlap, still.Fabric.Sync = fabric.Overlap{}, 0
	if still.Fabric.Initial == fabric.InitialDark {
		still.Fabric.Initial = fabric.InitialFree
	}
	p, err := still.named(ctx, Auto, &e)
	if err != nil {
		return nil, err
	}
	if p.Cost.Total() >= portfolio.Forbidding.Time() {
		return nil, fmt.Errorf("%w: every plan reconfigures", planner.ErrInfeasible)
	}
	p.Fabric = r.Fabric
	if err := p.Price(); err != nil {
		return nil, err
	}
	return p, nil
}

// compared returns what a plan is compared with: the fastest plan without any rewiring and
// the fastest that rewires before every step, whatever their algorithms.
func (r *PlanRequest) compared(ctx context.Context, made *plan.Plan, e *environment) ([]extreme, error) {
	open := r.anyAlgorithm()
	var answer *plan.Plan
	if slices.EqualFunc(open.Operations, r.Operations, func(a, b Operation) bool { return b.Open() }) && r.Pattern == nil {
		answer = made
	}
	return open.extremes(ctx, answer, e)
}

// overtaking returns a plan of those that a sequence by auto is compared with that is faster than
// it, or nil. Operations of a sequence are planned one after the other on what the one before
// leaves up: where changes are ruled out, another choice for the first can turn out better for
// all of them.
func (r *PlanRequest) overtaking(made *plan.Plan, extremes []extreme) *plan.Plan {
	if len(r.Operations) < 2 || r.Planner != Auto || r.ChooseBy == ChooseBySimulated || slices.ContainsFunc(r.Operations, func(o Operation) bool { return !o.Open() }) {
		return nil
	}
	best := made
	for _, other := range extremes {
		if other.Cost.Total() < best.Cost.Total() && len(other.Stages) > 0 {
			best = other.Plan
		}
	}
	if best == made {
		return nil
	}
	return best
}

// noteExtremes notes in a plan what it is compared with, and how long the packets of all of
// them take.
func (r *PlanRequest) noteExtremes(ctx context.Context, made *plan.Plan, extremes []extreme, e *environment) error {
	for i := range extremes {
		if other := &extremes[i]; other.role == roleStatic && made.Reconfigurations == r.Fabric.SetUps() && made.Cost.Total() < other.Cost.Total() {
			other.Plan = made // which does not rewire, either
		}
	}
	for _, other := range extremes {
		made.Baselines.Set(other.role, other.Cost.Total())
		made.StaticAmong += other.among
	}
	var err error
	if made.Baselines.Direct, err = staticDirect(ctx, made, extremes, e.registry); err != nil {
		return err
	}
	return r.simulateAll(ctx, made, extremes, e)
}
