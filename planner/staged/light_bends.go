package staged

import (
	"context"

	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/staged/pass"
	"github.com/lightpath-net/lightpath/planner/staged/pool"
	"github.com/lightpath-net/lightpath/planner/staged/pricing"
)

// lightBends chooses, for every step, the base topology or the circuits that match
// the step ("When Light Bends to the Collective Will", §3.3, Eq. 7), by the dynamic
// program over the two.
//
// The paper starts from the base topology and charges every matched step, and the way back to the
// base. The fabric says both: `initial: base` and `charge: steps`. By default nothing is paid for
// the first circuits, and a change is charged when circuits change, so that two steps with the same
// circuits one after the other pay once.
func lightBends(ctx context.Context, r *planner.Request, v *variants) (*pass.Schedule, error) {
	return v.each(ctx, func(w *pricing.Workload) (*pass.Schedule, error) {
		p := pool.New(&r.Fabric)
		base, err := p.AddBase(w)
		if err != nil {
			return nil, err
		}
		own, err := p.AddEveryMatched(ctx, w)
		if err != nil {
			return nil, err
		}
		return pass.Search(ctx, r, pass.Problem{Work: w, Pool: p.Candidates, Allowed: func(step, c int) bool { return c == base || c == own[step] }})
	})
}
