package pricing

import (
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/flow"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/exchange/model"
	"github.com/lightpath-net/lightpath/units"
)

// Circulants, tori and their translates have circuits from every u to u + g in an additive group,
// for as many g as there are ports. Addition commutes, so the order of hops does not matter, and
// at most C(h+k, k) nodes are within h hops of a node with k ports. At 1024 nodes and 4 ports the
// average distance is 10 hops, while a generalised Kautz graph has 5. A pool has a thousand such
// topologies.

// Commuting reports whether such circuits may be useful for a request. They are not if all of the
// work is one step that takes longer on any of them than the request allows.
func (w *Workload) Commuting(r *planner.Request) bool {
	if r.Limit == 0 || !r.Fabric.Links.IsZero() || len(w.Steps) != 1 {
		return true
	}
	return r.Beyond(w.SetUp()+w.LeastCommuting()) == nil
}

// SetUp returns the least time to set up circuits other than the initial ones. The initial
// circuits are always in the pool.
func (w *Workload) SetUp() units.Time {
	if w.Fabric.Initial == fabric.InitialFree {
		return 0
	}
	return w.Fabric.LeastBarrier()
}

// LeastCommuting returns a lower bound on the time of the only step on such circuits. It counts
// the hops that some node needs to reach all of its targets, or all of its sources to reach it,
// and the bytes that the busiest node sends or receives over its ports. If every node sends to
// every other, it counts the bytes that all circuits carry together.
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

// MostRouted is the number of transfers of a step up to which harvest considers circuits on which
// all of them must be routed, because no symmetry lets few stand for all: the transfers of an
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
