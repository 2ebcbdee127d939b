package pool

import (
	"context"

	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/staged/pricing"
)

// Harvest makes the pool for a workload. The pool does not depend on what a reconfiguration
// costs.
func Harvest(ctx context.Context, r *planner.Request, w *pricing.Workload) (*Pool, error) {
	p := New(&r.Fabric)
	commuting, whole := w.Commuting(r), !w.SymmetricOnly()
	// Without a base (matchings only) the pool has only the steps' own circuits.
	if _, err := p.AddBase(w); err == nil {
		intact := r.Fabric
		intact.Avoid = fabric.Failures{}
		if base, err := intact.BaseTopology(); err == nil && commuting {
			p.addShifts(ctx, w, base)
		}
	}
	// The initial circuits are free. They may use ports that the request leaves unused.
	if up, err := r.Fabric.InitialTopology(); err == nil && up != nil && up.Bundles() > 0 && r.Fabric.Fits(up) == nil {
		p.Add(pricing.GraphCandidate(up))
	}
	if _, err := p.AddEveryMatched(ctx, w); err != nil {
		return nil, err
	}
	if err := p.addNarrow(ctx, w); err != nil {
		return nil, err
	}
	p.addSubsetRings(w)
	p.addUnions(ctx, w)
	if commuting && whole {
		p.addTori()
	}
	if w.Routable() && whole {
		if g := p.turnedExpander(ctx, w); g != nil {
			p.addFitting(g)
		} else {
			p.AddExpander(w)
		}
		p.addRooted(w)
	}
	if err := p.AddKnown(ctx, r, w); err != nil {
		return nil, err
	}
	return p, ctx.Err()
}
