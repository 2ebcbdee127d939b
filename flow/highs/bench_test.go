package highs

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/lightpath-net/lightpath/flow"
	"github.com/lightpath-net/lightpath/topology"
)

// BenchmarkConcurrentFlowPeer times package flow and HiGHS on the same problems. In both, an
// operation goes from the problem to the optimum; highs-ns/op is the time inside HiGHS. If there
// is a group, "ours" and the two HiGHS methods use it, and the benchmarks ending in "-full" get
// all demands written out. The simplex method takes about a minute on those and is left out.
func BenchmarkConcurrentFlowPeer(b *testing.B) {
	one := func() float64 { return 1 }
	for _, c := range []struct {
		name string
		p    flow.Problem
	}{
		{"kautz64", flow.Problem{Graph: topology.GenKautz(4, 64), Demands: permutation(rand.New(rand.NewPCG(1, 1)), 64, one)}},
		{"kautz64-all-to-all", flow.Problem{Graph: topology.GenKautz(4, 64), Demands: allToAll(64, one)}},
		{"torus8x8-shift", flow.Problem{Graph: topology.Torus(8, 8), Demands: shift(64, 27, 1)[:1], Group: topology.Translation(8, 8)}},
		{"circulant64-shift", flow.Problem{Graph: topology.Circulant(64, 1, 14), Demands: shift(64, 27, 1)[:1], Group: topology.Rotations(64, 1)}},
	} {
		peak := map[string]float64{}
		ours := func(name string, p flow.Problem) {
			b.Run(c.name+"/"+name, func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					res, err := flow.Solve(context.Background(), p, flow.Optimal)
					if err != nil {
						b.Fatal(err)
					}
					peak[name] = res.Load.Peak
				}
			})
		}
		theirs := func(name string, p flow.Problem, method Method) {
			b.Run(c.name+"/"+name, func(b *testing.B) {
				inside := 0.0
				for b.Loop() {
					m, err := Measure(p, method)
					if err != nil {
						b.Fatal(err)
					}
					peak[name] = m.Peak
					inside += float64(m.Time.Nanoseconds())
				}
				b.ReportMetric(inside/float64(b.N), "highs-ns/op")
			})
		}
		ours("ours", c.p)
		theirs("highs-ipm", c.p, InteriorPoint)
		theirs("highs-simplex", c.p, Simplex)
		if !c.p.Group.Trivial() {
			full := Unfold(c.p)
			ours("ours-full", full)
			theirs("highs-ipm-full", full, InteriorPoint)
		}
		for name, x := range peak {
			for other, y := range peak {
				if apart(x, y) > agreement {
					b.Errorf("%s: peak %.12g by %s, %.12g by %s", c.name, x, name, y, other)
				}
			}
		}
	}
}
