package collective

import "github.com/lightpath-net/lightpath/topology"

// butterfly lays out a reduction in which, in every step s, node u exchanges with
// peer(u, s), peer being its own inverse. In the reduce-scatter u sends what the
// peer and those that the peer will still reach are to own, and keeps the rest; the
// all-gather runs the same steps backwards, each node sending all that it has.
//
// It is correct when the blocks that u reaches after step s are disjoint from those
// that its peer reaches, which is what makes a schedule a butterfly; the verifier
// checks it on data for every algorithm built on this.
func butterfly(op Op, n, steps int, group topology.Translations, peer func(u, s int) int) *Collective {
	var reach func(u, s int) []int
	reach = func(u, s int) []int {
		if s == steps {
			return []int{u}
		}
		return append(reach(u, s+1), reach(peer(u, s), s+1)...)
	}
	exchange := func(s int, action Action) Step {
		step := Step{Group: group}
		for u := range n {
			if _, r := group.Locate(u); r != u {
				continue
			}
			owner := u
			if action == Reduce {
				owner = peer(u, s)
			}
			step.Base = append(step.Base, Transfer{Src: u, Dst: peer(u, s), Action: action, Chunks: Of(reach(owner, s+1))})
		}
		return step
	}
	var scatter, gather []Step
	for s := range steps {
		scatter = append(scatter, exchange(s, Reduce))
	}
	for s := steps - 1; s >= 0; s-- {
		gather = append(gather, exchange(s, Copy))
	}
	return halves(op, SpaceOf(op, n, 1), scatter, gather)
}
