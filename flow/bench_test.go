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
		{"torus8x8-shift-full", flow.Problem{Graph: torus(8, 8), Demands: torusShift(8, 3, 3)}},
		{"torus32x32-shift", flow.Problem{Graph: torus(32, 32), Demands: torusShift(32, 5, 11)[:1], Group: topology.Translation(32, 32)}},
		{"torus32x32-shift-full", flow.Problem{Graph: torus(32, 32), Demands: torusShift(32, 5, 11)}},
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

// torusShift has every node of an a x a torus send 1 to the node x rows and y columns further on.
func torusShift(a, x, y int) []flow.Demand {
	group := topology.Translation(a, a)
	var demands []flow.Demand
	for k := range group.Order() {
		demands = append(demands, flow.Demand{Src: group.Apply(k, 0), Dst: group.Apply(k, x*a+y), Amount: 1})
	}
	return demands
}
