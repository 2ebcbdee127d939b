package directconnect

import (
	"context"
	"fmt"
	"math"
	"math/big"

	"github.com/lightpath-net/lightpath/chart"
	"github.com/lightpath-net/lightpath/planner/direct/bfb"
	"github.com/lightpath-net/lightpath/planner/direct/finder"
	"github.com/lightpath-net/lightpath/reproduce/claim"
	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/units"
)

func directPanels() []claim.Panel {
	return []claim.Panel{
		{ID: "direct-connect/fig3", Source: "Direct-connect, Fig. 3", Draw: drawFigure3,
			About: "Line graphs of degree-4 base graphs. The bandwidth is that of the best breadth-first broadcast on the graph itself up to 400 nodes, and of Eq. 7 beyond."},
		{ID: "direct-connect/fig7", Source: "Direct-connect, Fig. 7", Draw: drawFigure7,
			About: "Allreduce of 1 MB at degree 4 by the formulas of the baselines, and the best topology that is found here."},
		{ID: "direct-connect/fig9", Source: "Direct-connect, Fig. 9", Draw: drawFigure9,
			About: "Allgathers on hypercubes and square tori: breadth-first broadcast beside the least that any schedule takes. Those of SCCL and TACCL are not published as numbers."},
		{ID: "direct-connect/fig12", Source: "Direct-connect, Fig. 12", Draw: drawFigure12,
			About: "Bandwidth of generalized Kautz graphs over the least, allgather, up to 200 nodes here; the paper goes to 2000."},
		{ID: "direct-connect/fig13", Source: "Direct-connect, Fig. 13", Full: true, Draw: drawFigure13,
			About: "The least time of an allreduce among the topologies that are found here, by the family that has it, degree 4; every 40th number of nodes."},
		{ID: "direct-connect/better/frontier", Source: "Direct-connect, Table 4", Better: true, Draw: drawBetterTable4,
			About: "Table 4 in its two axes: what the paper prints, what is found here, and the bound."},
		{ID: "direct-connect/better/nodes", Source: "Direct-connect, Fig. 7", Better: true, Draw: drawBetterFigure7,
			About: "The axes of Fig. 7: the best fixed topology, plans that may rewire, and the bounds for either kind. Where the lines of plans and of the fixed topology are one, rewiring gains nothing."},
	}
}

// machine is the machine of §8.3: 10 us per step, 100 Gbps per node.
var machine = finder.Machine{Alpha: 10 * units.Microsecond, NodeBandwidth: 100 * units.Gbps}

// leastBandwidth is (n-1)/n in M/B.
func leastBandwidth(n int) *big.Rat { return big.NewRat(int64(n-1), int64(n)) }

// moreNodes is the number of nodes up to which schedules of line graphs are computed.
const moreNodes = 400

// expandedBandwidth returns the ratio of the bandwidth of the k-fold line graph of a base graph
// to the least, and whether the schedule was computed.
func expandedBandwidth(ctx context.Context, base *topology.Graph, k int) (nodes int, ratio float64, err error) {
	_, bandwidth, err := bfb.Cost(ctx, base, bfb.AllGather)
	if err != nil {
		return 0, 0, err
	}
	nodes = base.Nodes()
	for range k {
		nodes *= base.Degree()
	}
	if k > 0 {
		bandwidth = lineGraphBandwidth(base, bandwidth, k)
		if nodes <= moreNodes {
			if _, bandwidth, err = bfb.Cost(ctx, topology.LineGraph(base, k), bfb.AllGather); err != nil {
				return 0, 0, err
			}
		}
	}
	return nodes, float(new(big.Rat).Quo(bandwidth, leastBandwidth(nodes))), nil
}

// figure3Bases are the Moore- and bandwidth-optimal graphs of degree 4 that Fig. 3 expands.
var figure3Bases = []string{"K(5)", "DC(6;1,2,3,4)", "K(4,4)", "H(2,3)"}

func drawFigure3(ctx context.Context, _ claim.Best) ([]claim.Drawing, error) {
	lines := &chart.Lines{
		Caption: chart.Caption{Title: "Line graphs: bandwidth over the least", Subtitle: "allgather, degree 4", Source: "exact fractions"},
		X:       chart.Axis{Label: "nodes", Unit: chart.Count, Log: true}, Y: chart.Axis{Label: "T_B over T_B*", Unit: chart.Times},
	}
	for _, expr := range figure3Bases {
		g, err := topology.Parse(expr)
		if err != nil {
			return nil, err
		}
		l := chart.Line{Name: expr}
		for k := range 5 {
			n, ratio, err := expandedBandwidth(ctx, g, k)
			if err != nil {
				return nil, err
			}
			l.X, l.Y, l.Marks = append(l.X, float64(n)), append(l.Y, ratio), append(l.Marks, k)
		}
		lines.Lines = append(lines.Lines, l)
	}
	return []claim.Drawing{{Part: "", Chart: lines}}, nil
}

// figure7Nodes are square, so that there is a torus.
var figure7Nodes = []int{16, 36, 64, 100, 196, 324, 484, 676, 1024, 1444, 1936}

// figure7Baseline returns a baseline of Fig. 7 in us, with M/B = 80 us for 1 MB at 100 Gbps:
// Table 4 prints 20640 and 1800 for two of them at 1024 nodes, which are 2N*alpha + 2 M/B and 2
// log2(N) (alpha + M/B).
func figure7Baseline(name string, n int) float64 {
	const alpha, transfer = 10., 80.
	nodes := float64(n)
	side := math.Sqrt(nodes)
	least := 2 * transfer * (nodes - 1) / nodes
	switch name {
	case "ShiftedRing":
		return 2*nodes*alpha + 2*transfer
	case "ShiftedBFBRing":
		return 2*math.Floor(nodes/2)*alpha + least
	case "DBT":
		return 2 * math.Log2(nodes) * (alpha + transfer)
	case "2D torus":
		return 2*2*(side-1)*alpha + least
	default: // 2D torus, BFB
		return 2*2*math.Floor(side/2)*alpha + least
	}
}

var figure7Names = []string{"ShiftedRing", "ShiftedBFBRing", "DBT", "2D torus", "2D torus, BFB"}

// bestTopology returns the least time of an allreduce of a size, in us, and its topology.
func bestTopology(ctx context.Context, f *finder.Finder, n int, size units.Bytes) (float64, finder.Point, error) {
	points, err := f.Frontier(ctx, n)
	if err != nil {
		return 0, finder.Point{}, err
	}
	choice, err := machine.Choose(points, []finder.Weighted{{Size: size, Weight: 1}})
	if err != nil {
		return 0, finder.Point{}, err
	}
	return float64(choice.Time) / 1e3, choice.Point, nil
}

func nodesLines(title, setting string) *chart.Lines {
	return &chart.Lines{
		Caption: chart.Caption{Title: title, Subtitle: setting, Source: "times of the model"},
		X:       chart.Axis{Label: "nodes", Unit: chart.Count, Log: true}, Y: chart.Axis{Label: "allreduce time", Unit: chart.Seconds, Log: true},
	}
}

func drawFigure7(ctx context.Context, _ claim.Best) ([]claim.Drawing, error) {
	lines := nodesLines("Allreduce of 1 MB at large scale", "degree 4, 10 us per step, 100 Gbps per node")
	for _, name := range figure7Names {
		l := chart.Line{Name: name}
		for _, n := range figure7Nodes {
			l.X, l.Y = append(l.X, float64(n)), append(l.Y, 1e3*figure7Baseline(name, n))
		}
		lines.Lines = append(lines.Lines, l)
	}
	ours, bound := chart.Line{Name: "best topology found"}, chart.Line{Name: "bound", Dashed: true}
	f := finder.New(4, finder.Options{Op: bfb.AllReduce})
	for i, n := range figure7Nodes {
		t, _, err := bestTopology(ctx, f, n, units.MB)
		if err != nil {
			return nil, err
		}
		least, err := leastTime(n, units.MB)
		if err != nil {
			return nil, err
		}
		ours.X, ours.Y, ours.Marks = append(ours.X, float64(n)), append(ours.Y, 1e3*t), append(ours.Marks, i)
		bound.X, bound.Y = append(bound.X, float64(n)), append(bound.Y, 1e3*least)
	}
	lines.Lines = append(lines.Lines, ours, bound)
	return []claim.Drawing{{Part: "", Chart: lines}}, nil
}

// leastTime returns a time, in us, that no topology of degree 4 beats.
func leastTime(n int, size units.Bytes) (float64, error) {
	bound, err := finder.Bound(n, 4, finder.Options{Op: bfb.AllReduce})
	if err != nil {
		return 0, err
	}
	t, err := machine.Time(bound, size)
	return float64(t) / 1e3, err
}

// figure9Family is a row of both halves of Fig. 9.
type figure9Family struct {
	name  string
	exprs []string
}

func figure9Families() []figure9Family {
	cubes, tori := figure9Family{name: "hypercubes"}, figure9Family{name: "square tori"}
	for k := 2; k <= 8; k++ {
		cubes.exprs = append(cubes.exprs, fmt.Sprintf("Q(%d)", k))
	}
	for side := 2; side <= 12; side++ {
		tori.exprs = append(tori.exprs, fmt.Sprintf("Torus(%d,%d)", side, side))
	}
	return []figure9Family{cubes, tori}
}

func drawFigure9(ctx context.Context, _ claim.Best) ([]claim.Drawing, error) {
	var drawings []claim.Drawing
	for _, family := range figure9Families() {
		steps := &chart.Lines{
			Caption: chart.Caption{Title: "Steps of an allgather on " + family.name, Source: "breadth-first-broadcast schedules"},
			X:       chart.Axis{Label: "nodes", Unit: chart.Count, Log: true}, Y: chart.Axis{Label: "steps", Unit: chart.Count},
			Lines: []chart.Line{{Name: "BFB"}, {Name: "diameter: the least", Dashed: true}},
		}
		bandwidth := &chart.Lines{
			Caption: chart.Caption{Title: "Bandwidth of an allgather on " + family.name, Source: "breadth-first-broadcast schedules, exact fractions"},
			X:       chart.Axis{Label: "nodes", Unit: chart.Count, Log: true}, Y: chart.Axis{Label: "T_B in M/B", Unit: chart.Number},
			Lines: []chart.Line{{Name: "BFB"}, {Name: "the least", Dashed: true}},
		}
		for i, expr := range family.exprs {
			g, err := topology.Parse(expr)
			if err != nil {
				return nil, err
			}
			count, cost, err := bfb.Cost(ctx, g, bfb.AllGather)
			if err != nil {
				return nil, err
			}
			diameter, _ := g.Diameter()
			n := float64(g.Nodes())
			for _, p := range []struct {
				line *chart.Line
				y    float64
			}{
				{&steps.Lines[0], float64(count)}, {&steps.Lines[1], float64(diameter)},
				{&bandwidth.Lines[0], float(cost)}, {&bandwidth.Lines[1], float(leastBandwidth(g.Nodes()))},
			} {
				p.line.X, p.line.Y = append(p.line.X, n), append(p.line.Y, p.y)
			}
			steps.Lines[0].Marks, bandwidth.Lines[0].Marks = append(steps.Lines[0].Marks, i), append(bandwidth.Lines[0].Marks, i)
		}
		part := family.name[:4]
		drawings = append(drawings, claim.Drawing{Part: part + "/steps", Chart: steps}, claim.Drawing{Part: part + "/bandwidth", Chart: bandwidth})
	}
	return drawings, nil
}

func drawFigure12(ctx context.Context, _ claim.Best) ([]claim.Drawing, error) {
	lines := &chart.Lines{
		Caption: chart.Caption{Title: "Generalized Kautz graphs: bandwidth over the least", Subtitle: "allgather", Source: "exact fractions"},
		X:       chart.Axis{Label: "nodes", Unit: chart.Count}, Y: chart.Axis{Label: "T_B over T_B*", Unit: chart.Times, Least: 0.9, Most: 2.1},
	}
	for _, d := range []int{2, 4, 8, 16} {
		l := chart.Line{Name: fmt.Sprintf("degree %d", d)}
		for n := d + 1; n <= 200; n += 3 {
			_, bandwidth, err := bfb.Cost(ctx, topology.GenKautz(d, n), bfb.AllGather)
			if err != nil {
				return nil, err
			}
			l.X, l.Y = append(l.X, float64(n)), append(l.Y, float(new(big.Rat).Quo(bandwidth, leastBandwidth(n))))
		}
		lines.Lines = append(lines.Lines, l)
	}
	return []claim.Drawing{{Part: "", Chart: lines}}, nil
}
