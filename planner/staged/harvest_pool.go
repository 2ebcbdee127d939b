package staged

import (
	"github.com/lightpath-net/lightpath/planner"
)

// harvestPool makes the pool for a workload. It does not depend on what a change costs.
func harvestPool(r *planner.Request, w *workload) (*pool, error) {
	p := newPool(&r.Fabric)
	commuting, whole := w.commuting(r), !w.symmetricOnly()
	// Without a base (matchings only) the pool is the steps' own circuits.
	if _, err := p.addBase(w); err == nil {
		intact := r.Fabric
		intact.Avoid = ""
		if base, err := intact.BaseTopology(); err == nil && commuting {
			p.addShifts(w, base)
		}
	}
	// What is up at the start need not be paid for. It may have ports that are to be unused.
	if up, err := r.Fabric.InitialTopology(); err == nil && up != nil && up.Bundles() > 0 && r.Fabric.Fits(up) == nil {
		p.add(graphCandidate(up))
	}
	if _, err := p.addEveryMatched(w); err != nil {
		return nil, err
	}
	if err := p.addNarrow(w); err != nil {
		return nil, err
	}
	p.addSubsetRings(w)
	p.addUnions(w)
	if commuting && whole {
		p.addTori()
	}
	if w.routable() && whole {
		p.addExpander(w)
	}
	return p, nil
}
