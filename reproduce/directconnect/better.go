package directconnect

import (
	"context"
	"math"
	"strings"

	"github.com/lightpath-net/lightpath/chart"
	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/planner/direct/bfb"
	"github.com/lightpath-net/lightpath/planner/direct/finder"
	"github.com/lightpath-net/lightpath/reproduce/claim"
	"github.com/lightpath-net/lightpath/units"
)

// families are families of topologies, by the prefix of their expressions.
var families = []struct{ name, prefix string }{
	{"generalized Kautz", "GenKautz"}, {"circulant", "C("}, {"one-way circulant", "DC("}, {"line graph", "Line"}, {"power", "Power"},
	{"product", "Product"}, {"degree expansion", "Degree"}, {"Cayley graph", "Cayley"}, {"searched graph", "Regular"}, {"other", ""},
}

func familyOf(p finder.Point) int {
	expr := p.Expr.String()
	for i, f := range families {
		if strings.HasPrefix(expr, f.prefix) {
			return i
		}
	}
	return len(families) - 1
}

// figure13Sizes are the two sizes of Fig. 13.
var figure13Sizes = []units.Bytes{units.MB, 100 * units.MB}

// figure13Nodes returns every 40th number of nodes up to 2000.
func figure13Nodes() []int {
	var list []int
	for n := 20; n <= 2000; n += 40 {
		list = append(list, n)
	}
	return list
}

func drawFigure13(ctx context.Context, _ claim.Best) ([]claim.Drawing, error) {
	f := finder.New(4, finder.Options{Op: bfb.AllReduce})
	var drawings []claim.Drawing
	for _, size := range figure13Sizes {
		lines := nodesLines("Least time of an allreduce of "+size.String(), "by the family of the topology that has it; degree 4, 10 us per step, 100 Gbps per node")
		lines.X.Log, lines.Y.Log = false, false
		points := make([]chart.Line, len(families))
		for i, family := range families {
			points[i] = chart.Line{Name: family.name, Points: true}
		}
		bound := chart.Line{Name: "bound", Dashed: true}
		for _, n := range figure13Nodes() {
			t, p, err := bestTopology(ctx, f, n, size)
			if err != nil {
				return nil, err
			}
			least, err := leastTime(n, size)
			if err != nil {
				return nil, err
			}
			l := &points[familyOf(p)]
			l.X, l.Y = append(l.X, float64(n)), append(l.Y, 1e3*t)
			bound.X, bound.Y = append(bound.X, float64(n)), append(bound.Y, 1e3*least)
		}
		for _, l := range points {
			if len(l.X) > 0 {
				lines.Lines = append(lines.Lines, l)
			}
		}
		lines.Lines = append(lines.Lines, bound)
		drawings = append(drawings, claim.Drawing{Part: size.String(), Chart: lines})
	}
	return drawings, nil
}

// printedTable4 is Table 4 without its times.
var printedTable4 = []struct {
	name             string
	steps, bandwidth float64
}{
	{"GenKautz(4,1024)", 10, 2.664}, {"L3(C(16,{3,4}))", 12, 2.039}, {"L2(Diamond^2)", 16, 2.008}, {"L(DBJMod(2,4))^2", 22, 2.000}, {"(UniRing x UniRing)^2", 40, 1.998},
}

func drawBetterTable4(ctx context.Context, _ claim.Best) ([]claim.Drawing, error) {
	points, err := finder.New(4, finder.Options{Op: bfb.AllReduce}).Frontier(ctx, 1024)
	if err != nil {
		return nil, err
	}
	bound, err := finder.Bound(1024, 4, finder.Options{Op: bfb.AllReduce})
	if err != nil {
		return nil, err
	}
	lines := &chart.Lines{
		Caption: chart.Caption{Title: "Topologies of 1024 nodes and degree 4", Subtitle: "allreduce: steps and bandwidth; down and to the left is better",
			Source: "schedules that are constructed or given by a theorem; exact fractions"},
		X: chart.Axis{Label: "steps", Unit: chart.Count, Log: true}, Y: chart.Axis{Label: "T_B in M/B", Unit: chart.Number},
		Lines: []chart.Line{{Name: "Table 4", Points: true}, {Name: "found here", Points: true}, {Name: "bound of both", Points: true}},
	}
	for _, row := range printedTable4 {
		l := &lines.Lines[0]
		l.X, l.Y, l.Labels = append(l.X, row.steps), append(l.Y, row.bandwidth), append(l.Labels, row.name)
	}
	for _, p := range points {
		l := &lines.Lines[1]
		l.X, l.Y = append(l.X, float64(p.Steps)), append(l.Y, float(p.Bandwidth))
	}
	lines.Lines[2].X, lines.Lines[2].Y = []float64{float64(bound.Steps)}, []float64{float(bound.Bandwidth)}
	return []claim.Drawing{{Part: "", Chart: lines}}, nil
}

// testbedFabric is §8.3 as a fabric: four ports that share 100 Gbps, 10 us per step, and nothing
// more per hop.
func testbedFabric(n int) fabric.Fabric {
	f := fabric.Default()
	f.Nodes, f.Ports, f.Bandwidth = n, 4, 25*units.Gbps
	f.Alpha, f.Delta = 10*units.Microsecond, 0
	return f
}

func drawBetterFigure7(ctx context.Context, best claim.Best) ([]claim.Drawing, error) {
	lines := nodesLines("Allreduce of 1 MB: fixed or rewired", "four ports of 25 Gbps, 10 us per step")
	lines.Lines = []chart.Line{{Name: "best fixed topology found"}, {Name: "our best plan, 10 us per change"}, {Name: "our best plan, 1 us per change"},
		{Name: "bound for fixed topologies", Dashed: true}, {Name: "bound for any plan, 1 us per change", Dashed: true}}
	find := finder.New(4, finder.Options{Op: bfb.AllReduce})
	for _, n := range []int{16, 36, 64, 100, 144, 256} {
		fixed, _, err := bestTopology(ctx, find, n, units.MB)
		if err != nil {
			return nil, err
		}
		f := testbedFabric(n)
		rewired, err := best(ctx, f, collective.AllReduce, units.MB)
		if err != nil {
			return nil, err
		}
		least, err := leastTime(n, units.MB)
		if err != nil {
			return nil, err
		}
		w := claim.Work{Fabric: f, Op: collective.AllReduce, Algorithm: "ring", Size: units.MB}
		bound, err := w.Bound(units.Microsecond)
		if err != nil {
			return nil, err
		}
		for i, y := range []float64{1e3 * fixed, math.Min(float64(rewired(10*units.Microsecond)), 1e3*fixed), math.Min(float64(rewired(units.Microsecond)), 1e3*fixed), 1e3 * least, float64(bound)} {
			l := &lines.Lines[i]
			l.X, l.Y, l.Marks = append(l.X, float64(n)), append(l.Y, y), append(l.Marks, len(l.X))
		}
	}
	return []claim.Drawing{{Part: "", Chart: lines}}, nil
}
