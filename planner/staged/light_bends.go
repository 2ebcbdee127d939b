package staged

import (
	"context"

	"github.com/lightpath-net/lightpath/planner"
)

// lightBends chooses, for every step, the base topology or the circuits that match
// the step ("When Light Bends to the Collective Will", §3.3, Eq. 7), by the dynamic
// program over the two.
//
// Deviations: the paper starts from the base topology and charges every matched step;
// here the fabric says what is up at the start (`initial: base` for the paper's), and
// a change is charged when circuits change, so that two steps with the same circuits
// one after the other pay once.
func lightBends(ctx context.Context, r *planner.Request, v *variants) (*schedule, error) {
	return v.each(func(w *workload) (*schedule, error) {
		p := newPool(&r.Fabric)
		base, err := p.addBase(w)
		if err != nil {
			return nil, err
		}
		own, err := p.addEveryMatched(w)
		if err != nil {
			return nil, err
		}
		return search(ctx, r, w, p.candidates, func(step, c int) bool { return c == base || c == own[step] })
	})
}
