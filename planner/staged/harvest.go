package staged

import (
	"context"
	"errors"

	"github.com/lightpath-net/lightpath/bound"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/staged/pass"
	"github.com/lightpath-net/lightpath/planner/staged/pricing"
)

// harvest chooses the best topology of a pool for every interval of steps (HARVEST, Algorithm 1):
// the base and all its shifts, the circuits that match each step, tori and an expander (appendix
// A). Beyond the paper, the pool has circulants of the steps' offsets, rings in orders that suit
// the steps, and the best known graphs.
func (o HarvestOptions) harvest(ctx context.Context, r *planner.Request, v *variants) (*pass.Schedule, error) {
	if err := o.Complete(); err != nil {
		return nil, err
	}
	if o.searches() {
		return synthesise(ctx, r, v, o)
	}
	return searchPool(ctx, r, v)
}

// searchPool finds the best schedule of the whole pool.
func searchPool(ctx context.Context, r *planner.Request, v *variants) (*pass.Schedule, error) {
	return v.each(ctx, func(w *pricing.Workload) (*pass.Schedule, error) {
		if err := w.TooSlow(r); err != nil {
			return nil, err
		}
		within, err := rival(w, ctx, r)
		if err != nil {
			return nil, err
		}
		p, err := v.pool(ctx, within, w)
		if err != nil {
			return nil, err
		}
		if p.MayTailor(w) {
			// A search is useful only if the pool's best is not the best of all.
			least := float64(bound.OfAlgorithm(&r.Fabric, r.Collective, r.Size).Schedule)
			s, err := pass.Search(ctx, r, pass.Problem{Work: w, Pool: p.Candidates, Allowed: w.Alike(p.Candidates)})
			if err == nil && s.Total <= least*(1+pricing.TieTolerance) {
				return s, nil
			}
			if err := p.AddTailored(ctx, w); err != nil {
				return nil, err
			}
		}
		return pass.Search(ctx, r, pass.Problem{Work: w, Pool: p.Candidates, Allowed: w.Alike(p.Candidates)})
	})
}

func isInfeasible(err error) bool { return errors.Is(err, planner.ErrInfeasible) }
