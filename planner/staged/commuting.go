package staged

import (
	"context"

	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/units"
)

// Circulants, tori and what they are turned into when all circuits are moved along have
// circuits from every u to u + g for as many g as there are ports, in a group of sums. Which of
// h hops comes first does not matter there, so that within h hops of a node are no more than
// C(h+k, k) nodes of k ports: at 1024 nodes and 4 ports they are 10 hops apart on the average,
// where a generalised Kautz graph has 5. A pool has a thousand of them.

// rival is a request with the limit that an expander sets, if all of the work is one step in
// which a node sends to many or receives from many, which takes less there than on any circuits
// that commute: these are then left out of the pool before they are made.
func rival(w *workload, ctx context.Context, r *planner.Request) (*planner.Request, error) {
	if len(w.steps) != 1 || w.classes[0].uniform > 0 || r.Fabric.Links != "" || r.Fabric.Avoid != "" || !w.routable() {
		return r, nil
	}
	least := w.setUp() + w.leastCommuting()
	p := newPool(&r.Fabric)
	p.addExpander(w)
	if r.Beyond(least) != nil || len(p.candidates) == 0 {
		return r, nil
	}
	if floor, _, err := w.cost(ctx, p.candidates[0], 0); err != nil || units.Time(floor) >= least {
		return r, err
	}
	s, err := search(ctx, r, w, p.candidates, anyCandidate)
	switch {
	case noUse(err):
		return r, nil
	case err != nil:
		return nil, err
	}
	within := *r
	within.Limit = units.Time(s.total)
	return &within, nil
}
