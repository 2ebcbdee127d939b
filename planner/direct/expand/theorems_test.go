package expand_test

import (
	"errors"
	"fmt"
	"math/big"
	"testing"

	"github.com/lightpath-net/lightpath/planner/direct/bfb"
	"github.com/lightpath-net/lightpath/planner/direct/expand"
	"github.com/lightpath-net/lightpath/topology"
)

// construct_test.go compares the claims of schedules with the loads of a simulation; here the
// claims are compared with the formulas.

// graphCost returns the cost from which formulas start.
func graphCost(t testing.TB, g *topology.Graph) expand.Cost {
	t.Helper()
	return must[expand.Cost](t)(costOnGraph(g))
}

// compareCost checks the figures of a schedule against a prediction: equal, or no more if
// the prediction is a bound.
func compareCost(t *testing.T, name string, f expand.Figures, c expand.Cost) {
	t.Helper()
	order := f.Bandwidth.Cmp(c.Bandwidth)
	if f.Nodes != c.Nodes || f.Degree != c.Degree || f.Steps > c.Steps || order > 0 || !c.Bound && (order != 0 || f.Steps != c.Steps) {
		t.Errorf("%s: %d nodes of degree %d, %d steps and bandwidth %v, predicted %+v", name, f.Nodes, f.Degree, f.Steps, f.Bandwidth, c)
	}
}

func TestTheorem1BoundsLineGraphs(t *testing.T) {
	less := map[bool]int{}
	for _, g := range baseGraphs(t) {
		base := graphCost(t, g)
		for k := 1; k <= 2; k++ {
			a := must[*expand.Allgather](t)(expand.Line(ctx, broadcast(t, g), k))
			c := must[expand.Cost](t)(base.Line(k))
			compareCost(t, a.Derivation, a.Figures, c)
			if a.Steps != c.Steps {
				t.Errorf("%s: %d steps, want %d", a.Derivation, a.Steps, c.Steps)
			}
			less[a.Bandwidth.Cmp(c.Bandwidth) < 0]++
		}
	}
	if less[true] == 0 || less[false] == 0 {
		t.Errorf("the bound is strict %d times and tight %d times, want both", less[true], less[false])
	}
}

// TestTheorem1MayBeStrict shows where the constructed schedule costs less than Theorem 1
// says: every circuit that is busiest in some step would also carry shards back to their
// owners, whichever circuit follows it, and these are not sent.
func TestTheorem1MayBeStrict(t *testing.T) {
	for _, c := range []struct {
		expr             string
		k                int
		bandwidth, bound string
	}{
		{"UniRing(2,2)", 1, "3/4", "1/1"}, // optimal
		{"UniRing(2,3)", 2, "11/12", "7/6"},
		{"UniRing(3,4)", 1, "11/12", "1/1"},
		{"BiRing(4,2)", 1, "7/8", "1/1"},
	} {
		a := must[*expand.Allgather](t)(expand.Line(ctx, broadcast(t, parse(t, c.expr)), c.k))
		bound := must[expand.Cost](t)(costOf(t, c.expr).Line(c.k))
		if a.Bandwidth.Cmp(rat(t, c.bandwidth)) != 0 || bound.Bandwidth.Cmp(rat(t, c.bound)) != 0 {
			t.Errorf("Line(%s,%d): %v below %v, want %s below %s", c.expr, c.k, a.Bandwidth, bound.Bandwidth, c.bandwidth, c.bound)
		}
	}
}

// TestTheorem10DoesNotMakeTheConstructionBest: the constructed schedule is a broadcast, but
// not the best one, against the second part of Theorem 10.
func TestTheorem10DoesNotMakeTheConstructionBest(t *testing.T) {
	for _, c := range []struct{ expr, constructed, broadcast string }{
		{"DC(7;1,3)", "1/1", "13/14"},
		{"DC(8;1,3)", "1/1", "15/16"},
	} {
		g := parse(t, c.expr)
		a := must[*expand.Allgather](t)(expand.Line(ctx, broadcast(t, g), 1))
		best := broadcast(t, a.Graph)
		if a.Bandwidth.Cmp(rat(t, c.constructed)) != 0 || best.Bandwidth.Cmp(rat(t, c.broadcast)) != 0 || a.Steps != best.Steps {
			t.Errorf("Line(%s,1): %v and by broadcast %v, want %s and %s", c.expr, a.Bandwidth, best.Bandwidth, c.constructed, c.broadcast)
		}
	}
}

// TestTheorems2And9OnFigure3: line graphs of graphs that are optimal in both respects stay
// Moore optimal and within 1 + 1/((d-1)N) of the least bandwidth.
func TestTheorems2And9OnFigure3(t *testing.T) {
	for _, expr := range []string{"K(4,4)", "K(5)", "DC(6;1,2,3,4)", "H(2,3)"} {
		base := costOf(t, expr)
		n, d := int64(base.Nodes), int64(base.Degree)
		for k := 1; k <= 3; k++ {
			a := must[*expand.Allgather](t)(expand.Line(ctx, broadcast(t, parse(t, expr)), k))
			compareCost(t, a.Derivation, a.Figures, must[expand.Cost](t)(base.Line(k)))
			limit := big.NewRat((d-1)*n+1, (d-1)*n)
			limit.Mul(limit, big.NewRat(int64(a.Nodes)-1, int64(a.Nodes)))
			if a.Bandwidth.Cmp(limit) > 0 {
				t.Errorf("%s: bandwidth %v above %v", a.Derivation, a.Bandwidth, limit)
			}
			if moore, _ := topology.MooreDiameter(a.Nodes, a.Degree, false); a.Steps != moore {
				t.Errorf("%s: %d steps, Moore's bound is %d", a.Derivation, a.Steps, moore)
			}
		}
	}
}

func TestTheorem11IsExact(t *testing.T) {
	for _, g := range baseGraphs(t) {
		if loops(g) {
			continue
		}
		base := graphCost(t, g)
		for k := 1; k <= 4; k++ {
			a := must[*expand.Allgather](t)(expand.Degree(broadcast(t, g), k))
			compareCost(t, a.Derivation, a.Figures, must[expand.Cost](t)(base.DegreeExpanded(k)))
			if base.Optimal() && !a.BandwidthOptimal {
				t.Errorf("%s is not optimal, against Corollary 11.1", a.Derivation)
			}
		}
	}
}

func TestTheorem12IsExact(t *testing.T) {
	for _, g := range baseGraphs(t) {
		base := graphCost(t, g)
		for k := 1; k <= 3; k++ {
			a := must[*expand.Allgather](t)(expand.Power(broadcast(t, g), k))
			compareCost(t, a.Derivation, a.Figures, must[expand.Cost](t)(base.Power(k)))
			if base.Optimal() && !a.BandwidthOptimal {
				t.Errorf("%s is not optimal, against Corollary 12.1", a.Derivation)
			}
		}
	}
}

// TestTheorem13 compares the formula for products with breadth-first broadcast.
func TestTheorem13(t *testing.T) {
	factors := []string{"UniRing(1,3)", "Ring(4)", "K(2)", "K(4)", "K(3,3)", "DC(5;1,2)", "DC(7;1,3)", "Kautz(2,1)", "UniRing(2,3)", "DeBruijn(2,1)"}
	for i, a := range factors {
		for _, b := range factors[i+1:] {
			c, err := expand.ProductCost(costOf(t, a), costOf(t, b))
			x, y := costOf(t, a), costOf(t, b)
			if applies := x.Simple && y.Simple && x.Optimal() && y.Optimal(); applies != (err == nil) || err != nil && !errors.Is(err, expand.ErrNoFormula) {
				t.Errorf("Product(%s,%s): %v", a, b, err)
			}
			if err == nil {
				s := broadcast(t, parse(t, fmt.Sprintf("Product(%s,%s)", a, b)))
				compareCost(t, s.Derivation, s.Figures, c)
			}
		}
	}
	// With parallel circuits, which the theorem excludes, the product is not optimal.
	if s := broadcast(t, parse(t, "Product(UniRing(1,3),UniRing(2,3))")); s.BandwidthOptimal {
		t.Errorf("%s is optimal", s.Derivation)
	}
}

// TestAppendixF: the two-way form costs what a reverse-symmetric graph costs, or less where
// circuits of both directions share.
func TestAppendixF(t *testing.T) {
	less := 0
	for _, g := range baseGraphs(t) {
		base := graphCost(t, g)
		forward, backward := broadcast(t, g), broadcast(t, g.Transpose(""))
		a := must[*expand.Allgather](t)(expand.Bidirect(ctx, forward, backward))
		c, err := base.Bidirected()
		if base.ReverseSymmetric != (err == nil) || err != nil && !errors.Is(err, expand.ErrNoFormula) {
			t.Errorf("Bidirect(%s): %v", g.Name(), err)
		}
		if err != nil {
			continue
		}
		compareCost(t, a.Derivation, a.Figures, c)
		if a.Bandwidth.Cmp(c.Bandwidth) < 0 {
			less++
		}
		if !g.Bidirectional() && a.Graph.Bundles() == 2*g.Bundles() && (a.Bandwidth.Cmp(base.Bandwidth) != 0 || a.Steps != base.Steps) {
			t.Errorf("%s: bandwidth %v, want exactly %v", a.Derivation, a.Bandwidth, base.Bandwidth)
		}
	}
	if less == 0 {
		t.Error("sharing never helps, so that the bound could be an equality")
	}
}

// TestTheorem20: package bfb loses less than a chunk per step, and so less than the theorem
// allows.
func TestTheorem20(t *testing.T) {
	for _, expr := range []string{"Ring(8)", "K(2,2)", "GenKautz(2,9)", "Kautz(2,2)", "C(9;2,3)", "DeBruijn(3,2)", "UniRing(3,5)"} {
		base := costOf(t, expr)
		for _, chunks := range []int{1, 2, 3, 12} {
			s := must[*bfb.Schedule](t)(bfb.Solve(ctx, parse(t, expr), bfb.Options{Chunks: chunks}))
			c := must[expand.Cost](t)(base.WholeChunks(chunks))
			if s.Steps != c.Steps || s.Bandwidth.Cmp(c.Bandwidth) >= 0 && s.Bandwidth.Cmp(base.Bandwidth) > 0 {
				t.Errorf("%s in %d chunks: bandwidth %v, want less than %v", expr, chunks, s.Bandwidth, c.Bandwidth)
			}
			theorem := new(big.Rat).Add(base.Bandwidth, theorem20(base, chunks))
			if c.Bandwidth.Cmp(theorem) > 0 {
				t.Errorf("%s in %d chunks: bound %v above %v of the theorem", expr, chunks, c.Bandwidth, theorem)
			}
		}
	}
}

// theorem20 is d (d^D - 1) / ((d-1) P N), as a sum.
func theorem20(c expand.Cost, chunks int) *big.Rat {
	sum, power := int64(0), int64(1)
	for range c.Steps {
		sum, power = sum+power, power*int64(c.Degree)
	}
	return big.NewRat(int64(c.Degree)*sum, int64(chunks)*int64(c.Nodes))
}

// TestTheorem4 runs mirrored schedules backwards as reduce-scatters.
func TestTheorem4(t *testing.T) {
	mirrored := 0
	for _, g := range baseGraphs(t) {
		a := broadcast(t, g)
		b, ok, err := expand.Mirror(ctx, a)
		symmetric := must[bool](t)(g.ReverseSymmetric(ctx))
		if err != nil || ok != symmetric {
			t.Fatalf("%s: mirrored %v, reverse-symmetric %v: %v", g.Name(), ok, symmetric, err)
		}
		if !ok {
			continue
		}
		mirrored++
		s := must[*expand.Schedule](t)(expand.Perform(bfb.AllReduce, a, b))
		checkSchedule(t, s)
		if s.Steps != 2*a.Steps || s.Bandwidth.Cmp(new(big.Rat).Add(a.Bandwidth, a.Bandwidth)) != 0 {
			t.Errorf("%s: allreduce in %d steps, %v, want twice %d, %v", g.Name(), s.Steps, s.Bandwidth, a.Steps, a.Bandwidth)
		}
	}
	if mirrored < 100 {
		t.Errorf("only %d graphs are reverse-symmetric", mirrored)
	}
}
