package portfolio

import (
	"context"
	"errors"
	"fmt"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/lines"
)

// linesBy returns a finder of plans for lines of grids: the fastest of some planners.
func linesBy(all planner.Registry) lines.Finder {
	return func(ctx context.Context, l lines.Line) (*plan.Plan, error) {
		r := &Request{Operations: []collective.Operation{{Op: l.Op, Size: l.Size}}, Fabric: l.Fabric}
		if l.Stays {
			r.Fabric = Still(l.Fabric)
		}
		if err := r.Fabric.Validate(); err != nil {
			return nil, fmt.Errorf("%w: %w", planner.ErrInfeasible, err)
		}
		s := NewSearch(Options{Planners: all, Bare: true})
		made, err := r.Fastest(ctx, all.Best(), s)
		if err == nil && lines.Usable(made) != nil { // the steps of algorithms are always usable
			if by := all.Improver(); by != nil {
				made, err = r.Fastest(ctx, by, s)
			}
		}
		if err == nil && l.Stays {
			if made.Reconfigurations > 0 {
				return nil, fmt.Errorf("%w: every plan of a line reconfigures", planner.ErrInfeasible)
			}
			made.Fabric = l.Fabric
			err = made.PriceContext(ctx)
		}
		if errors.Is(err, planner.ErrBeyond) {
			err = planner.ErrInfeasible
		}
		return made, err
	}
}
