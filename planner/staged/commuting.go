package staged

import (
	"context"

	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/staged/pass"
	"github.com/lightpath-net/lightpath/planner/staged/pool"
	"github.com/lightpath-net/lightpath/planner/staged/pricing"
	"github.com/lightpath-net/lightpath/units"
)

// rival returns the request limited to the time of a schedule on an expander, if all of the work
// is one step in which a node sends to many or receives from many, and no circuits that commute
// are faster. The pool then leaves these out before it makes them.
func rival(w *pricing.Workload, ctx context.Context, r *planner.Request) (*planner.Request, error) {
	if len(w.Steps) != 1 || w.Classes[0].Uniform > 0 || !r.Fabric.Links.IsZero() || !r.Fabric.Open() || !w.Routable() {
		return r, nil
	}
	least := w.SetUp() + w.LeastCommuting()
	p := pool.New(&r.Fabric)
	p.AddExpander(w)
	if r.Beyond(least) != nil || len(p.Candidates) == 0 {
		return r, nil
	}
	if floor, _, err := w.Cost(ctx, p.Candidates[0], 0); err != nil || units.Time(floor) >= least {
		return r, err
	}
	s, err := pass.Search(ctx, r, pass.Problem{Work: w, Pool: p.Candidates})
	switch {
	case noUse(err):
		return r, nil
	case err != nil:
		return nil, err
	}
	within := *r
	within.Limit = units.Time(s.Total)
	return &within, nil
}
