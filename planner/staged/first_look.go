package staged

import (
	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/flow"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/units"
)

// firstLook is planner.Traits.FirstLook: a lower bound on the planner's plans, computed in time
// linear in the transfers, before circuits are matched or steps are examined one by one. It is 0
// if nothing is known.
func (s extreme) firstLook(r planner.Request) units.Time {
	if r.Validate() != nil || !r.Fabric.Links.IsZero() {
		return 0
	}
	return s.glance(&r)
}

// staticLook bounds an all-to-all on circuits that stay and look the same from every GPU.
// Whatever the steps are, the block of a pair makes at least as many hops as the two GPUs are
// apart, and in every step the circuits carry on average no more than the busiest one.
func staticLook(r *planner.Request) units.Time {
	c, f := r.Collective, &r.Fabric
	if c.Op != collective.AllToAll || !c.Space.Homogeneous() || c.Space.Members != nil || !f.Open() {
		return 0
	}
	base, err := f.BaseTopology()
	if err != nil {
		return 0
	}
	floors, ok := flow.NewFloors(base)
	if !ok {
		return 0
	}
	load, ok := floors.Uniform(float64(r.Size) / float64(f.Nodes))
	if !ok {
		return 0
	}
	steps := len(c.Steps)
	return units.Time(steps)*f.Alpha.Time() + units.Time(max(steps, load.Hops))*f.Delta.Time() + f.Bandwidth.Transmit(load.Peak)
}

// everyStepLook bounds the start-ups and hops: it counts the steps after splitting those in which
// a GPU sends to more others than it has ports.
func everyStepLook(r *planner.Request) units.Time {
	f := &r.Fabric
	if o := f.Overlap.Kind; o == fabric.OverlapPorts || o == fabric.OverlapCircuits {
		return 0
	}
	steps := 0
	for i := range r.Collective.Steps {
		peers := map[int]map[int]bool{} // peers of a GPU that stands for its orbit
		most := 1
		for _, t := range r.Collective.Steps[i].Base {
			k, home := r.Collective.Steps[i].Group.Locate(t.Src)
			if peers[home] == nil {
				peers[home] = map[int]bool{}
			}
			peers[home][r.Collective.Steps[i].Group.Back(k, t.Dst)] = true
			most = max(most, len(peers[home]))
		}
		steps += (most + f.Ports - 1) / f.Ports
	}
	return units.Time(steps) * (f.Alpha.Time() + f.Delta.Time())
}
