package algorithms

import (
	"slices"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/topology"
)

// butterfly lays out a reduction in which, in every step s, node u exchanges with peer(u, s);
// peer must be its own inverse. In the reduce-scatter u sends the blocks of the peer and of the
// nodes that the peer will still reach, and keeps the rest. The all-gather runs the same steps
// backwards, each node sending all it has.
//
// With several peer functions, each is a separate butterfly on one part of every block, and all
// run in parallel.
//
// The layout is correct if the blocks that u reaches after step s are disjoint from those that
// its peer reaches, which is what makes a schedule a butterfly. The verifier checks that on
// data for every algorithm built on this.
func butterfly(op collective.Op, n, steps int, group topology.Translations, peers ...func(u, s int) int) *collective.Collective {
	parts := len(peers)
	// reach adds the chunks of part p that u is to own or will still pass on.
	var reach func(p, u, s int, chunks []int) []int
	reach = func(p, u, s int, chunks []int) []int {
		if s == steps {
			return append(chunks, u*parts+p)
		}
		return reach(p, peers[p](u, s), s+1, reach(p, u, s+1, chunks))
	}
	exchange := func(s int, action collective.Action) collective.Step {
		step := collective.Step{Group: group}
		for u := range n {
			if _, r := group.Locate(u); r != u {
				continue
			}
			var to []int
			chunks := map[int][]int{} // butterflies that meet at a peer share a transfer
			for p, peer := range peers {
				v := peer(u, s)
				if chunks[v] == nil {
					to = append(to, v)
				}
				owner := u
				if action == collective.Reduce {
					owner = v
				}
				chunks[v] = reach(p, owner, s+1, chunks[v])
			}
			for _, v := range to {
				step.Base = append(step.Base, collective.Transfer{Src: u, Dst: v, Action: action, Chunks: collective.Of(chunks[v])})
			}
		}
		return step
	}
	var scatter, gather []collective.Step
	for s := range steps {
		scatter = append(scatter, exchange(s, collective.Reduce))
		gather = append(gather, exchange(s, collective.Copy))
	}
	slices.Reverse(gather)
	return halves(op, collective.SpaceOf(op, n, parts), scatter, gather)
}
