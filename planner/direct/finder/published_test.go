package finder_test

import (
	"context"
	"math"
	"math/big"
	"testing"

	"github.com/lightpath-net/lightpath/planner/direct/bfb"
	"github.com/lightpath-net/lightpath/planner/direct/finder"
	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/units"
)

// testbed is that of Zhao et al., Table 4: 10us per step and 100Gbps per node.
var testbed = finder.Machine{Alpha: 10 * units.Microsecond, NodeBandwidth: 100 * units.Gbps}

// table4 lists Table 4: allreduce on 1024 nodes of degree 4, 1MB.
var table4 = []struct {
	topology string
	finder.Cost
	microseconds float64
}{
	{"GenKautz(4,1024)", finder.Cost{Steps: 10, Bandwidth: big.NewRat(341, 128)}, 323.5},
	{"Line(C(16;3,4),3)", finder.Cost{Steps: 12, Bandwidth: big.NewRat(261, 128)}, 291.0},
	{"Line(Power(Diamond,2),2)", finder.Cost{Steps: 16, Bandwidth: big.NewRat(257, 128)}, 328.4},
	// Printed as a power of a line graph, but that takes 24 steps and 33/16.
	{"Line(Power(DBJMod(2,4),2),1)", finder.Cost{Steps: 22, Bandwidth: big.NewRat(2, 1)}, 387.8},
	{"Power(Product(UniRing(1,4),UniRing(1,8)),2)", finder.Cost{Steps: 40, Bandwidth: big.NewRat(1023, 512)}, 567.6},
}

func TestTable4IsCovered(t *testing.T) {
	points := frontier(t, finder.New(4, finder.Options{Op: bfb.AllReduce}), 1024)
	for _, row := range table4 {
		if !covered(points, row.Cost) {
			t.Errorf("%s takes %d steps and %v, not covered by %v", row.topology, row.Steps, row.Bandwidth, points)
		}
	}
}

// TestTable4IsBeaten: line graphs of one-way circulants have fewer steps at the least
// bandwidth than anything in the table but its first two rows, and less time than all.
func TestTable4IsBeaten(t *testing.T) {
	points := frontier(t, finder.New(4, finder.Options{Op: bfb.AllReduce}), 1024)
	for _, want := range []finder.Cost{
		{Steps: 10, Bandwidth: big.NewRat(341, 128)},
		{Steps: 12, Bandwidth: big.NewRat(2, 1)},
		{Steps: 14, Bandwidth: big.NewRat(1023, 512)},
	} {
		if !covered(points, want) {
			t.Errorf("%d steps and %v are not covered by %v", want.Steps, want.Bandwidth, points)
		}
	}
	best, err := testbed.Choose(points, []finder.Weighted{{Size: units.MiB, Weight: 1}})
	if err != nil || best.Time > 287.8e3 {
		t.Errorf("1MB takes %v on %v, %v, want at most 287.8us", best.Time, best.Point.Expr, err)
	}
}

func TestTable4Times(t *testing.T) {
	check := func(name string, c finder.Cost, want float64) {
		t.Helper()
		got, err := testbed.Time(c, units.MiB)
		if err != nil || math.Round(float64(got)/100)/10 != want {
			t.Errorf("%s: %v, %v, want %vus", name, got, err, want)
		}
	}
	for _, row := range table4 {
		check(row.topology, row.Cost, row.microseconds)
	}
	bound, err := finder.Bound(1024, 4, finder.Options{Op: bfb.AllReduce})
	if err != nil || bound.Steps != 10 || bound.Bandwidth.Cmp(big.NewRat(1023, 512)) != 0 {
		t.Errorf("bound %v, %v, want 10 steps and 1023/512", bound, err)
	}
	check("bound", bound, 267.6)
}

func TestTable5TwoWayTopologiesOfDegree4(t *testing.T) {
	f := finder.New(4, finder.Options{Op: bfb.AllReduce, Bidirectional: true})
	for n, steps := range map[int]int{5: 2, 6: 4, 7: 4, 8: 4, 9: 4, 10: 4, 11: 4, 12: 4} {
		points := frontier(t, f, n)
		if len(points) != 1 || points[0].Steps != steps || points[0].Bandwidth.Cmp(big.NewRat(int64(2*n-2), int64(n))) != 0 {
			t.Errorf("%d nodes: %v, want one of %d steps and the least bandwidth", n, points, steps)
		}
	}
}

// TestFigure12GeneralizedKautzGraphs at sizes up to those of the figure: at most twice the
// least bandwidth, and at most one step above the Moore bound (Theorem 21).
func TestFigure12GeneralizedKautzGraphs(t *testing.T) {
	for _, c := range []struct{ degree, nodes int }{{2, 500}, {2, 1000}, {4, 500}, {4, 1024}, {4, 1999}, {8, 700}, {16, 400}} {
		steps, bandwidth, err := bfb.Cost(context.Background(), topology.GenKautz(c.degree, c.nodes), bfb.AllGather)
		if err != nil {
			t.Fatal(err)
		}
		bound, err := finder.Bound(c.nodes, c.degree, finder.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if steps > bound.Steps+1 || bandwidth.Cmp(sum(bound.Bandwidth, bound.Bandwidth)) > 0 {
			t.Errorf("GenKautz(%d,%d): %d steps and %v, bound %v", c.degree, c.nodes, steps, bandwidth, bound)
		}
	}
}

// TestCirculantsOfTwoOneWayJumpsAreOptimal: bandwidth-optimal circulants include more than the
// two-way ones of two jumps, for which the paper proves it (§E.4).
func TestCirculantsOfTwoOneWayJumpsAreOptimal(t *testing.T) {
	for n := 3; n <= 20; n++ {
		for a := 1; a < n; a++ {
			for b := a + 1; b < n; b++ {
				s, err := bfb.Solve(context.Background(), topology.DirectedCirculant(n, a, b), bfb.Options{})
				if err == nil && !s.BandwidthOptimal {
					t.Errorf("DC(%d;%d,%d): %v", n, a, b, s.Bandwidth)
				}
			}
		}
	}
}

func TestCirculantsOfThreeOneWayJumpsNeedNotBeOptimal(t *testing.T) {
	_, bandwidth, err := bfb.Cost(context.Background(), topology.DirectedCirculant(13, 1, 3, 4), bfb.AllGather)
	if err != nil || bandwidth.Cmp(big.NewRat(12, 13)) <= 0 {
		t.Errorf("DC(13;1,3,4): %v, %v, want more than 12/13", bandwidth, err)
	}
}

// TestLineGraphsOfCirculantsCanBeOptimal: by Theorem 10 no line graph would be. All walks
// of up to four circuits on DC(64;1,12) lie on cycles of nine, longer ones need not.
func TestLineGraphsOfCirculantsCanBeOptimal(t *testing.T) {
	g := topology.DirectedCirculant(64, 1, 12)
	for k := 1; k <= 5; k++ {
		s, err := bfb.Solve(context.Background(), topology.LineGraph(g, k), bfb.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if s.Steps != 13+k || s.BandwidthOptimal != (k <= 4) {
			t.Errorf("Line(DC(64;1,12),%d): %d steps and %v", k, s.Steps, s.Bandwidth)
		}
	}
}

// TestLineGraphsOfGeneralizedKautzGraphsAreSuch, which is why the finder makes none.
func TestLineGraphsOfGeneralizedKautzGraphsAreSuch(t *testing.T) {
	for _, c := range [][2]string{
		{"Line(GenKautz(2,9),1)", "GenKautz(2,18)"},
		{"Line(GenKautz(3,7),1)", "GenKautz(3,21)"},
		{"Line(GenKautz(4,10),1)", "GenKautz(4,40)"},
		{"Line(DeBruijn(2,3),1)", "DeBruijn(2,4)"},
		{"Line(Transpose(GenKautz(2,9)),1)", "Transpose(GenKautz(2,18))"},
	} {
		if _, same, err := topology.Isomorphic(context.Background(), parse(t, c[0]), parse(t, c[1])); err != nil || !same {
			t.Errorf("%s is not %s: %v", c[0], c[1], err)
		}
	}
}
