package portfolio

import (
	"context"
	"errors"

	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/idle"
)

// charged is a planner that makes its own steps, on fabrics that charge steps
// (fabric.ChargeSteps). Such planners know only a clock that charges changes. They are asked for
// plans by that clock, which are also plans by the other, and take at least as long there:
//
//   - on the fabric as it is, where only changes are charged;
//   - on one whose steps all take the delay longer and whose changes take nothing, which is exact
//     for plans that never use the base, but for a first step that pays nothing;
//   - on one whose changes are forbidding, for plans that may do with the base;
//   - of planners whose circuits stay, on the base, where no step pays.
//
// The fastest by the fabric's own clock is returned.
type charged struct{ planner.Planner }

// chargedBy returns what plans for a planner that makes its own steps.
func chargedBy(p planner.Planner, f *fabric.Fabric) planner.Planner {
	if f.Charge == fabric.ChargeChanges {
		return p
	}
	return charged{p}
}

// Traits implements planner.Described.
func (c charged) Traits() planner.Traits {
	of := planner.TraitsOf(c.Planner)
	return planner.Traits{Composes: of.Composes, Ops: of.Ops, Listed: of.Listed, Compact: of.Compact, Compare: of.Compare}
}

// Plan implements planner.Planner. The bound of the plan is that of its operation.
func (c charged) Plan(ctx context.Context, r planner.Request) (*plan.Plan, error) {
	fabrics, err := c.fabrics(r.Fabric)
	if err != nil {
		return nil, err
	}
	beyond := error(nil)
	best, err := planner.FastestOf(fabrics, planner.ErrInfeasible, func(f fabric.Fabric) (*plan.Plan, error) {
		asked := r
		asked.Fabric, asked.Bare, asked.Better, asked.Made = f, true, nil, nil
		if f.Alpha != r.Fabric.Alpha || f.Reconfig != r.Fabric.Reconfig {
			asked.Limit = 0 // which is by another clock
		}
		made, err := c.Planner.Plan(ctx, asked)
		if err == nil {
			err = idle.Widen(ctx, made, &r.Fabric)
		}
		if err == nil {
			err = r.Beyond(made.Cost.Total())
		}
		if errors.Is(err, planner.ErrBeyond) {
			beyond = err
			return nil, planner.ErrInfeasible
		}
		return made, err
	})
	switch {
	case errors.Is(err, planner.ErrInfeasible) && beyond != nil:
		return nil, beyond
	case err != nil:
		return nil, err
	}
	if compare := planner.TraitsOf(c.Planner).Compare; compare != nil && !r.Bare {
		err = compare(ctx, r, best)
	}
	return best, err
}

// fabrics lists those that the planner is asked for.
func (c charged) fabrics(f fabric.Fabric) ([]fabric.Fabric, error) {
	base, err := f.Resting()
	if err != nil {
		return nil, err
	}
	changes := f
	changes.Charge = fabric.ChargeChanges
	all := []fabric.Fabric{changes}
	if wait := f.ConstantWait(); wait > 0 && wait < Forbidding {
		steps := changes
		steps.Alpha += wait
		steps.Reconfig.Base, steps.Sync = 0, 0
		all = append(all, steps)
	}
	stays := planner.TraitsOf(c.Planner).Circuits == planner.CircuitsStay
	if f.Reconfig.Base < Forbidding && !stays {
		still := changes
		still.Reconfig.Base = Forbidding
		all = append(all, still)
	}
	if f.Base == "" && stays {
		based := changes
		based.Base = base.Name()
		if same, err := based.BaseTopology(); err == nil && same.Equal(base) {
			all = append(all, based)
		}
	}
	return all, nil
}

// joinedCharged is joined for the best of all planners where steps are charged: what is the fastest
// for one operation may end on circuits that the next pays to leave, so each planner that makes its
// own steps is also tried for all operations. It returns what is known where none is faster.
func (r *Request) joinedCharged(ctx context.Context, s *Search, known *plan.Plan, err error) (*plan.Plan, error) {
	for _, p := range s.Planners() {
		if planner.TraitsOf(p).Composes == nil {
			continue
		}
		made, otherErr := r.joined(ctx, p, s.Unseen())
		if otherErr != nil {
			continue // it is not for all of the operations
		}
		if err != nil || made.Cost.Total() < known.Cost.Total() {
			known, err = made, nil
		}
	}
	return known, err
}
