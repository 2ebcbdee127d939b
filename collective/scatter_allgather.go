package collective

// Scatter and all-gather (van de Geijn): a broadcast that first scatters the buffer
// over the nodes by the binomial tree and then gathers it everywhere round the ring:
// ceil(log2 n) + n-1 steps, of which each node sends about twice the buffer, whatever n.
// A reduce runs it backwards: reduce-scatter round the ring, then a binomial gather.
var scatterAllGatherAlgorithm = Algorithm{
	Name:  "scatter-allgather",
	About: "binomial scatter, then a ring all-gather; about twice the buffer per node",
	Ops:   []Op{Broadcast, RootReduce},
	Sizes: anySizeWords,
	Ports: onePortWords,
	check: anyNodes,
	build: func(op Op, s Shape) *Collective {
		space := SpaceOf(AllGather, s.Nodes, 1)
		if op == RootReduce {
			scatter, gather := buildRing(ReduceScatter, s), binomialAlgorithm.build(Gather, s)
			return &Collective{Space: space, Steps: append(scatter.Steps, gather.Steps...)}
		}
		scatter, gather := binomialAlgorithm.build(Scatter, s), buildRing(AllGather, s)
		return &Collective{Space: space, Steps: append(scatter.Steps, gather.Steps...)}
	},
}
