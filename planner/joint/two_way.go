package joint

import (
	"context"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/direct"
	"github.com/lightpath-net/lightpath/planner/joint/digit"
)

// mostTwoWay is the number of GPUs up to which gathers on the best two-way topology are looked at.
const mostTwoWay = 256

// fewestTwoWay is the number of ports from which on two-way circuits can be more than a ring.
// Broadcasts of the search go around a ring one way, so for them two are enough.
const fewestTwoWay = 3

// onTwoWay returns the best gathers in coarse steps on two-way topologies that stay, and the best
// broadcasts and reductions on those that are best for an allgather. The topologies are those that
// the finder knows for all ports, and for fewer: the networks of the search are mostly one-way, and
// of odd degree hardly any is two-way. They are tried on a one-way fabric, too, where some
// exchanges are best on them. None that takes as long as most is looked for.
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

// leastTwoWay is no more than an operation on a two-way topology takes: start-ups, as many hops as
// it is to the farthest in a tree, and the bytes that every GPU gets. An allreduce is one step in
// which each gets the vectors of all others, or several with a scatter and a gather of at least a
// part.
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
