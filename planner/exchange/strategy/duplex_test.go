package strategy

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/lightpath-net/lightpath/planner/exchange/model"
	"github.com/lightpath-net/lightpath/planner/exchange/model/modeltest"
)

// TestDuplexSchedulesAreTwoWay: every strategy that plans for two-way circuits keeps to
// them, for all numbers of topologies; the others decline.
func TestDuplexSchedulesAreTwoWay(t *testing.T) {
	for _, c := range []struct{ n, k int }{{2, 1}, {5, 1}, {8, 1}, {8, 2}, {9, 2}, {10, 3}, {12, 4}, {16, 1}} {
		demand := uniformDemand(t, c.n, 1)
		planned := 0
		for _, strategy := range Names() {
			p := Problem{Demand: demand, Ports: c.k, Duplex: true, R: 1, T: 1, Strategy: strategy}
			curve, err := Curve(context.Background(), p, 0)
			if err != nil {
				t.Fatal(err)
			}
			for _, point := range curve {
				p.Stages = point.Stages
				s := solved(t, p)
				if !s.Duplex || s.Slots() != point.Slots {
					t.Errorf("%s n=%d k=%d: duplex %v, %d slots, the curve says %v", strategy, c.n, c.k, s.Duplex, s.Slots(), point)
				}
				if wide := s.Expand(); !wide.Duplex || wide.Check(demand) != nil {
					t.Errorf("%s n=%d k=%d: expanded: %v", strategy, c.n, c.k, wide.Check(demand))
				}
				for i := range s.Stages {
					if g := s.Graph(i); !g.Bidirectional() || g.Degree() > c.k {
						t.Errorf("%s n=%d k=%d: stage %d has degree %d", strategy, c.n, c.k, i, g.Degree())
					}
				}
				planned++
			}
		}
		if planned < 2 {
			t.Errorf("n=%d k=%d: %d schedules, want direct and auto at least", c.n, c.k, planned)
		}
	}
	demand := modeltest.Skewed(t, "random", 8)
	for _, strategy := range []string{Direct, Cayley, Auto} {
		for _, k := range []int{1, 2} {
			p := Problem{Demand: demand, Ports: k, Duplex: true, R: 20, T: 1, Strategy: strategy}
			if s := solved(t, p); !s.Duplex {
				t.Errorf("%s k=%d is not duplex", strategy, k)
			}
		}
	}
}

// TestCheckRefusesOneWayCircuits in a schedule that says they are two-way.
func TestCheckRefusesOneWayCircuits(t *testing.T) {
	s := ring3()
	s.Duplex = true
	if err := s.Check(uniformDemand(t, 3, 1)); !errors.Is(err, model.ErrInvalid) || !strings.Contains(err.Error(), "no partner the other way") {
		t.Errorf("%v", err)
	}
	_, err := Solve(context.Background(), Problem{Demand: uniformDemand(t, 8, 1), Ports: 1, Duplex: true, R: 1, T: 1, Strategy: Paper})
	if want := "strategy paper has none for this demand of 8 nodes with 1 two-way port and any number of topologies"; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%v, want %s", err, want)
	}
}

// TestTournamentPairsEveryoneOnce in the fewest pairings.
func TestTournamentPairsEveryoneOnce(t *testing.T) {
	for n := 2; n <= 13; n++ {
		met := make(map[string]int)
		pairings := tournament(n)
		if want := n - 1 + n%2; len(pairings) != want {
			t.Errorf("n=%d: %d pairings, want %d", n, len(pairings), want)
		}
		for _, partner := range pairings {
			for u, v := range partner {
				if v < 0 {
					continue
				}
				if v == u || partner[v] != u {
					t.Fatalf("n=%d: %v", n, partner)
				}
				met[fmt.Sprint(u, v)]++
			}
		}
		if len(met) != n*(n-1) {
			t.Errorf("n=%d: %d pairs met, want %d", n, len(met), n*(n-1))
		}
		for pair, times := range met {
			if times != 1 {
				t.Errorf("n=%d: %s met %d times", n, pair, times)
			}
		}
	}
}

// TestTwoWayRingsBeatDigits: with two-way circuits on two ports, the generators found need no
// more slots than ReTri's signed digits.
func TestTwoWayRingsBeatDigits(t *testing.T) {
	demand := uniformDemand(t, 27, 1)
	for d := 1; d <= 3; d++ {
		p := Problem{Demand: demand, Ports: 2, Duplex: true, R: 1, T: 1, Stages: d}
		p.Strategy = Retri
		digits := solved(t, p).Slots()
		p.Strategy = Cayley
		if found := solved(t, p).Slots(); found > digits {
			t.Errorf("d=%d: %d slots, ReTri has %d", d, found, digits)
		}
	}
}
