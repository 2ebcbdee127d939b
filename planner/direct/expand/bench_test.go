package expand_test

import (
	"context"
	"testing"

	"github.com/lightpath-net/lightpath/planner/direct/bfb"
	"github.com/lightpath-net/lightpath/planner/direct/expand"
	"github.com/lightpath-net/lightpath/topology"
)

// BenchmarkExpand makes whole schedules of 1024 nodes and more by construction, transfers
// included. The twin with method=bfb makes a breadth-first broadcast for the same graph.
func BenchmarkExpand(b *testing.B) {
	for _, expr := range []string{
		"Line(C(16;3,4),3)", "Degree(Line(C(16;3,4),2),4)", "Power(C(32;5,7),2)", "Power(Line(K(4,4),1),2)", "Power(UniRing(1,4),5)",
		"Bidirect(Kautz(2,9))", "Line(Power(Ring(8),2),2)",
	} {
		b.Run(expr, func(b *testing.B) { benchmarkStream(b, expr, expand.OnlyConstruction) })
		b.Run(expr+"/method=bfb", func(b *testing.B) { benchmarkStream(b, expr, expand.OnlyBFB) })
	}
}

func benchmarkStream(b *testing.B, expr string, methods expand.Methods) {
	e := parseExpr(b, expr)
	b.ReportAllocs()
	transfers := 0
	for b.Loop() {
		s, err := expand.Solve(context.Background(), e, expand.Options{Methods: methods})
		if err != nil {
			b.Fatal(err)
		}
		transfers = 0
		for range s.All() {
			transfers++
		}
	}
	b.ReportMetric(float64(transfers), "transfers")
}

// BenchmarkSolve finds the better of broadcast and construction for an allreduce, without
// streaming it.
func BenchmarkSolve(b *testing.B) {
	for _, expr := range []string{"Line(C(16;3,4),3)", "Power(DeBruijn(2,5),2)", "Degree(GenKautz(2,300),4)"} {
		b.Run(expr, func(b *testing.B) {
			e := parseExpr(b, expr)
			for b.Loop() {
				if _, err := expand.Solve(context.Background(), e, expand.Options{Op: bfb.AllReduce}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkPredict applies formulas only.
func BenchmarkPredict(b *testing.B) {
	e := parseExpr(b, "Power(Line(Degree(K(4,4),2),1),2)")
	base := costOf(b, "K(4,4)")
	for b.Loop() {
		if _, err := expand.Predict(e, bfb.AllReduce, func(topology.Expr) (expand.Cost, error) { return base, nil }); err != nil {
			b.Fatal(err)
		}
	}
}
