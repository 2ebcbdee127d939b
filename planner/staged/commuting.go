package staged

import (
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
// work is that every node sends to every other at once, and that takes longer on any of them
// than the request allows.
func (w *workload) commuting(r *planner.Request) bool {
	if r.Limit == 0 || r.Fabric.Links != "" || len(w.steps) != 1 || w.classes[0].uniform == 0 {
		return true
	}
	return r.Beyond(w.leastCommuting()) == nil
}

// leastCommuting is the time that every node takes to send to every other at once on such
// circuits, at least.
func (w *workload) leastCommuting() units.Time {
	f := w.fabric
	hops, reach := 0, 1
	for ; reach < f.Nodes; reach = reach * (f.Ports + hops) / hops { // C(hops+ports, ports)
		hops++
	}
	bytes := w.classes[0].uniform * float64(model.RelayHops(f.Nodes, 1, f.Ports)) / float64(f.Ports)
	return f.Alpha.Time() + units.Time(hops)*f.Delta.Time() + f.Bandwidth.Transmit(bytes)
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
