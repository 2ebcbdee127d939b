package portfolio

import (
	"context"
	"errors"

	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/idle"
)

// charged adapts a planner that makes its own steps to fabrics that charge steps
// (fabric.ChargeSteps). Such planners know only fabrics that charge changes. Their plans for such
// fabrics are also plans for the given one, on which they take at least as long. charged asks for
// plans on several fabrics:
//
//   - on the fabric as it is, but with changes charged;
//   - on one whose steps all take the delay longer and whose changes are free, which is exact for
//     plans that never use the base, except that the first step may be free;
//   - on one whose changes are forbidding, for plans that may need only the base;
//   - for planners whose circuits stay, on the base, where no step pays.
//
// It returns the plan that is the fastest on the given fabric.
type charged struct{ planner.Planner }

// chargedBy wraps a planner that makes its own steps if the fabric charges steps.
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

// Plan implements planner.Planner. The plan has the bound of its operation.
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
			asked.Limit = 0 // the limit is for another cost model
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

// fabrics lists the fabrics for which charged asks the planner.
func (c charged) fabrics(f fabric.Fabric) ([]fabric.Fabric, error) {
	base, err := f.Resting()
	if err != nil {
		return nil, err
	}
	changes := f
	changes.Charge = fabric.ChargeChanges
	all := []fabric.Fabric{changes}
	if wait := f.ConstantWait(); wait > 0 && wait < fabric.Forbidding {
		steps := changes
		steps.Alpha += wait
		steps.Reconfig.Base, steps.Sync = 0, 0
		all = append(all, steps)
	}
	stays := planner.TraitsOf(c.Planner).Circuits == planner.CircuitsStay
	if f.Reconfig.Base < fabric.Forbidding && !stays {
		still := changes
		still.Reconfig.Base = fabric.Forbidding
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

// joinedCharged is joined for the best of all planners if steps are charged. The fastest plan for
// one operation may end on circuits that the next operation pays to leave, so each planner that
// makes its own steps is also tried for all operations. It returns the known plan if none is
// faster.
func (r *Request) joinedCharged(ctx context.Context, s *Search, known *plan.Plan, err error) (*plan.Plan, error) {
	for _, p := range s.Planners() {
		if planner.TraitsOf(p).Composes == nil {
			continue
		}
		made, otherErr := r.joined(ctx, p, s.Unseen())
		if otherErr != nil {
			continue // it does not support all of the operations
		}
		if err != nil || made.Cost.Total() < known.Cost.Total() {
			known, err = made, nil
		}
	}
	return known, err
}
