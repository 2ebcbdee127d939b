package staged

import (
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/flow"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/exchange/model"
	"github.com/lightpath-net/lightpath/units"
)

// commuting reports whether such circuits may be of use for a request: not where all of the
// work is one step, and that takes longer on any of them than the request allows.
func (w *workload) commuting(r *planner.Request) bool {
	if r.Limit == 0 || r.Fabric.Links != "" || len(w.steps) != 1 {
		return true
	}
	return r.Beyond(w.setUp()+w.leastCommuting()) == nil
}

// setUp is what it takes at least to set circuits up that are not up at the start: those that are
// are in the pool whatever they are.
func (w *workload) setUp() units.Time {
	if w.fabric.Initial == fabric.InitialFree {
		return 0
	}
	return w.fabric.LeastBarrier()
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
