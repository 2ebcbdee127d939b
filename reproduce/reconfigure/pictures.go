package reconfigure

import (
	"context"
	"fmt"
	"math"

	"github.com/lightpath-net/lightpath/chart"
	"github.com/lightpath-net/lightpath/planner/exchange/model"
	"github.com/lightpath-net/lightpath/planner/exchange/strategy"
	"github.com/lightpath-net/lightpath/reproduce/claim"
	"github.com/lightpath-net/lightpath/reproduce/reconfigure/evaluation"
	"github.com/lightpath-net/lightpath/units"
)

func reconfigurePanels() []claim.Panel {
	const thirteen = "Reconfigure or not, Fig. 13"
	return []claim.Panel{
		{ID: "reconfigure-or-not/fig13a", Source: thirteen + "a", Draw: gapRatios(false),
			About: "Largest ratio, over all numbers of topologies, of the slots of the paper's rule to the bound of Theorem 1."},
		{ID: "reconfigure-or-not/fig13b", Source: thirteen + "b", Draw: gapCurves(false, 32, 512),
			About: "Slots of the paper's rule beside the bound of Theorem 1."},
		{ID: "reconfigure-or-not/fig11", Source: "Reconfigure or not, Fig. 11", Full: true, Draw: completionBars(11),
			About: "Completion times at the delay with the largest saving, everything in rounds as §5.1 describes. Slots of one chunk over one hop are exact packet by packet: chunks are stored and forwarded, and no two use a circuit at once (reconfigure-or-not/packets)."},
		{ID: "reconfigure-or-not/fig12", Source: "Reconfigure or not, Fig. 12", Draw: completionBars(12),
			About: "As Fig. 11, for 16 nodes and flows of several sizes."},
		{ID: "reconfigure-or-not/fig14", Source: "Reconfigure or not, Fig. 14", Draw: delayCurves(16),
			About: "Completion time of the random workload against the delay of a change, everything in rounds; 16 nodes (Fig. 14c). Workloads are of one seed of ours."},
		{ID: "reconfigure-or-not/fig14/64", Source: "Reconfigure or not, Fig. 14", Full: true, Draw: delayCurves(64),
			About: "64 nodes, flows of 64 MB and 128 MB (Fig. 14a and b)."},
		{ID: "reconfigure-or-not/better/slots", Source: thirteen, Better: true, Draw: both(gapRatios(true), gapCurves(true, 32)),
			About: "The axes of Fig. 13 with our shifts, with chunks that may wait at a node for a later topology (relay), and with the bound for these: Theorem 1 does not hold for them."},
		{ID: "reconfigure-or-not/better/delay", Source: "Reconfigure or not, Fig. 14", Better: true, Draw: betterDelayCurves,
			About: "The axes of Fig. 14 for 16 nodes: the best of our strategies at each delay, and a bound for any schedule of whole chunks."},
	}
}

// both combines two drawing functions, with the pictures of the second in a part of their own.
func both(first, second func(context.Context, claim.Best) ([]claim.Drawing, error)) func(context.Context, claim.Best) ([]claim.Drawing, error) {
	return func(ctx context.Context, best claim.Best) ([]claim.Drawing, error) {
		a, err := first(ctx, best)
		if err != nil {
			return nil, err
		}
		b, err := second(ctx, best)
		return append(a, b...), err
	}
}

// ratioNodes returns powers of two and the numbers half way between them, up to 4096.
func ratioNodes() []int {
	list := []int{4}
	for n := 8; n <= 4096; n *= 2 {
		list = append(list, n*3/4, n)
	}
	return list
}

// gapRatios draws Fig. 13a.
func gapRatios(better bool) func(context.Context, claim.Best) ([]claim.Drawing, error) {
	return func(ctx context.Context, _ claim.Best) ([]claim.Drawing, error) {
		lines := &chart.Lines{
			Caption: chart.Caption{Title: "Slots over the bound of Theorem 1, largest over all numbers of topologies",
				Subtitle: "one port, one chunk per pair", Source: "slots that are counted; schedules are checked"},
			X: chart.Axis{Label: "nodes", Unit: chart.Count, Log: true}, Y: chart.Axis{Label: "slots over bound", Unit: chart.Times, Least: 0.9, Most: 5},
		}
		hows := []struct{ how, name string }{{strategy.Paper, "the paper's rule"}}
		if better {
			hows = append(hows, struct{ how, name string }{strategy.Shifts, "our shifts"})
		}
		nodes := ratioNodes()
		for _, h := range hows {
			ratios, err := strategy.Ratios(ctx, h.how, nodes)
			if err != nil {
				return nil, err
			}
			l := chart.Line{Name: h.name}
			for i, r := range ratios {
				l.X, l.Y, l.Marks = append(l.X, float64(nodes[i])), append(l.Y, r.Value()), append(l.Marks, i)
			}
			lines.Lines = append(lines.Lines, l)
		}
		bound := chart.Line{Name: "Theorem 1", Dashed: true}
		for _, n := range nodes {
			bound.X, bound.Y = append(bound.X, float64(n)), append(bound.Y, 1)
		}
		lines.Lines = append(lines.Lines, bound)
		return []claim.Drawing{{Part: "ratios", Chart: lines}}, nil
	}
}

// gapCurves draws Fig. 13b.
func gapCurves(better bool, nodes ...int) func(context.Context, claim.Best) ([]claim.Drawing, error) {
	return func(ctx context.Context, _ claim.Best) ([]claim.Drawing, error) {
		var drawings []claim.Drawing
		for _, n := range nodes {
			points, err := evaluation.Gaps(ctx, n)
			if err != nil {
				return nil, err
			}
			lines := &chart.Lines{
				Caption: chart.Caption{Title: fmt.Sprintf("Slots of %d nodes by the number of topologies", n), Subtitle: "one port, one chunk per pair", Source: "slots that are counted; schedules are checked"},
				X:       chart.Axis{Label: "topologies d", Unit: chart.Count, Log: true}, Y: chart.Axis{Label: "slots", Unit: chart.Count, Log: true},
				Lines: []chart.Line{{Name: "the paper's rule"}, {Name: "bound of Theorem 1", Dashed: true}},
			}
			for _, p := range points {
				for i, slots := range []int{p.Paper, p.Bound} {
					l := &lines.Lines[i]
					l.X, l.Y = append(l.X, float64(p.Stages)), append(l.Y, float64(slots))
				}
			}
			if better {
				if err := addRelays(ctx, lines, n, points); err != nil {
					return nil, err
				}
			}
			drawings = append(drawings, claim.Drawing{Part: fmt.Sprint(n), Chart: lines})
		}
		return drawings, nil
	}
}

// addRelays adds our shifts, relays and their bound to the lines of Fig. 13b.
func addRelays(ctx context.Context, lines *chart.Lines, nodes int, points []evaluation.Gap) error {
	demand, err := model.Uniform(nodes, 1)
	if err != nil {
		return err
	}
	for _, how := range []struct{ strategy, name string }{{strategy.Shifts, "our shifts"}, {strategy.Relay, "relay: chunks wait for a later topology"}} {
		found, err := strategy.Curve(ctx, strategy.Problem{Demand: demand, Ports: 1, Strategy: how.strategy}, 0)
		if err != nil {
			return err
		}
		l := chart.Line{Name: how.name}
		for _, p := range found {
			l.X, l.Y = append(l.X, float64(p.Stages)), append(l.Y, float64(p.Slots))
		}
		lines.Lines = append(lines.Lines, l)
	}
	bound := chart.Line{Name: "bound with relays", Dashed: true}
	for _, p := range points {
		bound.X, bound.Y = append(bound.X, float64(p.Stages)), append(bound.Y, float64(p.Relay))
	}
	lines.Lines = append(lines.Lines, bound)
	return nil
}

// completionBars draws Fig. 11 or 12: one picture per number of nodes and ports, or per number
// of ports and workload.
func completionBars(figure int) func(context.Context, claim.Best) ([]claim.Drawing, error) {
	return func(ctx context.Context, _ claim.Best) ([]claim.Drawing, error) {
		list, err := evaluation.Compare(ctx, figure, 64)
		if err != nil {
			return nil, err
		}
		var drawings []claim.Drawing
		for i := range list {
			c := &list[i]
			part, rest := c.Parts(figure)
			if k := len(drawings) - 1; k < 0 || drawings[k].Part != part {
				drawings = append(drawings, claim.Drawing{Part: part, Chart: &chart.Bars{
					Caption: chart.Caption{Title: "Completion time of an all-to-all, " + c.Setting(figure),
						Subtitle: "at the delay with the largest saving over the best baseline", Source: "slots that are counted, times the time of a chunk over a hop"},
					Label: "completion time", Unit: chart.Seconds, Parts: []string{"changes", "sending"},
				}})
			}
			bars := drawings[len(drawings)-1].Chart.(*chart.Bars)
			ratio := c.Peak()
			for _, r := range evaluation.Rivals() {
				t, stages := c.Time(ratio, r)
				if math.IsInf(float64(t), 1) {
					continue
				}
				changes := float64(evaluation.Delay(ratio)) * float64(stages)
				bars.Names = append(bars.Names, rest+": "+r.Name)
				bars.Values = append(bars.Values, []float64{changes, float64(t) - changes})
			}
		}
		return drawings, nil
	}
}

// delayCurves draws Fig. 14 for 64 nodes (a and b) or 16.
func delayCurves(nodes int) func(context.Context, claim.Best) ([]claim.Drawing, error) {
	return func(ctx context.Context, _ claim.Best) ([]claim.Drawing, error) {
		var drawings []claim.Drawing
		for _, ports := range []int{1, 2} {
			for _, flow := range []units.Bytes{64 * units.MB, 128 * units.MB} {
				c, err := evaluation.One(ctx, nodes, ports, "random", flow, true)
				if err != nil {
					return nil, err
				}
				lines := claim.DelayLines(fmt.Sprintf("All-to-all on %d nodes, k = %d, random flows of %v", nodes, ports, flow), "completion time against the delay of a change")
				lines.Source = "slots that are counted, times the time of a chunk over a hop"
				for _, r := range evaluation.Rivals() {
					lines.Lines = append(lines.Lines, rivalLine(&c, r))
				}
				drawings = append(drawings, claim.Drawing{Part: fmt.Sprintf("k%d/%v", ports, flow), Chart: lines})
			}
		}
		return drawings, nil
	}
}

func rivalLine(c *evaluation.Comparison, r evaluation.Rival) chart.Line {
	l := chart.Line{Name: r.Name}
	for _, ratio := range c.Ratios() {
		t, _ := c.Time(ratio, r)
		l.X, l.Y = append(l.X, float64(evaluation.Delay(ratio))), append(l.Y, float64(t))
	}
	return l
}

// betterDelayCurves draws the axes of Fig. 14 with all our strategies and a bound.
func betterDelayCurves(ctx context.Context, _ claim.Best) ([]claim.Drawing, error) {
	var drawings []claim.Drawing
	for _, workload := range []string{"uniform", "random"} {
		for _, ports := range []int{1, 2} {
			theirs, err := evaluation.One(ctx, 16, ports, workload, 64*units.MB, true)
			if err != nil {
				return nil, err
			}
			ours, err := evaluation.One(ctx, 16, ports, workload, 64*units.MB, false)
			if err != nil {
				return nil, err
			}
			lines := claim.DelayLines(fmt.Sprintf("All-to-all on 16 nodes, k = %d, %s flows of 64 MB", ports, workload), "what is left to gain")
			lines.Source = "slots that are counted, times the time of a chunk over a hop"
			for _, r := range evaluation.Rivals() {
				lines.Lines = append(lines.Lines, rivalLine(&theirs, r))
			}
			bound := chart.Line{Name: "bound: no schedule is faster", Dashed: true}
			for _, ratio := range ours.Ratios() {
				t, err := ours.Bound(ratio)
				if err != nil {
					return nil, err
				}
				bound.X, bound.Y = append(bound.X, float64(evaluation.Delay(ratio))), append(bound.Y, float64(t))
			}
			lines.Lines = append(lines.Lines, rivalLine(&ours, evaluation.Auto()), bound)
			claim.CutOff(lines, 3*lines.Lines[3].Y[len(lines.Lines[3].Y)-1])
			drawings = append(drawings, claim.Drawing{Part: fmt.Sprintf("%s-k%d", workload, ports), Chart: lines})
		}
	}
	return drawings, nil
}
