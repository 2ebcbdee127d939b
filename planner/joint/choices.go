package joint

import (
	"cmp"
	"context"
	"fmt"

	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/joint/digit"
	"github.com/lightpath-net/lightpath/planner/standin"
)

// choices implements planner.Traits.Choices: for each choice in the best plan, it finds this
// planner's best plan without it. If waits depend on what changes, "best" means the best of the
// plans that were tried. If circuits differ or have failed, the planner plans for stand-ins, and
// there are no choices.
func (x composer) choices(ctx context.Context, r planner.Request) ([]planner.Choice, error) {
	if err := x.supports(r.Collective, &r.Fabric); err != nil {
		return nil, fmt.Errorf("%w: %w", planner.ErrInfeasible, err)
	}
	r.Kept, r.Limit = cmp.Or(r.Kept, planner.NewMemory()), 0
	if standin.Needed(&r.Fabric) {
		return nil, nil
	}
	best, made, err := bestOf(ctx, &r, digit.Limits{Changes: digit.AnyChanges})
	if err != nil || best == nil {
		return nil, err
	}
	var all []planner.Choice
	try := func(has, fewer bool, l digit.Limits, format string, args ...any) {
		if !has || err != nil {
			return
		}
		c := planner.Choice{What: fmt.Sprintf(format, args...), Fewer: fewer}
		if c.Without, _, err = bestOf(ctx, &r, l); err == nil {
			all = append(all, c)
		}
	}
	changes, has := len(best.Stages)-1, made.uses()
	try(changes == 1, true, digit.Limits{}, "the reconfiguration")
	try(changes > 1, true, digit.Limits{Changes: changes - 1}, "so many reconfigurations")
	try(changes > 1, false, digit.Limits{}, "any reconfiguration")
	for _, points := range has.Points {
		try(true, false, digit.Limits{Changes: digit.AnyChanges, NoPoints: points}, "digits of %d", points)
	}
	try(has.Exchange, false, digit.Limits{Changes: digit.AnyChanges, NoExchange: true}, "exchanges")
	try(has.Rungs, false, digit.Limits{Changes: digit.AnyChanges, NoRungs: true}, "sub-digits")
	try(has.Networks, false, digit.Limits{Changes: digit.AnyChanges, NoNetworks: true}, "circuits other than rings")
	try(has.Sums, false, digit.Limits{Changes: digit.AnyChanges, NoSums: true}, "sums over walks")
	try(has.Windows, false, digit.Limits{Changes: digit.AnyChanges, NoWindows: true}, "windows of partial sums")
	try(has.Balls, false, digit.Limits{Changes: digit.AnyChanges, NoBalls: true}, "sums of balls")
	try(has.Cast != digit.NoFamily, false, digit.Limits{Changes: digit.AnyChanges, NoCast: has.Cast}, "%v", has.Cast)
	return all, err
}
