package joint

import (
	"context"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/direct"
	"github.com/lightpath-net/lightpath/planner/joint/digit"
)

// mostTwoWay is the largest number of GPUs for which gathers on the best two-way topology are
// tried.
const mostTwoWay = 256

// fewestTwoWay is the least number of ports with which two-way circuits can form more than a
// ring. For broadcasts two ports are enough, because the search sends them around a ring in one
// direction only.
const fewestTwoWay = 3

// onTwoWay returns the best gathers in coarse steps on two-way topologies that stay, and the best
// broadcasts and reductions on the two-way topologies that are best for an allgather. The finder
// provides these topologies, for all ports and for fewer: the networks of the search are mostly
// one-way, and hardly any of odd degree is two-way. They are tried on a one-way fabric as well,
// because some exchanges are fastest on them. Plans that would take as long as most are skipped.
func onTwoWay(ctx context.Context, r *planner.Request, l digit.Limits, most float64) ([]option, error) {
	both := *r
	both.Fabric.Duplex = true
	r = &both
	f := &r.Fabric
	asked, fewest := r.Collective.Op, fewestTwoWay
	if asked == collective.Broadcast || asked == collective.RootReduce {
		gather := *r.Collective
		gather.Op = collective.AllGather
		r.Collective, fewest = &gather, fewestTwoWay-1
	}
	_, gathers := direct.Schedulable(r.Collective.Op)
	if !gathers || f.Nodes > mostTwoWay || f.Restricts() || !f.Avoid.IsZero() || r.Collective.Space.Members != nil ||
		l.NoNetworks || l.NoUneven || l.NoPoints == f.Nodes {
		return nil, nil
	}
	var all []option
	for ports := f.Ports; ports >= fewest; ports-- {
		m := digit.NewMachine(f, ports, f.Nodes)
		if l.NoLines && ports == f.Ports || leastTwoWay(m, r, asked) >= most {
			continue
		}
		g, err := direct.Fastest(ctx, r, ports)
		if err != nil {
			return nil, err
		}
		if g == nil {
			continue
		}
		s := digit.NewSearchOn(digit.Question{
			Machine: m, Limits: l, Keep: 1, Nodes: f.Nodes, Bytes: float64(r.Size), Memory: r.Kept,
			Stopped: func() bool { return ctx.Err() != nil },
		}, g)
		for _, o := range found(s, asked, func(time float64, _ int) float64 { return time * (1 - rounding) }) {
			all, most = append(all, o), min(most, o.time)
		}
	}
	return all, nil
}

// leastTwoWay returns a lower bound on the time of an operation on a two-way topology. It counts
// start-ups, the hops to the farthest GPU in a tree, and the bytes that every GPU receives. An
// allreduce takes either one step, in which each GPU receives the vectors of all others, or
// several steps that scatter and gather at least a part.
func leastTwoWay(m digit.Machine, r *planner.Request, op collective.Op) float64 {
	hops, within, next := 0, 1, m.Ports
	for within < r.Fabric.Nodes {
		hops, within, next = hops+1, within+next, next*(m.Ports-1)
	}
	others := float64(r.Fabric.Nodes - 1)
	takes := func(steps, vectors float64) float64 {
		return m.Alpha*steps + m.Delta*max(steps, float64(hops)) + m.PerByte*float64(r.Size)*vectors/float64(m.Ports)
	}
	shards := others / float64(r.Fabric.Nodes)
	switch op {
	case collective.AllReduce:
		return min(takes(1, others), takes(2, 2*shards))
	case collective.Broadcast, collective.RootReduce:
		return takes(1, 1)
	}
	return takes(1, shards)
}
