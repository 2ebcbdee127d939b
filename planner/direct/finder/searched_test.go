package finder_test

import (
	"testing"

	"github.com/lightpath-net/lightpath/planner/direct/bfb"
	"github.com/lightpath-net/lightpath/planner/direct/finder"
	"github.com/lightpath-net/lightpath/planner/direct/finder/findertest"
)

// TestRecords: none is below its bound, and some meet both.
func TestRecords(t *testing.T) {
	records, err := findertest.Records()
	if err != nil {
		t.Fatal(err)
	}
	optimal := 0
	for _, r := range records {
		if r.Steps < r.Bound.Steps || r.Bandwidth.Cmp(r.Bound.Bandwidth) < 0 {
			t.Errorf("%v takes %d steps and %v, below %v", r.Expr, r.Steps, r.Bandwidth, r.Bound)
		}
		if r.Expr.Nodes() != r.Nodes {
			t.Errorf("%v has not %d nodes", r.Expr, r.Nodes)
		}
		if r.Optimal() {
			optimal++
		}
	}
	if optimal < 20 || optimal == len(records) {
		t.Errorf("%d of %d meet both bounds", optimal, len(records))
	}
}

// TestDistanceRegularFamiliesMeetTheirBounds: they have their names if nothing else is as good.
func TestDistanceRegularFamiliesMeetTheirBounds(t *testing.T) {
	for _, c := range []struct {
		nodes, degree, steps int
		expr                 string
	}{
		{50, 7, 4, "DistReg(HoffmanSingleton)"}, {28, 3, 8, "DistReg(Coxeter)"}, {57, 6, 6, "DistReg(Perkel)"}, {102, 3, 14, "DistReg(BiggsSmith)"},
		{126, 5, 8, "Odd(5)"}, {312, 6, 8, "Polygon(4,5)"}, {42, 5, 6, "Polygon(3,4)"}, {52, 6, 6, "Flags(3,3)"}, {63, 6, 6, "Collinear(6,2)"},
	} {
		points := frontier(t, finder.New(c.degree, finder.Options{Op: bfb.AllReduce, Bidirectional: true}), c.nodes)
		last := points[len(points)-1]
		bound, err := finder.Bound(c.nodes, c.degree, finder.Options{Op: bfb.AllReduce, Bidirectional: true})
		if err != nil || last.Steps != c.steps || last.Bandwidth.Cmp(bound.Bandwidth) != 0 {
			t.Errorf("%d nodes of degree %d: %v, want %s (%v)", c.nodes, c.degree, points, c.expr, err)
		}
		// The theorem's cost is that of a schedule.
		if steps, bandwidth, err := bfb.Cost(t.Context(), parse(t, c.expr), bfb.AllReduce); err != nil || steps != c.steps || bandwidth.Cmp(bound.Bandwidth) != 0 {
			t.Errorf("%s: %d steps and %v (%v)", c.expr, steps, bandwidth, err)
		}
	}
}

// TestLiftsAreFound: beyond the stored sizes a short search finds graphs that rotations leave
// unchanged, at the cost of a schedule.
func TestLiftsAreFound(t *testing.T) {
	for _, c := range []struct {
		nodes, degree, steps int
		twoWay               bool
	}{{148, 5, 8, true}, {200, 3, 16, true}} {
		opts := finder.Options{Op: bfb.AllReduce, Bidirectional: c.twoWay}
		found := false
		for _, p := range frontier(t, finder.New(c.degree, opts), c.nodes) {
			if p.Steps > c.steps {
				continue
			}
			steps, bandwidth, err := bfb.Cost(t.Context(), parse(t, p.Expr.String()), bfb.AllReduce)
			if err != nil || steps != p.Steps || bandwidth.Cmp(p.Bandwidth) != 0 {
				t.Errorf("%v: %d steps and %v (%v)", p, steps, bandwidth, err)
			}
			found = true
		}
		if !found {
			t.Errorf("%+v: none of so few steps", c)
		}
	}
}
