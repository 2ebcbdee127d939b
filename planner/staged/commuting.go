package staged

import (
	"context"

	"github.com/lightpath-net/lightpath/flow"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/exchange/model"
	"github.com/lightpath-net/lightpath/units"
)

// Circulants, tori and what they are turned into when all circuits are moved along have
// circuits from every u to u + g for as many g as there are ports, in a group of sums. Which of
// h hops comes first does not matter there, so that within h hops of a node are no more than
// C(h+k, k) nodes of k ports: at 1024 nodes and 4 ports they are 10 hops apart on the average,
// where a generalised Kautz graph has 5. A pool has a thousand of them.

// commuting reports whether such circuits may be of use for a request: not where all of the
// work is one step, and that takes longer on any of them than the request allows.
func (w *workload) commuting(r *planner.Request) bool {
	if r.Limit == 0 || r.Fabric.Links != "" || len(w.steps) != 1 {
		return true
	}
	return r.Beyond(w.leastCommuting()) == nil
}

// leastCommuting is the time that the one step takes on such circuits, at least: as many hops as
// it takes for some node to reach all that it sends to, or to be reached, and what the busiest
// sends or receives over its ports; where every node sends to every other, what all circuits
// together carry.
func (w *workload) leastCommuting() units.Time {
	f, class := w.fabric, &w.classes[0]
	peers := f.Nodes - 1
	if class.uniform == 0 {
		peers = degree(class.step)
	}
	hops, reach := 0, 1
	for ; reach <= peers; reach = reach * (f.Ports + hops) / hops { // C(hops+ports, ports)
		hops++
	}
	if class.uniform == 0 {
		load := flow.Load{Peak: class.busiest() / float64(f.Ports), Hops: hops}
		return units.Time(w.price(load, class))
	}
	bytes := class.uniform * float64(model.RelayHops(f.Nodes, 1, f.Ports)) / float64(f.Ports)
	return f.Alpha.Time() + units.Time(hops)*f.Delta.Time() + f.Bandwidth.Transmit(bytes)
}

// rival is a request with the limit that an expander sets, if all of the work is one step in
// which a node sends to many or receives from many, which takes less there than on any circuits
// that commute: these are then left out of the pool before they are made.
func (w *workload) rival(ctx context.Context, r *planner.Request) (*planner.Request, error) {
	if len(w.steps) != 1 || w.classes[0].uniform > 0 || r.Fabric.Links != "" || r.Fabric.Avoid != "" || !w.routable() {
		return r, nil
	}
	up, err := r.Fabric.InitialTopology()
	if err != nil {
		return r, nil // which others are to report
	}
	least := w.leastCommuting()
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
	if up != nil { // what is up is in the pool, and others have to be set up as the expander has
		within.Limit -= r.Fabric.LeastBarrier()
	}
	if within.Limit <= 0 {
		return r, nil
	}
	return &within, nil
}

// MostRouted is the number of transfers of a step up to which harvest looks at circuits on
// which all of them are to be routed, as no symmetry has few stand for all: those of an
// all-to-all of 2048 GPUs. Each takes hundreds of bytes in a plan.
const MostRouted = 1 << 22

// routable reports whether no step has more transfers than MostRouted.
func (w *workload) routable() bool {
	for i := range w.classes {
		if len(w.classes[i].demands)*w.classes[i].step.Group.Order() > MostRouted {
			return false
		}
	}
	return true
}
