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

// everyStepLook bounds the time of steps that are split until a GPU has a port for each of its
// peers: the start-ups and hops of the parts, the changes between the parts of a step, and the
// bytes that a GPU sends or receives. On two-way circuits of one port, which join pairs, the peers
// of a GPU are served one after the other.
func everyStepLook(r *planner.Request) units.Time {
	f := &r.Fabric
	if o := f.Overlap.Kind; o == fabric.OverlapPorts || o == fabric.OverlapCircuits {
		return 0
	}
	wait, uniform := f.UniformWait()
	if !uniform || f.Overlap.Kind != fabric.OverlapNone {
		wait = 0
	}
	var total units.Time
	for i := range r.Collective.Steps {
		peers, bytes := busiest(r, &r.Collective.Steps[i])
		parts := (max(1, peers) + f.Ports - 1) / f.Ports
		total += units.Time(parts)*(f.Alpha.Time()+f.Delta.Time()) + units.Time(parts-1)*wait + f.Bandwidth.Transmit(bytes/float64(f.Ports))
	}
	return total
}

// busiest returns the most peers that need circuits of a GPU, and the most bytes that a GPU's
// ports must carry one way. One-way circuits lead to peers or from them; two-way ones do both.
func busiest(r *planner.Request, step *collective.Step) (peers int, bytes float64) {
	space, size := &r.Collective.Space, float64(r.Size)
	// What goes to a peer and what comes from there, for GPUs that stand for their orbits.
	amounts := map[int]map[int]*[2]float64{}
	add := func(u, v, way int, amount float64) {
		k, home := step.Group.Locate(u)
		if amounts[home] == nil {
			amounts[home] = map[int]*[2]float64{}
		}
		peer := step.Group.Back(k, v)
		if amounts[home][peer] == nil {
			amounts[home][peer] = new([2]float64)
		}
		amounts[home][peer][way] += amount
	}
	for _, t := range step.Base {
		amount := space.Bytes(size, t.Chunks)
		add(t.Src, t.Dst, 0, amount)
		add(t.Dst, t.Src, 1, amount)
	}
	for _, by := range amounts {
		var number [2]int // of peers, by direction
		var sums [2]float64
		both := 0.0
		for _, a := range by {
			for way := range a {
				if a[way] > 0 {
					number[way]++
				}
				sums[way] += a[way]
			}
			both += max(a[0], a[1])
		}
		peers, bytes = max(peers, number[0], number[1]), max(bytes, sums[0], sums[1])
		if r.Fabric.Duplex {
			peers = max(peers, len(by))
		}
		if r.Fabric.Duplex && r.Fabric.Ports == 1 {
			bytes = max(bytes, both)
		}
	}
	return peers, bytes
}
