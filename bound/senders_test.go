package bound

import (
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/collective/algorithms"
)

// Listing by node gives what all transfers, image by image, say that each node sends.
func TestSendersListWhatEveryNodeSends(t *testing.T) {
	for _, c := range []struct {
		op   collective.Op
		name string
	}{
		{collective.Broadcast, "scatter-allgather"}, {collective.Broadcast, "binomial"}, {collective.AllReduce, "ring"},
		{collective.AllReduce, "swing"}, {collective.AllReduce, "rabenseifner"}, {collective.AllToAll, "direct"}, {collective.AllGather, "bruck"},
	} {
		for _, ports := range []int{1, 2, 3} {
			made, err := algorithms.New(c.op, c.name, 8, ports)
			if err != nil {
				t.Fatal(err)
			}
			length := func(chunks collective.Chunks) float64 { return float64(chunks.Len()) }
			byNode := make([][]item, made.Nodes)
			orderly := true
			for s, step := range made.Steps {
				for _, base := range step.Base {
					for k := range step.Group.Order() {
						src := step.Group.Apply(k, base.Src)
						byNode[src] = append(byNode[src], item{step: s, last: s, steps: 1, dst: step.Group.Apply(k, base.Dst), bytes: length(base.Chunks)})
					}
				}
			}
			for _, items := range byNode {
				for i := 1; i < len(items); i++ {
					orderly = orderly && items[i].step != items[i-1].step
				}
			}
			senders := newSenders(made, length)
			if got := senders.orderly(); got != orderly {
				t.Errorf("%s %s, %d ports: orderly %v, want %v", c.op, c.name, ports, got, orderly)
			}
			u := 0
			for items := range senders.items() {
				for senders.shared && len(senders.groups) > 0 {
					if _, home := senders.groups[0].Locate(u); home == u {
						break
					}
					u++
				}
				want := inARow(byNode[u])
				if !orderly { // then only the destinations count
					items, want = byDst(items), byDst(want)
				}
				if !slices.Equal(items, want) {
					t.Fatalf("%s %s, %d ports: node %d sends %v, want %v", c.op, c.name, ports, u, items, want)
				}
				u++
			}
			if u == 0 || !senders.shared && u != made.Nodes {
				t.Errorf("%s %s, %d ports: %d nodes were listed", c.op, c.name, ports, u)
			}
		}
	}
}

// inARow joins items of consecutive steps with the same destination.
func inARow(items []item) []item {
	var joined []item
	for _, it := range items {
		if k := len(joined) - 1; k >= 0 && joined[k].dst == it.dst && joined[k].last < it.step {
			joined[k].last, joined[k].steps, joined[k].bytes = it.step, joined[k].steps+1, joined[k].bytes+it.bytes
			continue
		}
		joined = append(joined, it)
	}
	return joined
}

// byDst returns what goes to each node, in order of their numbers.
func byDst(items []item) []item {
	sums := map[int]item{}
	for _, it := range items {
		sum := sums[it.dst]
		sums[it.dst] = item{dst: it.dst, steps: sum.steps + it.steps, bytes: sum.bytes + it.bytes}
	}
	return slices.SortedFunc(maps.Values(sums), func(a, b item) int { return a.dst - b.dst })
}

// Dividing consecutive items with the same destination never helps: joined they have the same
// bound, for any weights, ports and time of a change.
func TestItemsInARowAreNotCutApart(t *testing.T) {
	rng := rand.New(rand.NewPCG(14, 1))
	for range 3000 {
		var items []item
		for s := range 1 + rng.IntN(12) {
			it := item{step: s, last: s, steps: 1, dst: rng.IntN(4), weight: float64(1 + rng.IntN(9))}
			if k := len(items); k > 0 && rng.IntN(2) == 0 {
				it.dst = items[k-1].dst
			}
			items = append(items, it)
		}
		var joined []item
		for _, it := range items {
			if k := len(joined) - 1; k >= 0 && joined[k].dst == it.dst {
				joined[k].weight += it.weight
				continue
			}
			joined = append(joined, it)
		}
		ports, grow, change := 1+rng.IntN(2), rng.IntN(3), float64(rng.IntN(12))
		level := func(h int) int { return ports * int(math.Pow(float64(grow), float64(h-1))) }
		if got, want := intervalBound(joined, level, change), intervalBound(items, level, change); math.Abs(got-want) > 1e-9*want && !math.IsInf(want, 1) {
			t.Fatalf("%v, %d ports that grow by %d, change %v: %v, want %v", items, ports, grow, change, got, want)
		}
	}
}

// The twin considers every stage to its end.
func TestStagesThatTakeTooLongAreOfNoUse(t *testing.T) {
	every := func(items []item, level func(int) int, change float64) float64 {
		best := make([]float64, len(items)+1)
		for i := len(items) - 1; i >= 0; i-- {
			best[i] = math.Inf(1)
			r := newRanking(items, level)
			for j := i; j < len(items); j++ {
				r.add(items[j].dst, items[j].weight)
				rest := best[j+1]
				if j+1 < len(items) {
					rest += change
				}
				best[i] = min(best[i], r.cost+rest)
			}
		}
		return best[0]
	}
	rng := rand.New(rand.NewPCG(35, 1))
	for range 3000 {
		items := make([]item, 1+rng.IntN(14))
		for s := range items {
			items[s] = item{step: s, last: s, steps: 1, dst: rng.IntN(9), weight: float64(1+rng.IntN(9)) / 7}
		}
		ports, grow := 1+rng.IntN(2), rng.IntN(3)
		change := float64(rng.IntN(12)) * []float64{0.1, 1, 1e9}[rng.IntN(3)]
		level := func(h int) int { return ports * int(math.Pow(float64(grow), float64(h-1))) }
		if got, want := intervalBound(items, level, change), every(items, level, change); math.Abs(got-want) > 1e-12*want && !math.IsInf(want, 1) {
			t.Fatalf("%v, %d ports that grow by %d, change %v: %v, want %v", items, ports, grow, change, got, want)
		}
	}
}
