package expand_test

import (
	"context"
	"errors"
	"math/big"
	"strings"
	"testing"

	"github.com/lightpath-net/lightpath/planner/direct/arrival"
	"github.com/lightpath-net/lightpath/planner/direct/bfb"
	"github.com/lightpath-net/lightpath/planner/direct/expand"
)

// TestTable4 has the rows of Zhao et al., Table 4, by construction and by formula. The row that
// is printed as L(DBJMod(2,4))^2 has the figures of the line graph of the power, and not of the
// power of the line graph.
func TestTable4(t *testing.T) {
	for _, c := range []struct {
		expr      string
		steps     int
		bandwidth string
	}{
		{"GenKautz(4,1024)", 10, "341/128"},                             // 2.664
		{"Line(C(16;3,4),3)", 12, "261/128"},                            // 2.039
		{"Line(Power(Diamond,2),2)", 16, "257/128"},                     // 2.008
		{"Line(Power(DBJMod(2,4),2),1)", 22, "2/1"},                     // 2.000
		{"Power(Product(UniRing(1,4),UniRing(1,8)),2)", 40, "1023/512"}, // 1.998
	} {
		e := parseExpr(t, c.expr)
		s := must[*expand.Schedule](t)(expand.Solve(ctx, e, expand.Options{Op: bfb.AllReduce, Methods: expand.OnlyConstruction}))
		if s.Nodes != 1024 || s.Steps != c.steps || s.Bandwidth.Cmp(rat(t, c.bandwidth)) != 0 {
			t.Errorf("%s by %s: %d nodes, %d steps and %v, want 1024, %d and %s", c.expr, s.Derivation, s.Nodes, s.Steps, s.Bandwidth, c.steps, c.bandwidth)
		}
		p := must[expand.Cost](t)(expand.Predict(e, bfb.AllReduce, baseCost))
		if p.Nodes != 1024 || p.Steps != c.steps || p.Bandwidth.Cmp(rat(t, c.bandwidth)) != 0 {
			t.Errorf("%s by formula: %+v, want %d steps and %s", c.expr, p, c.steps, c.bandwidth)
		}
	}
	power := must[expand.Cost](t)(expand.Predict(parseExpr(t, "Power(Line(DBJMod(2,4),1),2)"), bfb.AllReduce, baseCost))
	if power.Steps != 24 || power.Bandwidth.Cmp(rat(t, "33/16")) != 0 {
		t.Errorf("the power of the line graph: %+v, want 24 steps and 33/16", power)
	}
}

// TestSchedulesInWhichDataWaits: Table 9 of Zhao et al. has these graphs as optimal by
// schedules that are not breadth-first, in as many steps.
func TestSchedulesInWhichDataWaits(t *testing.T) {
	for _, c := range []struct {
		expr  string
		steps int
	}{{"Diamond", 3}, {"DBJMod(2,3)", 4}, {"DBJMod(2,4)", 5}, {"DBJMod(3,2)", 3}, {"DBJMod(4,2)", 3}} {
		for op := bfb.AllGather; op <= bfb.AllReduce; op++ {
			s := must[*expand.Schedule](t)(expand.Solve(ctx, parseExpr(t, c.expr), expand.Options{Op: op}))
			steps := c.steps
			if op == bfb.AllReduce {
				steps *= 2
			}
			if s.Method != "arrivals" || s.Steps != steps || !s.BandwidthOptimal {
				t.Errorf("%v on %s: %s in %d steps, %v, want the optimum in %d", op, c.expr, s.Method, s.Steps, s.Bandwidth, steps)
			}
			checkSchedule(t, s)
		}
	}
	times, _ := arrival.Of("Diamond")
	if _, err := expand.Arrivals(ctx, parse(t, "DBJMod(2,3)"), times); !errors.Is(err, expand.ErrInput) {
		t.Errorf("the times of another graph: %v", err)
	}
}

// TestTheBetterOfBroadcastAndConstructionWins has graphs on which each of them does, also
// inside an expression.
func TestTheBetterOfBroadcastAndConstructionWins(t *testing.T) {
	for _, c := range []struct {
		expr, derivation string
		steps            int
		bandwidth        string
	}{
		{"Degree(Kautz(2,1),2)", "BFB(Degree(Kautz(2,1),2))", 2, "1/1"}, // 13/12 by construction
		{"Power(Kautz(2,1),2)", "BFB(Power(Kautz(2,1),2))", 4, "35/36"},
		{"Line(DC(7;1,3),1)", "BFB(Line(DC(7;1,3),1))", 4, "13/14"},
		{"Power(DeBruijn(2,3),2)", "Power(BFB(DeBruijn(2,3)),2)", 6, "63/32"}, // 2 by broadcast
		{"Product(DeBruijn(2,3),DeBruijn(2,3))", "Power(BFB(DeBruijn(2,3)),2)", 6, "63/32"},
		{"Power(GenKautz(2,10),2)", "Power(BFB(GenKautz(2,10)),2)", 8, "99/50"},
		{"Line(Power(DeBruijn(2,3),2),1)", "Line(Power(BFB(DeBruijn(2,3)),2),1)", 7, "127/64"},
		{"Bidirect(DC(7;1,2,5))", "Bidirect(BFB(DC(7;1,2,5)),BFB(Transpose(DC(7;1,2,5))))", 2, "6/7"},
		{"Degree(Bidirect(DC(6;1,3)),2)", "Degree(Bidirect(BFB(DC(6;1,3)),BFB(Transpose(DC(6;1,3)))),2)", 4, "11/12"},
	} {
		s := must[*expand.Schedule](t)(expand.Solve(ctx, parseExpr(t, c.expr), expand.Options{}))
		if s.Derivation != c.derivation || !strings.EqualFold(s.Method, c.derivation[:strings.Index(c.derivation, "(")]) || s.Steps != c.steps || s.Bandwidth.Cmp(rat(t, c.bandwidth)) != 0 {
			t.Errorf("%s: %s, %s in %d steps, %v, want %s in %d, %s", c.expr, s.Method, s.Derivation, s.Steps, s.Bandwidth, c.derivation, c.steps, c.bandwidth)
		}
	}
}

// TestTheBestIsNoWorseThanEitherMethod holds for both criteria on the frontier.
func TestTheBestIsNoWorseThanEitherMethod(t *testing.T) {
	for _, expr := range []string{"Line(Bidirect(DC(9;1,2,8)),1)", "Degree(Bidirect(DC(8;1,4)),2)", "Power(GenKautz(2,7),2)", "Bidirect(GenKautz(4,10))", "Bidirect(Line(DC(7;1,3),1))"} {
		e := parseExpr(t, expr)
		for op := bfb.AllGather; op <= bfb.AllReduce; op++ {
			best := must[*expand.Schedule](t)(expand.Solve(ctx, e, expand.Options{Op: op}))
			all := must[[]*expand.Schedule](t)(expand.Frontier(ctx, e, expand.Options{Op: op}))
			for _, methods := range []expand.Methods{expand.OnlyBFB, expand.OnlyConstruction} {
				s := must[*expand.Schedule](t)(expand.Solve(ctx, e, expand.Options{Op: op, Methods: methods}))
				if best.Bandwidth.Cmp(s.Bandwidth) > 0 {
					t.Errorf("%v on %s: best %v, %s %v", op, expr, best.Bandwidth, s.Derivation, s.Bandwidth)
				}
				if methods == expand.OnlyBFB && (all[0].Steps != s.Steps || all[0].Bandwidth.Cmp(s.Bandwidth) > 0) {
					t.Errorf("%v on %s: the frontier starts with %d steps, %v, broadcast takes %d, %v", op, expr, all[0].Steps, all[0].Bandwidth, s.Steps, s.Bandwidth)
				}
			}
			for i, s := range all {
				if i > 0 && (s.Steps <= all[i-1].Steps || s.Bandwidth.Cmp(all[i-1].Bandwidth) >= 0) {
					t.Errorf("%v on %s: %d steps, %v after %d, %v", op, expr, s.Steps, s.Bandwidth, all[i-1].Steps, all[i-1].Bandwidth)
				}
				checkSchedule(t, s)
			}
		}
	}
}

func TestStepCostDecidesBetweenStepsAndBandwidth(t *testing.T) {
	e := parseExpr(t, "Bidirect(DC(8;1,4))") // 2 steps and 1 by broadcast, 4 and 7/8 by construction
	for _, c := range []struct {
		cost   *big.Rat
		method string
	}{{nil, "bidirect"}, {big.NewRat(1, 17), "bidirect"}, {big.NewRat(1, 16), "bfb"}, {big.NewRat(1, 15), "bfb"}} {
		if s := must[*expand.Schedule](t)(expand.Solve(ctx, e, expand.Options{StepCost: c.cost})); s.Method != c.method {
			t.Errorf("at %v per step: %s in %d steps, %v, want %s", c.cost, s.Method, s.Steps, s.Bandwidth, c.method)
		}
	}
}

func TestPredictEqualsTheConstruction(t *testing.T) {
	for _, expr := range []string{
		"K(4)", "Degree(Power(K(3),2),2)", "Power(Degree(UniRing(1,4),3),2)", "Power(Power(GenKautz(2,5),2),2)", "Transpose(Degree(Transpose(GenKautz(3,8)),2))",
		"Line(Degree(K(2,2),2),2)", "Power(Line(DC(5;1,2),1),2)", "Line(UniRing(1,5),7)", "Degree(Product(K(3),Ring(4)),2)", "Product(K(3),K(3))",
		"Bidirect(DC(7;1,3))", "Bidirect(Kautz(2,2))", "Line(Bidirect(UniRing(1,5)),1)", "Product(Power(K(3),2),K(2))", "Line(Line(K(2,2),1),2)",
	} {
		e := parseExpr(t, expr)
		for op := bfb.AllGather; op <= bfb.AllReduce; op++ {
			c := must[expand.Cost](t)(expand.Predict(e, op, baseCost))
			s := must[*expand.Schedule](t)(expand.Solve(ctx, e, expand.Options{Op: op, Methods: expand.OnlyConstruction}))
			compareCost(t, op.String()+" on "+expr, s.Figures, c)
		}
	}
}

// collect puts a schedule into lists.
func collect(a *expand.Allgather) [][]bfb.Transfer {
	steps := make([][]bfb.Transfer, a.Steps)
	for step, x := range a.All() {
		steps[step-1] = append(steps[step-1], x)
	}
	return steps
}

func TestWholeChunksAreLeftToBroadcast(t *testing.T) {
	for _, expr := range []string{"Ring(8)", "Power(DeBruijn(2,3),2)", "Transpose(Line(GenKautz(2,5),1))"} {
		for op := bfb.AllGather; op <= bfb.AllReduce; op++ {
			s := must[*expand.Schedule](t)(expand.Solve(ctx, parseExpr(t, expr), expand.Options{Op: op, Chunks: 3}))
			want := must[*bfb.Schedule](t)(bfb.Solve(ctx, parse(t, expr), bfb.Options{Op: op, Chunks: 3}))
			if s.Chunks != 3 || s.Method != "bfb" || s.Steps != want.Steps || s.Bandwidth.Cmp(want.Bandwidth) != 0 {
				t.Errorf("%v on %s: %s in %d chunks, bandwidth %v, want %v", op, expr, s.Method, s.Chunks, s.Bandwidth, want.Bandwidth)
			}
			for step, x := range s.All() {
				if 3%x.From.Den != 0 || 3%x.To.Den != 0 {
					t.Fatalf("%v on %s, step %d: %v", op, expr, step, x)
				}
			}
		}
	}
}

func TestBroadcastAgreesWithPackageBFB(t *testing.T) {
	for _, expr := range []string{"GenKautz(3,11)", "Line(DC(5;1,2),1)", "Bidirect(GenKautz(2,7))", "Torus(3,4)"} {
		for op := bfb.AllGather; op <= bfb.AllReduce; op++ {
			s := must[*expand.Schedule](t)(expand.Solve(ctx, parseExpr(t, expr), expand.Options{Op: op, Methods: expand.OnlyBFB}))
			want := must[*bfb.Schedule](t)(bfb.Solve(ctx, parse(t, expr), bfb.Options{Op: op}))
			if s.Steps != want.Steps || s.Bandwidth.Cmp(want.Bandwidth) != 0 || s.BandwidthOptimal != want.BandwidthOptimal || s.Degree != want.Degree {
				t.Errorf("%v on %s: %+v, want %+v", op, expr, s.Figures, want)
			}
		}
	}
}

func TestProgressIsReportedPerExpression(t *testing.T) {
	seen := map[string]int{}
	opts := expand.Options{Progress: func(expr string, done, total int) {
		if done < 1 || done > total {
			t.Errorf("%s: %d of %d", expr, done, total)
		}
		seen[expr] = done
	}}
	must[*expand.Schedule](t)(expand.Solve(ctx, parseExpr(t, "Power(GenKautz(2,5),2)"), opts))
	if len(seen) != 2 || seen["GenKautz(2,5)"] == 0 || seen["Power(GenKautz(2,5),2)"] == 0 {
		t.Errorf("progress of %v, want both graphs", seen)
	}
}

func TestWorkStopsWithTheContext(t *testing.T) {
	base, reverse := broadcast(t, parse(t, "Kautz(2,2)")), broadcast(t, parse(t, "Transpose(Kautz(2,2))"))
	stopped, cancel := context.WithCancel(ctx)
	cancel()
	for name, work := range map[string]func() error{
		"Solve": func() error {
			_, err := expand.Solve(stopped, parseExpr(t, "Line(Q(6),2)"), expand.Options{})
			return err
		},
		"Line":     func() error { _, err := expand.Line(stopped, base, 2); return err },
		"Bidirect": func() error { _, err := expand.Bidirect(stopped, base, reverse); return err },
		"Given":    func() error { _, err := expand.Given(stopped, base.Graph, collect(base)); return err },
		"BFB":      func() error { _, err := expand.BFB(stopped, base.Graph); return err },
	} {
		if err := work(); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
