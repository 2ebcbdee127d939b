package flow_test

import (
	"math/rand/v2"
	"testing"

	"github.com/lightpath-net/lightpath/flow"
	"github.com/lightpath-net/lightpath/topology"
)

func BenchmarkConcurrentFlow(b *testing.B) {
	cases := []struct {
		name string
		p    flow.Problem
	}{
		{"kautz64", flow.Problem{Graph: kautz(64, 4), Demands: permutation(rand.New(rand.NewPCG(1, 1)), 64)}},
		{"kautz64-all-to-all", flow.Problem{Graph: kautz(64, 4), Demands: allToAll(64, func() float64 { return 1 })}},
		{"torus8x8-shift", flow.Problem{Graph: torus(8, 8), Demands: shift(64, 27, 1)[:1], Group: topology.Translation(8, 8)}},
		{"ring64-shift", flow.Problem{Graph: twoWayRing(64), Demands: shift(64, 21, 1)[:1], Group: topology.Rotations(64, 1)}},
		{"directed1024", flow.Problem{Graph: circulant(1024, 1), Demands: permutation(rand.New(rand.NewPCG(1, 2)), 1024)}},
	}
	for _, c := range cases {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				res := solve(b, c.p, flow.Optimal)
				b.ReportMetric(res.Load.Peak/res.Bound-1, "gap")
			}
		})
	}
}

func BenchmarkSuccessorEvaluate(b *testing.B) {
	s, _ := flow.NewSuccessor(circulant(1024, 1))
	demands := permutation(rand.New(rand.NewPCG(1, 3)), 1024)
	b.ReportAllocs()
	for b.Loop() {
		if _, ok := s.Evaluate(demands); !ok {
			b.Fatal("unreachable")
		}
	}
}
