package finder

import (
	"cmp"
	"context"
	"math/big"
	"slices"

	"github.com/lightpath-net/lightpath/topology"
)

// addManyPorts adds topologies for nodes with at least as many ports as there are other nodes.
// All shards can then arrive in one step, but unless the ports divide evenly, some circuit
// carries a whole shard while others idle. With fewer neighbours, and equally many circuits to
// each, a second step can make up for that. So the frontier has a point of one step, and points
// of more steps down to the least bandwidth. Circulants with repeated jumps provide both kinds.
// Graphs of the families are added, too.
func (f *Finder) addManyPorts(ctx context.Context, k key, p *pool) error {
	if k.degree < k.nodes {
		return nil
	}
	families := slices.Collect(topology.OfNodes(k.nodes, k.degree))
	if err := f.addFamilies(ctx, k, p, families); err != nil {
		return err
	}
	wheels := wheelsOf(k)
	slices.SortStableFunc(wheels, func(a, b wheel) int { return a.floor.Cmp(b.floor) })
	failed := 0
	for _, w := range wheels {
		known := reversible | constructed
		if k.twoWay {
			known |= twoWay
		}
		least := Cost{f.halves * w.diameter, new(big.Rat).Mul(w.floor, big.NewRat(int64(f.halves), 1))}
		if failed == rivals || p.covers(least, known|plain) {
			continue
		}
		before := len(p.members)
		if _, err := f.check(ctx, k, p, w.expr, known); err != nil {
			return err
		}
		if len(p.members) == before {
			failed++
		}
	}
	return nil
}

// wheel is a circulant with repeated jumps.
type wheel struct {
	expr     topology.Expr
	diameter int
	// floor is the bandwidth if all steps after the first keep all ports busy: the first
	// takes as long as the jump that is repeated least often.
	floor *big.Rat
}

// wheelsOf returns two wheels for every number of different jumps: one with the jumps 1, 2, ..
// and one whose jumps write every number with the fewest digits. Each jump is repeated equally
// often or once more.
func wheelsOf(k key) []wheel {
	var all []wheel
	reach := newSpan(k.nodes)
	add := func(jumps []int, half bool) {
		times := multiplicities(k, jumps, half)
		if times == nil {
			return
		}
		var different, list []int
		least := k.degree
		for a, count := range times {
			if count > 0 {
				different = append(different, a)
				least = min(least, count)
				list = append(list, slices.Repeat([]int{a}, count)...)
			}
		}
		diameter, ok := reach.diameter(different, k.nodes)
		if !ok {
			return
		}
		// (d/n) (1/least + (n-1-j)/d), in M/B.
		floor := big.NewRat(1, int64(least))
		floor.Add(floor, big.NewRat(int64(k.nodes-1-len(different)), int64(k.degree)))
		floor.Mul(floor, big.NewRat(int64(k.degree), int64(k.nodes)))
		all = append(all, wheel{family("DC", append([]int{k.nodes}, list...)...), diameter, floor})
	}
	largest := k.nodes - 1
	if k.twoWay {
		largest = (k.nodes - 1) / 2
	}
	for count := 1; count <= largest; count++ {
		next := make([]int, count)
		for i := range next {
			next[i] = i + 1
		}
		digits := newJumpSets(count, largest, nil).digits(k.nodes)
		for _, set := range [][]int{next, digits} {
			add(set, false)
			if k.twoWay && k.nodes%2 == 0 {
				add(set, true)
			}
		}
	}
	slices.SortStableFunc(all, func(a, b wheel) int {
		return cmp.Or(cmp.Compare(a.diameter, b.diameter), a.floor.Cmp(b.floor))
	})
	return slices.CompactFunc(all, func(a, b wheel) bool { return a.expr.String() == b.expr.String() })
}

// multiplicities spreads the ports over out-jumps: those of the set; if two-way, also the
// opposite ones; and half the circle if asked for or if one port remains. It returns how often
// each jump occurs, or nil if the ports cannot be spread that way.
func multiplicities(k key, set []int, half bool) []int {
	times := make([]int, k.nodes)
	width := len(set)
	if k.twoWay {
		width *= 2
	}
	if half {
		width++
	}
	each, rest := k.degree/width, k.degree%width
	if each == 0 {
		return nil
	}
	if half {
		times[k.nodes/2] = each
	}
	for _, a := range set {
		times[a] += each
		if k.twoWay {
			times[k.nodes-a] += each
		}
	}
	if k.twoWay && rest%2 == 1 {
		if k.nodes%2 == 1 {
			return nil
		}
		times[k.nodes/2]++
		rest--
	}
	for i := 0; rest > 0; i = (i + 1) % len(set) {
		times[set[i]]++
		rest--
		if k.twoWay {
			times[k.nodes-set[i]]++
			rest--
		}
	}
	return times
}
