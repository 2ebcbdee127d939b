package model

import (
	"math"
	"slices"
	"testing"

	"github.com/lightpath-net/lightpath/internal/permutations"
)

// TestTimeBoundsHoldForAllPermutations: for few nodes with one port, every sequence of
// permutations with shortest ways over them, each topology one step, takes at least as long as
// the bound. One step for each topology is best for given topologies: more steps cost start-ups
// and do not send less. With one port and no division of a pair among ways of different
// lengths, shortest ways have the least hops, and loads are at least their mean.
func TestTimeBoundsHoldForAllPermutations(t *testing.T) {
	for _, c := range []Costs{
		{Change: 10, Startup: 1, Byte: 1}, {Change: 1, Byte: 0.1}, {Byte: 3}, {Change: 100, First: 100, Startup: 5, Byte: 2},
	} {
		for n := 2; n <= 4; n++ {
			c.Nodes, c.Ports = n, 1
			var all [][]int
			for p := range permutations.Of(n) {
				all = append(all, slices.Clone(p))
			}
			bound := UniformTimeBound(n, 5, c).Total()
			least := math.Inf(1)
			for d := 1; d <= 3; d++ {
				sequences(all, d, func(seq [][]int) {
					if hops := hopsAcross(n, seq); hops < unreached {
						time := c.First + float64(d-1)*c.Change + float64(d)*c.Startup + float64(hops)*5*c.Byte/float64(n)
						least = min(least, time)
						if time < bound*(1-1e-12) {
							t.Fatalf("n=%d, %+v: %v takes %v, the bound is %v", n, c, seq, time, bound)
						}
					}
				})
			}
			if math.IsInf(least, 1) {
				t.Errorf("n=%d: no sequence", n)
			}
		}
	}
}

// TestTimeBoundsAreFinite: with enough topologies every node reaches all others, also in pairs of
// which one node at a time has none, and if nodes have lost ports.
func TestTimeBoundsAreFinite(t *testing.T) {
	for n := 2; n <= 40; n++ {
		for ports := 1; ports <= 4; ports++ {
			for _, lost := range [][]int{nil, slices.Repeat([]int{ports}, n), append(slices.Repeat([]int{ports}, n-1), (ports+1)/2)} {
				c := Costs{Nodes: n, Ports: ports, TwoWay: true, Left: lost, Change: 1, Startup: 1, Byte: 1}
				c.Idle = n*ports%2 == 1
				if got := UniformTimeBound(n, 1, c).Total(); math.IsInf(got, 1) {
					t.Errorf("%d nodes, %d ports, left %v: %v", n, ports, lost, got)
				}
			}
		}
	}
}

// TestTimeBoundByHand: 8 nodes with one port, one byte for each pair. With one topology the
// bytes of a node make 1+2+..+7 hops, with two at least 2*1+3*2+2*3, with three 3*1+4*2, and
// with seven 7.
func TestTimeBoundByHand(t *testing.T) {
	for _, row := range []struct {
		change float64
		stages int
		total  float64
	}{{0, 7, 7}, {1.5, 3, 2*1.5 + 11}, {2.5, 3, 2*2.5 + 11}, {3.5, 2, 3.5 + 14}, {20, 1, 28}} {
		got := UniformTimeBound(8, 1, Costs{Nodes: 8, Ports: 1, Change: row.change, Byte: 1})
		if got.Stages != row.stages || math.Abs(got.Total()-row.total) > 1e-12 {
			t.Errorf("change %v: %v with %d topologies, want %v with %d", row.change, got.Total(), got.Stages, row.total, row.stages)
		}
	}
	// 1000 nodes, two ports: a ball of 9 hops has 1023 nodes, two of 4 reach 31*31 and two of
	// 3 with one of 2 15*15*7.
	for d, want := range map[int]int{1: 9, 2: 9, 3: 8, 6: 7, 7: 7} {
		if got := fewestHops(1000, 2, 2, d); got != want {
			t.Errorf("%d topologies: %d hops, want %d", d, got, want)
		}
	}
}

// TestFewestHopsAreTheFewest compares with all divisions of hops among topologies.
func TestFewestHopsAreTheFewest(t *testing.T) {
	var most func(k, d, hops int) int // nodes that hops reach
	most = func(k, d, hops int) int {
		if d == 1 {
			return ball(k, k, hops, 1<<40)
		}
		best := 0
		for h := 1; h <= hops-d+1; h++ {
			best = max(best, ball(k, k, h, 1<<40)*most(k, d-1, hops-h))
		}
		return best
	}
	for k := 1; k <= 3; k++ {
		for d := 1; d <= 4; d++ {
			for _, n := range []int{2, 3, 7, 10, 33, 100, 250} {
				hops := d
				for most(k, d, hops) < n {
					hops++
				}
				if got := fewestHops(n, k, k, d); got != hops {
					t.Errorf("%d nodes, %d ports, %d topologies: %d, want %d", n, k, d, got, hops)
				}
			}
		}
	}
}

// TestDemandTimeBoundOfEqualDemand is that of the uniform one, and that of a demand with relays
// from outside is no larger.
func TestDemandTimeBoundOfEqualDemand(t *testing.T) {
	for _, n := range []int{2, 5, 9, 30} {
		for _, k := range []int{1, 2, 3} {
			c := Costs{Nodes: n, Ports: min(k, n-1), Change: 7, Startup: 1, Hop: 0.5, Byte: 0.01}
			demand, err := Uniform(n, 100)
			if err != nil {
				t.Fatal(err)
			}
			a, b := UniformTimeBound(n, 100, c), DemandTimeBound(demand, c)
			if math.Abs(a.Total()-b.Total()) > 1e-9*a.Total() || a.Stages != b.Stages {
				t.Errorf("n=%d, k=%d: %+v and %+v", n, k, a, b)
			}
			c.Nodes = 2 * n
			if more := DemandTimeBound(demand, c); more.Total() > b.Total() {
				t.Errorf("n=%d, k=%d: %v with more nodes, %v without", n, k, more.Total(), b.Total())
			}
		}
	}
}
