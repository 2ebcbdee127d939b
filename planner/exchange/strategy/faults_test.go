package strategy

import (
	"math/rand/v2"
	"testing"

	"github.com/lightpath-net/lightpath/planner/exchange/model"
	"github.com/lightpath-net/lightpath/planner/exchange/model/modeltest"
	"github.com/lightpath-net/lightpath/planner/exchange/routing"
)

// TestWithoutLeavesWhatCanBe: no failed link is left, no node has more circuits than ports,
// two-way circuits stay two-way, and only circuits that had to go are removed.
func TestWithoutLeavesWhatCanBe(t *testing.T) {
	random := rand.New(rand.NewPCG(12, 1))
	for range 300 {
		n := 4 + random.IntN(8)
		duplex := random.IntN(2) == 0
		jumps := []int{1, n - 1}
		if !duplex {
			jumps = []int{1, 1 + random.IntN(n-1)}
		}
		f := Faults{Links: map[[2]int]bool{}, Ports: map[int]int{}}
		for range random.IntN(4) {
			f.Links[[2]int{random.IntN(n), random.IntN(n)}] = true
		}
		for range random.IntN(3) {
			f.Ports[random.IntN(n)] = 1
		}
		before := routing.Rings(n, jumps)
		left := f.without(before, 2, duplex)
		out, in := make([]int, n), make([]int, n)
		count := map[[2]int]int{}
		for p, next := range left {
			for u, v := range next {
				if v < 0 {
					continue
				}
				if v != before[p][u] || f.Links[[2]int{u, v}] {
					t.Fatalf("circuit from %d to %d, was to %d", u, v, before[p][u])
				}
				out[u]++
				in[v]++
				count[[2]int{u, v}]++
			}
		}
		for u := range n {
			if out[u] > 2-f.Ports[u] || in[u] > 2-f.Ports[u] {
				t.Fatalf("node %d has %d circuits out and %d in with %d ports", u, out[u], in[u], 2-f.Ports[u])
			}
		}
		for pair, c := range count {
			if duplex && count[[2]int{pair[1], pair[0]}] != c {
				t.Fatalf("%d circuits between %v one way, %d the other", c, pair, count[[2]int{pair[1], pair[0]}])
			}
		}
		if !f.Any() {
			continue
		}
		for p, next := range before {
			for u, v := range next {
				failed := f.Links[[2]int{u, v}] || duplex && f.Links[[2]int{v, u}]
				if left[p][u] < 0 && !failed && f.Ports[u] == 0 && f.Ports[v] == 0 {
					t.Fatalf("circuit from %d to %d is gone for nothing: %+v", u, v, f)
				}
			}
		}
	}
}

// TestSchedulesAroundFaults: every strategy that has a schedule does not use what has failed.
func TestSchedulesAroundFaults(t *testing.T) {
	for _, c := range []struct {
		faults Faults
		ports  int
		duplex bool
	}{
		{faults: Faults{Links: map[[2]int]bool{{0, 1}: true, {1, 0}: true}}, ports: 1},
		{faults: Faults{Links: map[[2]int]bool{{2, 5}: true}, Ports: map[int]int{3: 1}}, ports: 2},
		{faults: Faults{Links: map[[2]int]bool{{1, 2}: true, {2, 1}: true}, Ports: map[int]int{3: 1}}, ports: 2, duplex: true},
	} {
		for _, demand := range []model.Demand{uniformDemand(t, 8, 1), modeltest.Skewed(t, "random", 8)} {
			found := 0
			for _, name := range Names() {
				p := Problem{Demand: demand, Ports: c.ports, Duplex: c.duplex, Faults: c.faults, R: 5, T: 1, Strategy: name}
				s, err := Solve(t.Context(), p)
				if err != nil {
					continue
				}
				found++
				if err := s.Check(demand); err != nil {
					t.Errorf("%s: %v", name, err)
				}
				for i := range s.Stages {
					for e := range s.Graph(i).Edges() {
						if c.faults.Links[[2]int{e.From, e.To}] {
							t.Errorf("%s: stage %d has a circuit from %d to %d", name, i, e.From, e.To)
						}
					}
				}
			}
			if found < 2 {
				t.Errorf("%+v: %d strategies", c, found)
			}
		}
	}
}
