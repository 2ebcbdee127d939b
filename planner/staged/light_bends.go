package staged

import (
	"context"

	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/staged/pass"
	"github.com/lightpath-net/lightpath/planner/staged/pool"
	"github.com/lightpath-net/lightpath/planner/staged/pricing"
)

// lightBends chooses, for every step, the base topology or the circuits that match the step
// ("When Light Bends to the Collective Will", §3.3, Eq. 7), with the dynamic program over the
// two.
//
// The paper starts from the base topology and charges every matched step, and the way back to the
// base. A fabric asks for both with `initial: base` and `charge: steps`. By default the first
// circuits are free and only changes of circuits are charged, so two consecutive steps on the
// same circuits pay once.
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
