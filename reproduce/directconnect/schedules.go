package directconnect

import (
	"context"
	"math/big"
	"slices"

	"github.com/lightpath-net/lightpath/planner/direct/bfb"
	"github.com/lightpath-net/lightpath/planner/direct/expand"
	"github.com/lightpath-net/lightpath/reproduce/claim"
	"github.com/lightpath-net/lightpath/topology"
)

// laid is an allgather with the loads that its transfers put on every circuit.
type laid struct {
	*expand.Allgather
	steps [][]bfb.Transfer
	// load has, for each step and every pair of nodes, what one circuit between them carries, in
	// shards.
	load []map[[2]int]*big.Rat
}

func layOut(a *expand.Allgather) *laid {
	l := &laid{Allgather: a, steps: make([][]bfb.Transfer, a.Steps), load: make([]map[[2]int]*big.Rat, a.Steps)}
	for step, t := range a.All() {
		l.steps[step-1] = append(l.steps[step-1], t)
	}
	for i, transfers := range l.steps {
		l.load[i] = map[[2]int]*big.Rat{}
		for e := range a.Graph.Edges() {
			l.load[i][[2]int{e.From, e.To}] = new(big.Rat)
		}
		for _, t := range transfers {
			sum := l.load[i][[2]int{t.Src, t.Dst}]
			part := new(big.Rat).Sub(t.To.Rat(), t.From.Rat())
			sum.Add(sum, part.Quo(part, big.NewRat(int64(a.Graph.Count(t.Src, t.Dst)), 1)))
		}
	}
	return l
}

// anyAllgathers returns schedules of several kinds: some bandwidth-optimal and some not, some by
// breadth-first broadcast and some in which shards wait.
func anyAllgathers(ctx context.Context) ([]*laid, error) {
	var list []*laid
	for _, expr := range []string{"K(4)", "K(3,3)", "Ring(7)", "Q(3)", "C(9;1,2)", "DC(7;1,3)", "GenKautz(2,9)", "Kautz(2,1)", "UniRing(1,5)", "Torus(3,4)"} {
		g, err := topology.Parse(expr)
		if err != nil {
			return nil, err
		}
		a, err := expand.BFB(ctx, g)
		if err != nil {
			return nil, err
		}
		line, err := expand.Line(ctx, a, 1)
		if err != nil {
			return nil, err
		}
		degree, err := expand.Degree(a, 2)
		if err != nil {
			return nil, err
		}
		list = append(list, layOut(a), layOut(line), layOut(degree))
		if g.Nodes() < 8 {
			power, err := expand.Power(a, 2)
			if err != nil {
				return nil, err
			}
			list = append(list, layOut(power))
		}
	}
	return list, nil
}

// failing counts the schedules for which a claim does not hold.
func failing(holds func(l *laid) bool) func(ctx context.Context) (float64, error) {
	return func(ctx context.Context) (float64, error) {
		all, err := anyAllgathers(ctx)
		if err != nil {
			return 0, err
		}
		return claim.Count(ctx, all, func(l *laid) (bool, error) { return !holds(l), nil })
	}
}

// scheduleTheorems returns the claims of the theorems on schedules themselves: 3, 5 to 8, 14,
// 16, 17 and 19.
func scheduleTheorems() []claim.Entry {
	const of = "of 36 allgathers on 4 to 49 nodes, "
	plain := []string{"K(4)", "K(3,3)", "Ring(7)", "Q(3)", "C(9;1,2)", "DC(7;1,3)", "GenKautz(2,9)", "Kautz(2,1)", "Torus(3,4)", "Torus(2,5)", "DeBruijn(2,3)", "C(15;1,4,5)"}
	return []claim.Entry{
		{ID: "direct-connect/theorem3", Source: "Direct-connect, Theorem 3 (schedules run backwards)",
			Quantity: of + "those that do not add up every shard once when they are run backwards", Recorded: claim.Matched,
			Ours: failing(addsUpBackwards)},
		{ID: "direct-connect/theorem5", Source: "Direct-connect, Theorem 5 (least steps)", Quantity: of + "those with fewer steps than the diameter", Recorded: claim.Matched,
			Ours: failing(func(l *laid) bool {
				diameter, connected := l.Graph.Diameter()
				return connected && l.Steps >= diameter
			})},
		{ID: "direct-connect/theorem6", Source: "Direct-connect, Theorem 6 (least bandwidth)", Quantity: of + "those with less bandwidth than (N-1)/N", Recorded: claim.Matched,
			Ours: failing(func(l *laid) bool { return l.bandwidth().Cmp(leastBandwidth(l.Graph.Nodes())) >= 0 })},
		{ID: "direct-connect/theorem7", Source: "Direct-connect, Theorem 7 (when bandwidth is the least)",
			Quantity: of + "in which nothing arrives twice, those of the least bandwidth whose circuits do not all carry the same in every step, or the other way round", Recorded: claim.Matched,
			Ours: failing(func(l *laid) bool {
				return (l.bandwidth().Cmp(leastBandwidth(l.Graph.Nodes())) == 0) == l.even()
			})},
		{ID: "direct-connect/theorem8", Source: "Direct-connect, Theorem 8 and Corollary 8.1 (time to reduce)",
			Quantity: of + "run backwards, those whose busiest nodes reduce more than y times the data, or not (N-1)/N of it where y is the least", Recorded: claim.Matched,
			Ours: failing(reducesInTime)},
		{ID: "direct-connect/theorem14", Source: "Direct-connect, Theorem 14 (breadth-first broadcast)",
			Quantity: "of 12 topologies, those with a transfer off the shortest paths or in another step than its distance, or a node that lacks a part of a shard", Recorded: claim.Matched,
			Ours: exceptions(plain, broadcastsInOrder)},
		{ID: "direct-connect/theorem16", Source: "Direct-connect, Theorem 16 (linear program 3)",
			Quantity: "of 12 topologies, those with a step that is longer than the least of the program, which maximum flows find", Recorded: claim.Matched,
			Ours: exceptions(plain, func(ctx context.Context, g *topology.Graph) (bool, error) {
				s, err := bfb.Solve(ctx, g, bfb.Options{})
				if err != nil {
					return false, err
				}
				for t, longest := range s.PerStep {
					if ok, err := leastLongest(arrivalsOf(g, t+1), longest); !ok {
						return false, err
					}
				}
				return true, nil
			})},
		{ID: "direct-connect/theorem17", Source: "Direct-connect, Theorem 17 (breadth-first broadcast of least bandwidth)",
			Quantity: "of 12 topologies, those of the least bandwidth without equal neighbourhoods and loads, or the other way round", Recorded: claim.Matched,
			Ours: exceptions(plain, func(ctx context.Context, g *topology.Graph) (bool, error) {
				a, err := expand.BFB(ctx, g)
				if err != nil {
					return false, err
				}
				l := layOut(a)
				return (l.bandwidth().Cmp(leastBandwidth(g.Nodes())) == 0) == (l.equalNeighbourhoods() && l.even()), nil
			})},
		{ID: "direct-connect/theorem19", Source: "Direct-connect, Theorem 19 (when links can be balanced)",
			Quantity: "nodes and steps of 12 topologies whose links can be balanced although a set of shards has too few of them, all sets tried, or the other way round", Recorded: claim.Matched,
			Ours: unlikeTheorem19(plain)},
	}
}

// bandwidth returns the time of the transfers themselves, in units of M/B.
func (l *laid) bandwidth() *big.Rat {
	sum := new(big.Rat)
	for i := range l.load {
		sum.Add(sum, l.longest(i))
	}
	return sum.Mul(sum, big.NewRat(int64(l.Graph.Degree()), int64(l.Graph.Nodes())))
}

// longest returns the load of a step's busiest circuit.
func (l *laid) longest(step int) *big.Rat {
	most := new(big.Rat)
	for _, load := range l.load[step] {
		if load.Cmp(most) > 0 {
			most = load
		}
	}
	return most
}

// even reports whether all circuits carry the same load in every step.
func (l *laid) even() bool {
	for i := range l.load {
		most := l.longest(i)
		for _, load := range l.load[i] {
			if load.Cmp(most) != 0 {
				return false
			}
		}
	}
	return true
}

// equalNeighbourhoods reports whether every node has the same number of nodes at each distance.
func (l *laid) equalNeighbourhoods() bool {
	for t := 1; t <= l.Steps; t++ {
		all := arrivalsOf(l.Graph, t)
		for _, at := range all {
			if len(at.shards) != len(all[0].shards) {
				return false
			}
		}
	}
	return true
}

// addsUpBackwards follows contributions, one for each node, through the transfers in reverse. It
// checks that, for every piece of a shard that no transfer cuts, the owner ends with exactly one
// contribution of each node.
func addsUpBackwards(l *laid) bool {
	n := l.Graph.Nodes()
	of := make([][][]bfb.Transfer, n) // the transfers of each shard by step
	for shard := range of {
		of[shard] = make([][]bfb.Transfer, len(l.steps))
	}
	for i, transfers := range l.steps {
		for _, t := range transfers {
			of[t.Shard][i] = append(of[t.Shard][i], t)
		}
	}
	for shard, steps := range of {
		var cuts []*big.Rat
		for _, transfers := range steps {
			for _, t := range transfers {
				cuts = append(cuts, t.From.Rat(), t.To.Rat())
			}
		}
		slices.SortFunc(cuts, func(a, b *big.Rat) int { return a.Cmp(b) })
		cuts = slices.CompactFunc(cuts, func(a, b *big.Rat) bool { return a.Cmp(b) == 0 })
		if len(cuts) < 2 || cuts[0].Sign() != 0 || cuts[len(cuts)-1].Cmp(big.NewRat(1, 1)) != 0 {
			return false
		}
		for _, from := range cuts[:len(cuts)-1] {
			held := make([][]int, n) // how often a node's sum has each contribution
			for u := range held {
				held[u] = make([]int, n)
				held[u][u] = 1
			}
			for _, transfers := range slices.Backward(steps) {
				sent := map[int][]int{} // the values from before the step
				for _, t := range transfers {
					sent[t.Dst] = slices.Clone(held[t.Dst])
				}
				for _, t := range transfers {
					if t.From.Rat().Cmp(from) <= 0 && t.To.Rat().Cmp(from) > 0 {
						for i, times := range sent[t.Dst] {
							held[t.Src][i] += times
						}
					}
				}
			}
			if slices.ContainsFunc(held[shard], func(times int) bool { return times != 1 }) {
				return false
			}
		}
	}
	return true
}

// reducesInTime checks the reductions of the reversed schedule, in which a node adds what it
// sends in the schedule itself.
func reducesInTime(l *laid) bool {
	sum, n := new(big.Rat), l.Graph.Nodes()
	for _, transfers := range l.steps {
		added := make([]*big.Rat, n)
		for u := range added {
			added[u] = new(big.Rat)
		}
		for _, t := range transfers {
			added[t.Src].Add(added[t.Src], new(big.Rat).Sub(t.To.Rat(), t.From.Rat()))
		}
		sum.Add(sum, slices.MaxFunc(added, func(a, b *big.Rat) int { return a.Cmp(b) }))
	}
	sum.Mul(sum, big.NewRat(1, int64(n))) // shards to data
	y, least := l.bandwidth(), leastBandwidth(n)
	return sum.Cmp(y) <= 0 && (y.Cmp(least) != 0 || sum.Cmp(least) == 0)
}

// broadcastsInOrder checks breadth-first order: the sender is one hop closer to the owner of a
// shard than the receiver, whose distance is the step, and every node receives every shard
// completely.
func broadcastsInOrder(ctx context.Context, g *topology.Graph) (bool, error) {
	a, err := expand.BFB(ctx, g)
	if err != nil {
		return false, err
	}
	n := g.Nodes()
	distance := distancesOf(g)
	got := map[[2]int]*big.Rat{}
	for step, t := range a.All() {
		if int(distance[t.Shard][t.Dst]) != step || int(distance[t.Shard][t.Src]) != step-1 {
			return false, nil
		}
		at := [2]int{t.Dst, t.Shard}
		if got[at] == nil {
			got[at] = new(big.Rat)
		}
		// An Allgather never sends the same data twice.
		got[at].Add(got[at], new(big.Rat).Sub(t.To.Rat(), t.From.Rat()))
	}
	whole := big.NewRat(1, 1)
	for _, sum := range got {
		if sum.Cmp(whole) != 0 {
			return false, nil
		}
	}
	return len(got) == n*(n-1), nil
}
