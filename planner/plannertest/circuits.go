package plannertest

import (
	"context"
	"fmt"
	"math"

	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/units"
)

// circuits plans for a delay four times as long. If circuits do not depend on the delay, the
// times differ only by the reconfigurations. If the plan is the fastest of a set that does not
// depend on the delay, each of the two plans is, at its own delay, no slower than the other.
func circuits(ctx context.Context, s *Subject, c Case, made *plan.Plan) error {
	wait, uniform := c.Fabric.UniformWait()
	if made == nil || s.Circuits == planner.CircuitsOpen || !uniform || c.Fabric.Overlap.Kind != fabric.OverlapNone {
		return nil
	}
	longer := c
	longer.Fabric.Reconfig.Base *= 4
	other, err := s.plan(ctx, longer)
	if err != nil {
		return err
	}
	if other == nil {
		return fmt.Errorf("there is no plan where a change takes %v", longer.Fabric.Reconfig)
	}
	longerWait, _ := longer.Fabric.UniformWait()
	more := longerWait - wait
	at := func(p *plan.Plan, more units.Time) units.Time {
		return p.Cost.Total() + units.Time(p.Reconfigurations)*more
	}
	if s.Circuits == planner.CircuitsStay && made.Reconfigurations > 1 {
		return fmt.Errorf("circuits stay, and yet change %d times", made.Reconfigurations)
	}
	if s.Circuits.Fixed() && (made.Reconfigurations != other.Reconfigurations || math.Abs(float64(at(made, more)/other.Cost.Total())-1) > rounding) {
		return fmt.Errorf("where a change takes %v longer, %d changes and %v become %d and %v", more, made.Reconfigurations, made.Cost.Total(), other.Reconfigurations, other.Cost.Total())
	}
	if other.Cost.Total() > at(made, more)*(1+rounding) || made.Cost.Total() > at(other, -more)*(1+rounding) {
		return fmt.Errorf("the plans at %v and at %v: each must be the faster one there", c.Fabric.Reconfig, longer.Fabric.Reconfig)
	}
	return nil
}
