package algorithms

import "github.com/lightpath-net/lightpath/collective"

// Scatter and all-gather (van de Geijn): a broadcast that first scatters the buffer over the
// nodes by the binomial tree and then gathers it everywhere on the ring. It takes ceil(log2 n)
// + n-1 steps, in which each node sends about twice the buffer, whatever n. A reduce runs the
// broadcast backwards: reduce-scatter on the ring, then a binomial gather.
var scatterAllGatherAlgorithm = Algorithm{
	Name:  "scatter-allgather",
	About: "binomial scatter, then a ring all-gather; about twice the buffer per node",
	Ops:   []collective.Op{collective.Broadcast, collective.RootReduce},
	Sizes: anySizeWords,
	Ports: onePortWords,
	check: anyNodes,
	build: func(op collective.Op, s collective.Shape) *collective.Collective {
		space := collective.SpaceOf(collective.AllGather, s.Nodes, 1)
		if op == collective.RootReduce {
			scatter, gather := buildRing(collective.ReduceScatter, s), binomialAlgorithm.build(collective.Gather, s)
			return &collective.Collective{Space: space, Steps: append(scatter.Steps, gather.Steps...)}
		}
		scatter, gather := binomialAlgorithm.build(collective.Scatter, s), buildRing(collective.AllGather, s)
		return &collective.Collective{Space: space, Steps: append(scatter.Steps, gather.Steps...)}
	},
}
