package verify

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/lightpath-net/lightpath/bound"
	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/units"
)

// checkClaims checks what a plan claims beyond its steps: bounds, its planner's proofs, and
// baselines. Bounds improve over time, so a bound is accepted if it is not above what can be
// proven here.
//
// The algorithm is laid out only once, for all claims that follow from its name.
func checkClaims(ctx context.Context, p *plan.Plan) ([]Check, error) {
	laid, err := p.Collective.Rebuild(ctx, p.Known().Algorithms, p.Fabric.Ports, p.CountSteps())
	algorithm := checkAlgorithm(ctx, p, laid, err)
	checks := []Check{checkBound(p, laid, err, algorithm.OK), algorithm}
	if c, ok := checkOrigin(p); ok {
		checks = append(checks, c)
	}
	if c, ok := checkSymmetry(p); ok {
		checks = append(checks, c)
	}
	if p.Synthesis != nil {
		checks = append(checks, checkSynthesis(p, laid, err))
	}
	if p.Baselines != (plan.Baselines{}) || p.SameAlgorithm != (plan.Baselines{}) {
		checks = append(checks, Check{
			Name: "baselines", Unchecked: true, Detail: "the times of other plans are not recomputed (`baselines` recomputes them)",
		})
	}
	return checks, ctx.Err()
}

// checkBound checks the bounds. If the steps are not known to be those of the algorithm, only
// the bound for any algorithm can be proven.
func checkBound(p *plan.Plan, c collective.Sized, err error, known bool) Check {
	fail := func(format string, args ...any) Check {
		return Check{Name: "bound", Detail: fmt.Sprintf(format, args...)}
	}
	if err := checkBoundClaims(p); err != nil {
		return fail("%v", err)
	}
	if p.Bound == 0 {
		return Check{Name: "bound", OK: true, Detail: "none is claimed"}
	}
	if errors.Is(err, plan.ErrFewerSteps) {
		return fail("%v", err)
	}
	if err != nil || !known {
		if any := p.OperationBound().Total(); p.Bound <= any || plan.Near(p.Bound, any) {
			return Check{Name: "bound", OK: true, Detail: fmt.Sprintf("no plan of any algorithm takes less than %v; gap %.1f%%", p.Bound, 100*p.Gap())}
		}
		return Check{Name: "bound", Unchecked: true, Detail: fmt.Sprintf("claimed %v, not checked: %.80q is not an algorithm known here, with these steps", p.Bound, p.Collective.Algorithm)}
	}
	// A bound for any algorithm holds for this one.
	proven := p.OperationBound().Total()
	if p.Fabric.Fixed.IsZero() {
		proven = max(proven, bound.OfAlgorithm(&p.Fabric, c.Collective, c.Size).Schedule)
	}
	if p.Bound > proven && !plan.Near(p.Bound, proven) {
		return fail("the bound %v is above %v, which is all that can be proven", p.Bound, proven)
	}
	return Check{Name: "bound", OK: true, Detail: fmt.Sprintf("no plan of these steps takes less than %v; gap %.1f%%", p.Bound, 100*p.Gap())}
}

// checkBoundClaims reports bounds that are invalid or contradict the plan.
func checkBoundClaims(p *plan.Plan) error {
	switch {
	case p.Bound < 0 || math.IsNaN(float64(p.Bound)):
		return fmt.Errorf("the bound %v makes no sense", p.Bound)
	case p.File.Bound != nil && *p.File.Bound == 0:
		return errors.New("the bound 0ns makes no sense: every plan takes longer")
	case p.Bound > p.Cost.Total() && !plan.Near(p.Bound, p.Cost.Total()):
		return fmt.Errorf("the bound %v is above the cost %v", p.Bound, p.Cost.Total())
	case p.File.Gap != nil && !plan.Near(units.Time(1+*p.File.Gap), units.Time(1+p.Gap())):
		return fmt.Errorf("the gap %v is not total/bound - 1, which is %v", *p.File.Gap, p.Gap())
	}
	if p.File.OperationBound == nil {
		return nil
	}
	switch claim, real := *p.File.OperationBound, p.OperationBound().Total(); {
	case !(claim >= 0) || claim == 0 && real > 0:
		return fmt.Errorf("the bound %v for any algorithm makes no sense", claim)
	case claim > real && !plan.Near(claim, real):
		return fmt.Errorf("the bound %v for any algorithm is above %v, which is all that can be proven", claim, real)
	}
	return nil
}

// synthesisTolerance is the relative distance of time and bound at which a planner may call a
// plan proven. It is the tolerance of the linear programs behind the proof.
const synthesisTolerance = 1e-6

// checkSynthesis checks what a search for topologies claims to have proven. The claim is true
// if our own bound reaches the plan's time; otherwise only the search could tell.
func checkSynthesis(p *plan.Plan, c collective.Sized, err error) Check {
	s, total := p.Synthesis, p.Cost.Total()
	fail := func(format string, args ...any) Check {
		return Check{Name: "synthesis", Detail: fmt.Sprintf(format, args...)}
	}
	switch {
	case s.Evaluations < 0 || s.Bound < 0 || math.IsNaN(float64(s.Bound)):
		return fail("%d topologies and a bound of %v make no sense", s.Evaluations, s.Bound)
	case s.Bound > total && !plan.Near(s.Bound, total):
		return fail("it says that no schedule takes less than %v, but this one takes %v", s.Bound, total)
	case s.Proven && s.Bound < total*(1-synthesisTolerance):
		return fail("it says that no schedule is faster than %v, but its bound is %v", total, s.Bound)
	case s.Bound == 0 && !s.Proven:
		return Check{Name: "synthesis", OK: true, Detail: "it does not claim to have proven anything"}
	}
	if err == nil {
		if proven := bound.OfAlgorithm(&p.Fabric, c.Collective, c.Size).Schedule; s.Bound <= proven || plan.Near(s.Bound, proven) {
			return Check{Name: "synthesis", OK: true, Detail: fmt.Sprintf("at least %v, which can be proven without it", s.Bound)}
		}
	}
	what := fmt.Sprintf("that no schedule takes less than %v", s.Bound)
	if s.Proven {
		what = "that no topologies give a faster schedule"
	}
	return Check{Name: "synthesis", Unchecked: true, Detail: "the planner's word " + what + ", which only the search could check"}
}
