package staged

import (
	"context"
	"errors"
	"fmt"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/flow"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/staged/pass"
	"github.com/lightpath-net/lightpath/planner/staged/pricing"
	"github.com/lightpath-net/lightpath/topology"
)

// OnCircuits routes the steps of a collective over given circuits, each in the least time. The
// error wraps planner.ErrInfeasible if the circuits do not connect a pair.
func OnCircuits(ctx context.Context, r planner.Request, steps []collective.Step, g *topology.Graph) ([]plan.Step, error) {
	w := pricing.NewWorkload(&r, steps)
	s := &pass.Schedule{Work: w, Choice: make([]*pricing.Candidate, len(steps))}
	c := pricing.GraphCandidate(g)
	c.Graph = g
	routed := make([]plan.Step, len(steps))
	for i := range steps {
		s.Choice[i] = c
		var err error
		if routed[i], err = s.PlanStep(ctx, i); err != nil {
			if errors.Is(err, flow.ErrUnreachable) {
				err = fmt.Errorf("%w: %s does not connect the pairs of step %d", planner.ErrInfeasible, g.Name(), i+1)
			}
			return nil, err
		}
	}
	return routed, nil
}
