package pricing

import (
	"github.com/lightpath-net/lightpath/fabric"
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

// Commuting reports whether such circuits may be of use for a request: not where all of the
// work is one step, and that takes longer on any of them than the request allows.
func (w *Workload) Commuting(r *planner.Request) bool {
	if r.Limit == 0 || !r.Fabric.Links.IsZero() || len(w.Steps) != 1 {
		return true
	}
	return r.Beyond(w.SetUp()+w.LeastCommuting()) == nil
}

// SetUp is what it takes at least to set circuits up that are not up at the start: those that are
// are in the pool whatever they are.
func (w *Workload) SetUp() units.Time {
	if w.Fabric.Initial == fabric.InitialFree {
		return 0
	}
	return w.Fabric.LeastBarrier()
}

// LeastCommuting is the time that the one step takes on such circuits, at least: as many hops as
// it takes for some node to reach all that it sends to, or to be reached, and what the busiest
// sends or receives over its ports; where every node sends to every other, what all circuits
// together carry.
func (w *Workload) LeastCommuting() units.Time {
	f, class := w.Fabric, &w.Classes[0]
	peers := f.Nodes - 1
	if class.Uniform == 0 {
		peers = degree(class.Step, false)
	}
	hops, reach := 0, 1
	for ; reach <= peers; reach = reach * (f.Ports + hops) / hops { // C(hops+ports, ports)
		hops++
	}
	if class.Uniform == 0 {
		load := flow.Load{Peak: class.busiest() / float64(f.Ports), Hops: hops}
		return units.Time(w.price(load, class))
	}
	bytes := class.Uniform * float64(model.RelayHops(f.Nodes, 1, f.Ports)) / float64(f.Ports)
	return f.Alpha.Time() + units.Time(hops)*f.Delta.Time() + f.Bandwidth.Transmit(bytes)
}

// MostRouted is the number of transfers of a step up to which harvest looks at circuits on
// which all of them are to be routed, as no symmetry has few stand for all: those of an
// all-to-all of 2048 GPUs. Each takes hundreds of bytes in a plan.
const MostRouted = 1 << 22

// Routable reports whether no step has more transfers than MostRouted.
func (w *Workload) Routable() bool {
	for i := range w.Classes {
		if len(w.Classes[i].Demands)*w.Classes[i].Step.Group.Order() > MostRouted {
			return false
		}
	}
	return true
}
