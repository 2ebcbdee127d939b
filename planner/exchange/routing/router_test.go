package routing

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/lightpath-net/lightpath/planner/exchange/model"
	"github.com/lightpath-net/lightpath/planner/exchange/model/modeltest"
)

// TestRelabelIsNoWorseAndEnds when no exchange of two nodes helps.
func TestRelabelIsNoWorseAndEnds(t *testing.T) {
	demand := modeltest.Skewed(t, "zipf", 10)
	hops := make([][]int, 10)
	for p := range hops {
		hops[p] = make([]int, 10)
		for q := range hops[p] {
			hops[p][q] = (q - p + 10) % 10
		}
	}
	total := func(at []int) int {
		sum := 0
		for u := range at {
			for v := range at {
				sum += demand.Count(u, v) * hops[at[u]][at[v]]
			}
		}
		return sum
	}
	at, err := Relabel(t.Context(), demand, hops, rand.New(rand.NewPCG(1, 1)).Perm(10))
	if err != nil {
		t.Fatal(err)
	}
	start := make([]int, 10)
	for i := range start {
		start[i] = i
	}
	if sorted := slices.Sorted(slices.Values(at)); !slices.Equal(sorted, start) {
		t.Fatalf("%v is not a permutation", at)
	}
	least := total(at)
	if least > total(start) {
		t.Errorf("%d hops, %d before", least, total(start))
	}
	for u := range at {
		for v := range u {
			before := total(at)
			at[u], at[v] = at[v], at[u]
			if total(at) < before {
				t.Errorf("nodes %d and %d had better change places: %d, was %d", u, v, total(at), before)
			}
			at[u], at[v] = at[v], at[u]
		}
	}
	p := newPlacement(demand, hops, start)
	random := rand.New(rand.NewPCG(2, 1))
	for try := range 400 {
		u, v := random.IntN(10), random.IntN(10)
		if u == v {
			continue
		}
		if try == 200 {
			p.fillCross() // and gains are kept
		}
		before, gain := total(p.at), p.gain(u, v)
		p.exchange(u, v)
		if before-total(p.at) != gain {
			t.Fatalf("nodes %d and %d: gain %d, said %d", u, v, before-total(p.at), gain)
		}
	}
}

// TestRouterFindsTheOnlyWays: on single rings loads are those of the only ways there are.
func TestRouterFindsTheOnlyWays(t *testing.T) {
	demand := modeltest.Skewed(t, "random", 7)
	all := func(int) bool { return true }
	f, err := NewRouter([][][]int{Rings(7, []int{3})}, 1, demand, true).Solve(context.Background(), all)
	if err != nil || f == nil {
		t.Fatal(f, err)
	}
	most := 0
	for u := range 7 {
		load := 0
		for s := range 7 {
			for v := range 7 {
				for w := s; w != v; w = (w + 3) % 7 {
					if w == u {
						load += demand.Count(s, v)
					}
				}
			}
		}
		if got := f.Loads()[0][u]; got != load {
			t.Errorf("circuit of %d carries %d, want %d", u, got, load)
		}
		most = max(most, load)
	}
	if f.Slots() != most {
		t.Errorf("%d slots, want %d", f.Slots(), most)
	}
	even, err := model.Uniform(6, 1)
	if err != nil {
		t.Fatal(err)
	}
	if f, err := NewRouter([][][]int{Rings(6, []int{2})}, 1, even, true).Solve(context.Background(), all); f != nil || err != nil {
		t.Errorf("nodes that are not connected were reached: %v", err)
	}
}

// TestRouterBoundHolds: under any prices the bound is at most what the ways take, even those of
// a search that runs to its end. A search for fewer slots than the bound gives up.
func TestRouterBoundHolds(t *testing.T) {
	all := func(int) bool { return true }
	for _, kind := range modeltest.Kinds {
		demand := modeltest.Skewed(t, kind, 9)
		stages := [][][]int{Rings(9, []int{1, 3}), Rings(9, []int{2, 5})}
		r := NewRouter(stages, 2, demand, true)
		f, err := r.Solve(t.Context(), all)
		if err != nil {
			t.Fatal(err)
		}
		random := rand.New(rand.NewPCG(3, 1))
		largest := 0
		for range 20 {
			for i := range r.loads {
				for c := range r.loads[i] {
					r.loads[i][c] = random.IntN(50)
				}
			}
			r.price()
			bound, ok, err := r.bound(t.Context())
			if !ok || err != nil {
				t.Fatal(ok, err)
			}
			if largest = max(largest, bound); bound > f.Slots() {
				t.Fatalf("%s: bound %d, ways take %d", kind, bound, f.Slots())
			}
		}
		if largest == 0 {
			t.Errorf("%s: no bound at all", kind)
		}
		if f, err := NewRouter(stages, 2, demand, true).Solve(t.Context(), func(slots int) bool { return slots < 1 }); f != nil || err != nil {
			t.Errorf("%s: went on, %v", kind, err)
		}
	}
}

// The twin searches all stages at once.
func TestWaysFoundStageByStageAreThoseOfOneSearch(t *testing.T) {
	random := rand.New(rand.NewPCG(8, 1))
	for range 60 {
		n, ports, stages := 2+random.IntN(9), 1+random.IntN(3), 1+random.IntN(5)
		demand := modeltest.Skewed(t, "zipf", n)
		circuits := make([][][]int, stages)
		for i := range circuits {
			for range ports {
				next := random.Perm(n)
				for u := range next {
					if next[u] == u || random.IntN(5) == 0 {
						next[u] = -1
					}
				}
				circuits[i] = append(circuits[i], next)
			}
		}
		r := NewRouter(circuits, ports, demand, random.IntN(3) > 0)
		r.equalPrices()
		if random.IntN(2) == 0 {
			for _, prices := range r.prices {
				for c := range prices {
					prices[c] = float64(1+random.IntN(3)) / 4
				}
			}
		}
		for u := range n {
			want, cost := r.searchAllStages(u)
			got := r.cheapestFrom(u)
			for s, c := range cost {
				if c != r.cost[s] || !math.IsInf(c, 1) && (got.before[s] != want.before[s] || got.circuit[s] != want.circuit[s]) {
					t.Fatalf("state %d costs %v from %d by %d, want %v from %d by %d", s, r.cost[s], got.before[s], got.circuit[s], c, want.before[s], want.circuit[s])
				}
			}
			if !slices.Equal(got.best, want.best) {
				t.Fatalf("ends %v, want %v", got.best, want.best)
			}
		}
	}
}

func (r *Router) searchAllStages(u int) (*cheapest, []float64) {
	states := len(r.stages) * r.nodes
	t := &cheapest{before: make([]int32, states), circuit: make([]int32, states), best: make([]int32, r.nodes)}
	cost := make([]float64, states)
	for s := range cost {
		cost[s] = math.Inf(1)
	}
	var q visits
	relax := func(to, from, circuit int, c float64) {
		if c < cost[to] {
			cost[to], t.before[to], t.circuit[to] = c, int32(from), int32(circuit)
			q.push(visit{state: int32(to), cost: c})
		}
	}
	relax(u, -1, -1, 0)
	for len(q) > 0 {
		v := q.pop()
		s := int(v.state)
		if v.cost > cost[s] {
			continue
		}
		stage, at := s/r.nodes, s%r.nodes
		if stage+1 < len(r.stages) && (r.relay || at == u) {
			relax(s+r.nodes, s, -1, v.cost)
		}
		for p, next := range r.stages[stage] {
			if to := next[at]; to >= 0 {
				c := p*r.nodes + at
				relax(stage*r.nodes+to, s, c, v.cost+r.prices[stage][c])
			}
		}
	}
	for v := range r.nodes {
		t.best[v] = -1
		least := math.Inf(1)
		for i := range r.stages {
			if s := i*r.nodes + v; cost[s] < least {
				t.best[v], least = int32(s), cost[s]
			}
		}
	}
	return t, cost
}
