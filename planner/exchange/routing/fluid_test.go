package routing

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/lightpath-net/lightpath/lp"
	"github.com/lightpath-net/lightpath/planner/exchange/model"
)

// amounts draws an uneven demand of large amounts.
func amounts(t *testing.T, random *rand.Rand, n int) model.Demand {
	counts := make([][]int, n)
	for u := range counts {
		counts[u] = make([]int, n)
		for v := range counts[u] {
			if u != v && random.IntN(5) > 0 {
				counts[u][v] = int(1e6 * math.Exp(2*random.NormFloat64()))
			}
		}
	}
	counts[0][n-1], counts[n-1][0] = 1e6, 2e6
	demand, err := model.Amounts(counts)
	if err != nil {
		t.Fatal(err)
	}
	return demand
}

// drawnStages draws circuits at random, with a ring in every stage.
func drawnStages(random *rand.Rand, n, ports, count int) [][][]int {
	stages := make([][][]int, count)
	for i := range stages {
		for p := range ports {
			order := random.Perm(n)
			next := make([]int, n)
			for k, u := range order {
				if next[u] = order[(k+1)%n]; p > 0 && random.IntN(4) == 0 {
					next[u] = -1
				}
			}
			stages[i] = append(stages[i], next)
		}
	}
	return stages
}

// leastSlots returns the exact minimum of the sum over stages of the largest load: it solves a
// linear program over all routes that visit no state twice.
func leastSlots(t *testing.T, stages [][][]int, demand model.Demand, relay bool) float64 {
	n := demand.Nodes()
	type way struct {
		pair int
		hops []model.Leg
	}
	var ways []way
	for u := range n {
		seen := map[[2]int]bool{}
		var hops []model.Leg
		var walk func(stage, at int)
		walk = func(stage, at int) {
			state := [2]int{stage, at}
			if seen[state] {
				return
			}
			seen[state] = true
			if at != u && demand.Count(u, at) > 0 {
				ways = append(ways, way{u*n + at, append([]model.Leg(nil), hops...)})
			}
			for p, next := range stages[stage] {
				if to := next[at]; to >= 0 {
					hops = append(hops, model.Leg{Stage: int32(stage), Port: int32(p*n + at), Hops: 1})
					walk(stage, to)
					hops = hops[:len(hops)-1]
				}
			}
			if stage+1 < len(stages) && (relay || at == u) {
				walk(stage+1, at)
			}
			seen[state] = false
		}
		walk(0, u)
	}
	weights := make([]float64, len(stages)+len(ways))
	for i := range stages {
		weights[i] = 1
	}
	program := lp.NewCovering(weights)
	reach := map[int][]lp.Term{}
	carry := map[[2]int32][]lp.Term{}
	for k, w := range ways {
		reach[w.pair] = append(reach[w.pair], lp.Term{Column: len(stages) + k, Value: 1})
		for _, hop := range w.hops {
			key := [2]int32{hop.Stage, hop.Port}
			carry[key] = append(carry[key], lp.Term{Column: len(stages) + k, Value: -1})
		}
	}
	for pair, terms := range reach {
		program.Add(float64(demand.Count(pair/n, pair%n)), terms...)
	}
	for key, terms := range carry {
		program.Add(0, append(terms, lp.Term{Column: int(key[0]), Value: 1})...)
	}
	values, ok := program.Solve()
	if !ok {
		t.Fatal("no solution")
	}
	sum := 0.0
	for i := range stages {
		sum += values[i]
	}
	return sum
}

// SolveAmounts delivers everything, takes no fewer slots than the exact minimum, and hardly more
// on average. A search for fewer slots than possible gives up.
func TestWaysOfAmountsAreNearTheMinimum(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 1))
	worst, sum, count := 0.0, 0.0, 0
	for range 40 {
		n, ports, stages, relay := 3+random.IntN(3), 1+random.IntN(2), 1+random.IntN(3), random.IntN(3) > 0
		demand, circuits := amounts(t, random, n), drawnStages(random, n, ports, stages)
		least := leastSlots(t, circuits, demand, relay)
		f, err := NewRouter(circuits, ports, demand, relay).SolveAmounts(t.Context(), func(int) bool { return true })
		if err != nil || f == nil {
			t.Fatal(f, err)
		}
		checkFlows(t, f, demand, relay)
		slots := float64(mostLoaded(f.Loads()))
		if slots < least*(1-1e-9) {
			t.Fatalf("%v slots, of at least %v", slots, least)
		}
		worst, sum, count = max(worst, slots/least), sum+slots/least, count+1
		few := func(slots int) bool { return float64(slots) < least/3 }
		if f, err := NewRouter(circuits, ports, demand, relay).SolveAmounts(t.Context(), few); f != nil || err != nil {
			t.Errorf("went on, %v", err)
		}
	}
	if mean := sum / float64(count); mean > 1.03 || worst > 1.5 {
		t.Errorf("%.3f times the minimum on average, %.3f at most", mean, worst)
	}
}

// checkFlows checks that routes follow circuits from source to destination and carry all amounts.
func checkFlows(t *testing.T, f *Flows, demand model.Demand, relay bool) {
	t.Helper()
	n := demand.Nodes()
	sums := make([]int, n*n)
	for _, part := range f.Parts {
		at, stage := int(part.Src), int32(0)
		for h, hop := range part.Hops {
			if int(hop.Port)%n != at || hop.Stage < stage || !relay && h > 0 && hop.Stage != stage {
				t.Fatalf("%+v leaves its way", part)
			}
			at, stage = f.Stages[hop.Stage][int(hop.Port)/n][at], hop.Stage
		}
		if at != int(part.Dst) || part.Amount <= 0 {
			t.Fatalf("%+v ends at %d", part, at)
		}
		sums[int(part.Src)*n+int(part.Dst)] += part.Amount
	}
	for pair, sum := range sums {
		if u, v := pair/n, pair%n; u != v && sum != demand.Count(u, v) {
			t.Fatalf("%d from %d to %d, want %d", sum, u, v, demand.Count(u, v))
		}
	}
}

// With more nodes, amounts divided at will take fewer slots on average than whole parts.
func TestAmountsTakeLessThanParts(t *testing.T) {
	random := rand.New(rand.NewPCG(6, 1))
	sum := 0.0
	const rounds = 8
	for range rounds {
		n, ports, stages := 12+random.IntN(8), 2, 1+random.IntN(4)
		demand, circuits := amounts(t, random, n), drawnStages(random, n, ports, stages)
		all := func(int) bool { return true }
		parts, err := NewRouter(circuits, ports, demand, true).Solve(t.Context(), all)
		if err != nil {
			t.Fatal(err)
		}
		divided, err := NewRouter(circuits, ports, demand, true).SolveAmounts(t.Context(), all)
		if err != nil {
			t.Fatal(err)
		}
		checkFlows(t, divided, demand, true)
		sum += float64(divided.Slots()) / float64(parts.Slots())
	}
	if mean := sum / rounds; mean > 0.95 {
		t.Errorf("%.3f times as many slots", mean)
	}
}

// Summing a tree from its leaves gives the same loads, and the same longest route within each
// stage, as walking its routes one by one.
func TestTreesAddTheAmountsOfTheirWays(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 1))
	for range 20 {
		n, ports, stages := 3+random.IntN(12), 1+random.IntN(3), 1+random.IntN(4)
		demand, circuits := amounts(t, random, n), drawnStages(random, n, ports, stages)
		r := NewRouter(circuits, ports, demand, random.IntN(3) > 0)
		r.equalPrices()
		x := newFluid(newSearches(r))
		for u := range n {
			for range 2 { // from is quicker the second time
				for _, prices := range x.prices {
					for c := range prices {
						prices[c] = max(1e-30, float64(random.IntN(4))) // some add nothing to others
					}
				}
				tree := x.from(u)
				for _, along := range x.along {
					clear(along)
				}
				longest := x.add(u, tree)
				checkAdded(t, x, u, tree, longest)
			}
		}
	}
}

// checkAdded compares the result of add for a tree with the routes to all nodes.
func checkAdded(t *testing.T, x *fluid, u int, tree *cheapest, longest []int32) {
	t.Helper()
	want, hops := make([][]float64, len(x.stages)), make([]int32, len(x.stages))
	for i := range want {
		want[i] = make([]float64, len(x.along[i]))
	}
	for v := range x.nodes {
		count := x.demand.Count(u, v)
		if count == 0 {
			continue
		}
		within := make([]int32, len(x.stages))
		for _, leg := range tree.way(v, x.nodes) {
			want[leg.Stage][leg.Port] += float64(count)
			within[leg.Stage]++
		}
		for i := range hops {
			hops[i] = max(hops[i], within[i])
		}
	}
	if !reflect.DeepEqual(want, x.along) || !slices.Equal(hops, longest) {
		t.Fatalf("from %d: loads %v and hops %v, want %v and %v", u, x.along, longest, want, hops)
	}
}

// Routes round a ring of n nodes have up to n-1 hops. The search gives up where so many hops are
// not worth it, and finds the routes where they are.
func TestWaysOfTooManyHopsAreGivenUp(t *testing.T) {
	const n, hop = 7, 1e6
	demand := amounts(t, rand.New(rand.NewPCG(8, 1)), n)
	search := func(least int, worth func(int) bool) *Flows {
		r := NewRouter([][][]int{Rings(n, []int{1})}, 1, demand, true)
		r.Least, r.Hop = least, hop
		f, err := r.SolveAmounts(t.Context(), worth)
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	slots := search(0, func(int) bool { return true }).Slots()
	// The stage includes one hop; the route to the previous node has n-2 more.
	for _, least := range []int{0, 2 * slots} {
		total := max(slots, least) + (n-2)*hop
		if f := search(least, func(slots int) bool { return slots < total-total/1000 }); f != nil {
			t.Errorf("found ways of %d slots for less than %d with hops", f.Slots(), total)
		}
		if search(least, func(slots int) bool { return slots <= total }) == nil {
			t.Errorf("found no ways of %d slots with hops", total)
		}
	}
}

// BenchmarkAmounts shows how long the search over two topologies for different amounts takes.
func BenchmarkAmounts(b *testing.B) {
	const n = 256
	random := rand.New(rand.NewPCG(9, 1))
	counts := make([][]int, n)
	for u := range counts {
		counts[u] = make([]int, n)
		for v := range counts[u] {
			if v != u {
				counts[u][v] = int(1e5 * math.Exp(random.NormFloat64()))
			}
		}
	}
	demand, err := model.Amounts(counts)
	if err != nil {
		b.Fatal(err)
	}
	for _, stages := range []int{1, 2} {
		drawn := drawnStages(random, n, 2, stages)
		b.Run(fmt.Sprintf("stages=%d", stages), func(b *testing.B) {
			for b.Loop() {
				if _, err := NewRouter(drawn, 2, demand, true).SolveAmounts(b.Context(), func(int) bool { return true }); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
