package staged

import (
	"context"
	"errors"
	"math"

	"github.com/lightpath-net/lightpath/bound"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/units"
)

// Planners returns the planners of this package, harvest with its pool alone.
func Planners() []planner.Planner { return PlannersWith(HarvestOptions{}) }

// PlannersWith returns the planners of this package, harvest with the given options.
func PlannersWith(o HarvestOptions) []planner.Planner {
	return []planner.Planner{
		newExtreme("static", "one topology throughout: the base", static, staticLook),
		newExtreme("every-step", "rewire before every step to circuits that match it; bulk steps as matchings", everyStep, everyStepLook),
		strategy{name: "light-bends", about: "each step on the base topology or on its own circuits (Addanki, HotNets 2025, §3.3)", choose: lightBends},
		Harvest(o),
	}
}

// Harvest returns planner harvest.
func Harvest(o HarvestOptions) planner.Planner {
	return strategy{name: "harvest", about: "each interval of steps on the best topology of a pool (HARVEST, Algorithm 1)", choose: o.harvest,
		pooled: o.Synthesis == "" || o.Synthesis == SynthesisPool}
}

// Covers implements planner.Covering: HARVEST's pool has every topology that the
// others use.
func (s strategy) Covers() []string {
	if s.name == "harvest" {
		return []string{"static", "every-step", "light-bends"}
	}
	return nil
}

// strategy is a planner made of a way to choose a schedule.
type strategy struct {
	name, about string
	choose      func(ctx context.Context, r *planner.Request, v *variants) (*schedule, error)
	pooled      bool // harvest that looks for no topologies beyond its pool
}

func (s strategy) Name() string  { return s.name }
func (s strategy) About() string { return s.about }

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
	if err := r.Beyond(units.Time(chosen.total)); err != nil {
		return nil, err
	}
	p, err := chosen.build(ctx, &r, s.name)
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

// Time implements planner.Timer.
func (s strategy) Time(ctx context.Context, r planner.Request) (units.Time, error) {
	if err := r.Validate(); err != nil {
		return 0, err
	}
	r.Progress = nil
	chosen, err := s.choose(ctx, &r, newVariants(&r))
	if err != nil {
		return 0, err
	}
	return units.Time(chosen.total), r.Beyond(units.Time(chosen.total))
}

// Compare implements planner.Comparer.
func (s strategy) Compare(ctx context.Context, r planner.Request, p *plan.Plan) error {
	var err error
	p.SameAlgorithm, err = baselines(ctx, r, newVariants(&r))
	return err
}

// variants are the two ways to take a collective: its steps as they are, and with
// those taken apart that ask for more circuits than there are ports. Where none
// does, they are the same.
type variants struct {
	request *planner.Request
	whole   *workload
	parts   *workload // once split was called; nil if it is the same or impossible
	err     error     // why it is impossible
	looked  bool
}

func newVariants(r *planner.Request) *variants {
	return &variants{request: r, whole: newWorkload(r, r.Collective.Steps)}
}

// split returns the second variant, nil if it is the same as the first, or why it is
// impossible.
func (v *variants) split() (*workload, error) {
	if !v.looked {
		v.looked = true
		steps, changed, err := split(&v.request.Fabric, v.request.Collective, v.whole.classOf)
		v.err = err
		if changed && err == nil {
			v.parts = newWorkload(v.request, steps)
		}
	}
	return v.parts, v.err
}

// matched returns the workload in which every step fits the ports.
func (v *variants) matched() (*workload, error) {
	parts, err := v.split()
	if parts == nil && err == nil {
		return v.whole, nil
	}
	return parts, err
}

// each runs a choice on every variant and returns the best schedule. For the second the
// first is known: none need be found that takes longer.
func (v *variants) each(choose func(w *workload) (*schedule, error)) (*schedule, error) {
	best, err := choose(v.whole)
	if err != nil && !noUse(err) {
		return nil, err
	}
	parts, _ := v.split()
	if parts == nil {
		return best, err
	}
	parts.known = best
	other, otherErr := choose(parts)
	parts.known = nil
	switch {
	case otherErr != nil && !noUse(otherErr):
		return nil, otherErr
	case err != nil:
		return other, otherErr
	case otherErr == nil && other.total < best.total:
		return other, nil
	}
	return best, nil
}

// noUse reports whether there is no schedule, or none within the limit.
func noUse(err error) bool { return isInfeasible(err) || errors.Is(err, planner.ErrBeyond) }

func anyCandidate(int, int) bool { return true }

// addEveryMatched adds the matched topology of every step and returns their places;
// -1 for a step that has none.
func (p *pool) addEveryMatched(w *workload) ([]int, error) {
	byClass := make([]int, len(w.classes))
	for i := range byClass {
		byClass[i] = math.MinInt
	}
	own := make([]int, len(w.steps))
	for i := range w.steps {
		class := w.classOf[i]
		if byClass[class] == math.MinInt {
			byClass[class] = -1
			if fitsPorts(p.fabric, w.steps[i]) {
				place, err := p.addMatched(w, i)
				if err != nil {
					return nil, err
				}
				byClass[class] = place
			}
		}
		own[i] = byClass[class]
	}
	return own, nil
}
