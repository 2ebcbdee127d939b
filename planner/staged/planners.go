package staged

import (
	"context"
	"errors"

	"github.com/lightpath-net/lightpath/bound"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/staged/pass"
	"github.com/lightpath-net/lightpath/planner/staged/pool"
	"github.com/lightpath-net/lightpath/planner/staged/pricing"
	"github.com/lightpath-net/lightpath/units"
)

// Planners returns the planners of this package, with harvest limited to its pool.
func Planners() []planner.Planner {
	every := newExtreme(nameEveryStep, "reconfigure before every step to circuits that match it; bulk steps as matchings",
		planner.Traits{Baseline: plan.EveryStep, Circuits: planner.CircuitsEveryStep}, everyStep)
	every.least = (*pricing.Workload).LeastMatched
	return []planner.Planner{
		newExtreme(nameStatic, "one topology throughout: the base", planner.Traits{Baseline: plan.Static, Circuits: planner.CircuitsStay}, static),
		every,
		strategy{name: nameLightBends, about: "each step on the base topology or on its own circuits (Addanki, HotNets 2025, §3.3)", choose: lightBends,
			traits: planner.Traits{Circuits: planner.CircuitsBest}},
		Harvest(HarvestOptions{}),
	}
}

// Names of the planners.
const (
	nameStatic     = "static"
	nameEveryStep  = "every-step"
	nameLightBends = "light-bends"
	nameHarvest    = "harvest"
)

// Harvest returns planner harvest. Its pool has every topology that the others use.
func Harvest(o HarvestOptions) planner.Planner {
	h := strategy{name: nameHarvest, about: "each interval of steps on the best topology of a pool (HARVEST, Algorithm 1)", choose: o.harvest,
		traits: planner.Traits{
			Covers:   []string{nameStatic, nameEveryStep, nameLightBends},
			Improves: &planner.Improver{Asked: o.searches(), How: "`synthesis` " + string(SynthesisSearch)},
			Options:  planner.Takes(o, Harvest),
		}}
	if !o.searches() {
		h.pooled, h.traits.Circuits = true, planner.CircuitsBest
	}
	return h
}

// strategy is a planner made of a way to choose a schedule.
type strategy struct {
	name, about string
	choose      func(ctx context.Context, r *planner.Request, v *variants) (*pass.Schedule, error)
	pooled      bool           // harvest without topologies beyond its pool
	traits      planner.Traits // the plain data; Traits adds the functions
}

func (s strategy) Name() string  { return s.name }
func (s strategy) About() string { return s.about }

// Traits implements planner.Described.
func (s strategy) Traits() planner.Traits {
	t := s.traits
	t.Time, t.Compare = s.time, s.compare
	if s.pooled {
		t.AnyDelay = anyDelays
	}
	return t
}

// Plan implements planner.Planner.
func (s strategy) Plan(ctx context.Context, r planner.Request) (*plan.Plan, error) {
	if err := r.Validate(); err != nil {
		return nil, err
	}
	v := newVariants(&r)
	chosen, err := s.choose(ctx, &r, v)
	if err != nil {
		return nil, err
	}
	if err := r.Beyond(units.Time(chosen.Total)); err != nil {
		return nil, err
	}
	p, err := chosen.Build(ctx, &r, s.name)
	if err != nil {
		return nil, err
	}
	p.Bound = bound.OfAlgorithm(&r.Fabric, r.Collective, r.Size).Schedule
	if r.Bare {
		return p, nil
	}
	if p.SameAlgorithm, err = baselines(ctx, r, v); err != nil {
		return nil, err
	}
	return p, nil
}

// time is planner.Traits.Time.
func (s strategy) time(ctx context.Context, r planner.Request) (units.Time, error) {
	if err := r.Validate(); err != nil {
		return 0, err
	}
	r.Progress = nil
	chosen, err := s.choose(ctx, &r, newVariants(&r))
	if err != nil {
		return 0, err
	}
	return units.Time(chosen.Total), r.Beyond(units.Time(chosen.Total))
}

// compare is planner.Traits.Compare.
func (s strategy) compare(ctx context.Context, r planner.Request, p *plan.Plan) error {
	var err error
	p.SameAlgorithm, err = baselines(ctx, r, newVariants(&r))
	return err
}

// variants are the two ways to run a collective: with its steps as they are, and with steps split
// that ask for more circuits than there are ports. If no step does, the two are the same.
type variants struct {
	request *planner.Request
	whole   *pricing.Workload
	parts   *pricing.Workload // set by split; nil if it is the same or impossible
	err     error             // why splitting is impossible
	looked  bool
	pools   map[*pricing.Workload]*pool.Pool // harvest's, once made
}

// pool returns harvest's pool for a variant. The pool is made once, so results about its
// topologies stay known, whatever a reconfiguration costs.
func (v *variants) pool(ctx context.Context, r *planner.Request, w *pricing.Workload) (*pool.Pool, error) {
	if p, ok := v.pools[w]; ok {
		return p, p.AddKnown(ctx, r, w) // an earlier limit may have left them out
	}
	p, err := pool.Harvest(ctx, r, w)
	if err != nil {
		return nil, err
	}
	if v.pools == nil {
		v.pools = map[*pricing.Workload]*pool.Pool{}
	}
	v.pools[w] = p
	return p, nil
}

// tailored returns the pool with the topologies that AddTailored finds.
func (v *variants) tailored(ctx context.Context, r *planner.Request, w *pricing.Workload) (*pool.Pool, error) {
	p, err := v.pool(ctx, r, w)
	if err != nil {
		return nil, err
	}
	return p, p.AddTailored(ctx, w)
}

func newVariants(r *planner.Request) *variants {
	return &variants{request: r, whole: pricing.NewWorkload(r, r.Collective.Steps)}
}

// split returns the second variant, or nil if it is the same as the first. The error says why it
// is impossible.
func (v *variants) split(ctx context.Context) (*pricing.Workload, error) {
	if !v.looked {
		steps, changed, err := split(ctx, &v.request.Fabric, v.request.Collective, v.whole.ClassOf)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		v.looked, v.err = true, err
		if changed && err == nil {
			v.parts = pricing.NewWorkload(v.request, steps)
		}
	}
	return v.parts, v.err
}

// matched returns the workload in which every step fits the ports.
func (v *variants) matched(ctx context.Context) (*pricing.Workload, error) {
	parts, err := v.split(ctx)
	if parts == nil && err == nil {
		return v.whole, nil
	}
	return parts, err
}

// each runs a choice on every variant and returns the best schedule. The second choice knows the
// total of the first and need not find a slower schedule.
func (v *variants) each(ctx context.Context, choose func(w *pricing.Workload) (*pass.Schedule, error)) (*pass.Schedule, error) {
	best, err := choose(v.whole)
	if err != nil && !noUse(err) {
		return nil, err
	}
	parts, _ := v.split(ctx)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if parts == nil {
		return best, err
	}
	if err == nil {
		parts.Known = best.Total
	}
	other, otherErr := choose(parts)
	parts.Known = 0
	switch {
	case otherErr != nil && !noUse(otherErr):
		return nil, otherErr
	case err != nil:
		return other, otherErr
	case otherErr == nil && other.Total < best.Total:
		return other, nil
	}
	return best, nil
}

// noUse reports whether there is no schedule, or none within the limit.
func noUse(err error) bool { return isInfeasible(err) || errors.Is(err, planner.ErrBeyond) }
