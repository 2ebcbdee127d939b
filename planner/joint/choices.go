package joint

import (
	"cmp"
	"context"
	"fmt"

	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/standin"
)

// Choices implements planner.Chooser: for each choice in the best plan, this planner's best plan
// without it. If waits depend on what changes, the best is the best of the plans that were tried.
// If circuits differ or have failed, the planner plans for stand-ins, and there are no choices.
func (x composer) Choices(ctx context.Context, r planner.Request) ([]planner.Choice, error) {
	if err := x.Supports(r.Collective, &r.Fabric); err != nil {
		return nil, fmt.Errorf("%w: %w", planner.ErrInfeasible, err)
	}
	r.Kept = cmp.Or(r.Kept, planner.NewMemory())
	if standin.Needed(&r.Fabric) {
		return nil, nil
	}
	best, made, err := bestOf(ctx, &r, limits{changes: anyChanges})
	if err != nil || best == nil {
		return nil, err
	}
	var all []planner.Choice
	try := func(has, fewer bool, l limits, format string, args ...any) {
		if !has || err != nil {
			return
		}
		c := planner.Choice{What: fmt.Sprintf(format, args...), Fewer: fewer}
		if c.Without, _, err = bestOf(ctx, &r, l); err == nil {
			all = append(all, c)
		}
	}
	changes, has := len(best.Stages)-1, made.uses()
	try(changes == 1, true, limits{}, "the rewiring")
	try(changes > 1, true, limits{changes: changes - 1}, "so many rewirings")
	try(changes > 1, false, limits{}, "any rewiring")
	for _, points := range has.points {
		try(true, false, limits{changes: anyChanges, noPoints: points}, "digits of %d", points)
	}
	try(has.exchange, false, limits{changes: anyChanges, noExchange: true}, "exchanges")
	try(has.rungs, false, limits{changes: anyChanges, noRungs: true}, "sub-digits")
	try(has.networks, false, limits{changes: anyChanges, noNetworks: true}, "circuits other than rings")
	try(has.sums, false, limits{changes: anyChanges, noSums: true}, "sums over walks")
	try(has.windows, false, limits{changes: anyChanges, noWindows: true}, "windows of partial sums")
	try(has.cast != noFamily, false, limits{changes: anyChanges, noCast: has.cast}, "%v", has.cast)
	return all, err
}
