package bfb_test

import (
	"context"
	"testing"

	"github.com/lightpath-net/lightpath/planner/direct/bfb"
)

// BenchmarkBFB makes whole schedules, transfers included, of every node: symmetry is not
// used. The twin with lp= solves a linear program for every node and step, as Zhao et
// al. do, and computes only the time.
func BenchmarkBFB(b *testing.B) {
	for _, c := range []struct {
		name, expr string
		lp         bool
	}{
		{"Q10", "Q(10)", false},
		{"Torus50x50", "Torus(50,50)", false},
		{"GenKautz4x1024", "GenKautz(4,1024)", false},
		{"Q4", "Q(4)", false},
		{"Q4/lp=rational", "Q(4)", true},
		{"Torus5x5", "Torus(5,5)", false},
		{"Torus5x5/lp=rational", "Torus(5,5)", true},
	} {
		b.Run(c.name, func(b *testing.B) {
			g := parse(b, c.expr)
			b.ReportAllocs()
			for b.Loop() {
				if c.lp {
					byLinearPrograms(g)
					continue
				}
				transfers := 0
				for range solve(b, g, bfb.Options{NoSymmetry: true}).All() {
					transfers++
				}
				b.ReportMetric(float64(transfers), "transfers")
			}
		})
	}
}

// BenchmarkCost computes steps and bandwidth only, as a search for topologies does.
func BenchmarkCost(b *testing.B) {
	for _, expr := range []string{
		"Torus(128,128)", "Q(10)", "GenKautz(2,2000)", "GenKautz(4,1999)", "GenKautz(4,2000)", "GenKautz(8,2000)", "GenKautz(16,2000)",
		"Line(C(16;3,4),3)", "C(2000;31,32)", "UniRing(1,2000)",
	} {
		b.Run(expr, func(b *testing.B) {
			g := parse(b, expr)
			b.ReportAllocs()
			for b.Loop() {
				if _, _, err := bfb.Cost(context.Background(), g, bfb.AllGather); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
