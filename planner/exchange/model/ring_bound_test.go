package model

import (
	"iter"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/lightpath-net/lightpath/internal/permutations"
)

// No fixed circuits of one port carry a demand with fewer bytes on the busiest circuit. The
// test tries all ways to wire up to six nodes, including those with several rings.
func TestRingBytesHoldForAllCircuits(t *testing.T) {
	r := rand.New(rand.NewPCG(35, 2))
	reached, higher := 0, 0
	for i := range 300 {
		n := 2 + i%5
		amounts := make([][]int, n)
		for u := range amounts {
			amounts[u] = make([]int, n)
			for v := range amounts[u] {
				if u != v && r.IntN(4) >= i%4 {
					amounts[u][v] = 1 + int(1000*math.Pow(r.Float64(), 3))
				}
			}
		}
		demand, err := Amounts(amounts)
		if err != nil {
			continue // nothing to send
		}
		least := math.Inf(1)
		for p := range permutations.Of(n) {
			least = min(least, busiestOn(p, amounts))
		}
		got := ringBytes(demand)
		if got > least {
			t.Fatalf("%v: at least %v, there is a ring with %v", amounts, got, least)
		}
		if got == least {
			reached++
		}
		c := Costs{Nodes: n, Ports: 1, Change: 1e9, Startup: 1, Hop: 1, Byte: 1}
		if bound := DemandTimeBound(demand, c); bound.Transmission < got {
			t.Errorf("%v: the bound has %v bytes, not %v", amounts, bound.Transmission, got)
		} else if rows := NewDemandRows(demand); bound.Transmission > float64(rows.Slots(1, func(n int) iter.Seq[int] { return AcrossAll(1, 1, n) })) {
			higher++
		}
	}
	t.Logf("reached in %d of 300, higher than by distances alone in %d", reached, higher)
	if reached < 30 || higher < 30 {
		t.Errorf("reached in %d of 300, higher than by distances alone in %d", reached, higher)
	}
}

// busiestOn returns what the busiest circuit carries if node u has a circuit to p[u], or +Inf
// if some bytes cannot reach their destination.
func busiestOn(p []int, amounts [][]int) float64 {
	load := make([]float64, len(p))
	for u, row := range amounts {
		for v, bytes := range row {
			if bytes == 0 {
				continue
			}
			for at, hops := u, 0; at != v; at, hops = p[at], hops+1 {
				if hops == len(p) {
					return math.Inf(1)
				}
				load[at] += float64(bytes)
			}
		}
	}
	most := 0.0
	for _, bytes := range load {
		most = max(most, bytes)
	}
	return most
}
