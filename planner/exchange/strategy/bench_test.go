package strategy

import (
	"context"
	"fmt"
	"testing"

	"github.com/lightpath-net/lightpath/planner/exchange/model/modeltest"
)

// BenchmarkExchange finds the best schedules for all numbers of topologies by all strategies
// (n=64, with one and two ports), or the best one at a ratio of R and T at which several
// numbers compete.
func BenchmarkExchange(b *testing.B) {
	for _, k := range []int{1, 2} {
		name := "n=64"
		if k > 1 {
			name += fmt.Sprintf("/k=%d", k)
		}
		b.Run(name, func(b *testing.B) {
			demand := uniformDemand(b, 64, 1)
			for b.Loop() {
				if _, err := Curve(context.Background(), Problem{Demand: demand, Ports: k}, 0); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	for _, c := range []struct {
		n, k int
		r    float64
	}{{1024, 1, 10}, {1024, 1, 1000}, {4096, 1, 1000}, {512, 2, 100}} {
		b.Run(fmt.Sprintf("n=%d/k=%d/R=%v", c.n, c.k, c.r), func(b *testing.B) {
			demand := uniformDemand(b, c.n, 1)
			for b.Loop() {
				s, err := Solve(context.Background(), Problem{Demand: demand, Ports: c.k, R: c.r, T: 1})
				if err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(s.Cost(c.r, 1), "T")
			}
		})
	}
}

// BenchmarkStrategy finds the best number of topologies for 1024 nodes, one strategy at a
// time.
func BenchmarkStrategy(b *testing.B) {
	demand := uniformDemand(b, 1024, 1)
	for _, strategy := range []string{Paper, Shifts, Relay} {
		b.Run(strategy, func(b *testing.B) {
			for b.Loop() {
				if _, err := Solve(context.Background(), Problem{Demand: demand, Ports: 1, R: 100, T: 1, Strategy: strategy}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkRatios makes the table of Figure 13a for powers of two up to 4096.
func BenchmarkRatios(b *testing.B) {
	for _, strategy := range []string{Paper, Shifts} {
		b.Run(strategy, func(b *testing.B) {
			for b.Loop() {
				if _, err := Ratios(context.Background(), strategy, []int{8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkCheck proves a schedule of 4096 nodes, and one of 64 nodes with all chunks
// listed.
func BenchmarkCheck(b *testing.B) {
	for _, n := range []int{4096, 64} {
		b.Run(fmt.Sprintf("n=%d", n), func(b *testing.B) {
			demand := uniformDemand(b, n, 1)
			s := solved(b, Problem{Demand: demand, Ports: 1, R: 1, T: 1, Stages: 2, Strategy: Paper})
			if n == 64 {
				s = s.Expand()
			}
			for b.Loop() {
				if err := s.Check(demand); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkSkewed finds ways for a demand that differs from pair to pair.
func BenchmarkSkewed(b *testing.B) {
	demand := modeltest.Skewed(b, "random", 32)
	for _, strategy := range []string{Paper, Relay, Match, Birkhoff} {
		b.Run(strategy, func(b *testing.B) {
			for b.Loop() {
				if _, err := Solve(context.Background(), Problem{Demand: demand, Ports: 1, R: 50, T: 1, Strategy: strategy}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
