package evaluation

import (
	"context"
	"flag"
	"fmt"
	"io"

	"github.com/lightpath-net/lightpath/chart"
	"github.com/lightpath-net/lightpath/planner/exchange/model"
	"github.com/lightpath-net/lightpath/planner/exchange/strategy"
)

// mostNodes is the largest number of nodes of Figure 13a.
const mostNodes = 4096

// ratioRow holds the largest ratios for one number of nodes.
type ratioRow struct {
	paper, shifts strategy.Ratio
}

// worstNodes is the number of nodes at which the paper's rule is farthest from the bound, among
// the powers of two and three times the powers of two, up to 4096 nodes.
const worstNodes = 3072

// ratioTable returns the ratios for all powers of two from 2 to a number of nodes, and for
// worstNodes.
func ratioTable(ctx context.Context, most int) ([]ratioRow, error) {
	var nodes []int
	for n := 2; n <= most; n *= 2 {
		nodes = append(nodes, n)
		if n < worstNodes && worstNodes < 2*n && worstNodes <= most {
			nodes = append(nodes, worstNodes)
		}
	}
	paper, err := strategy.Ratios(ctx, strategy.Paper, nodes)
	if err != nil {
		return nil, err
	}
	shifts, err := strategy.Ratios(ctx, strategy.Shifts, nodes)
	if err != nil {
		return nil, err
	}
	rows := make([]ratioRow, len(nodes))
	for i := range rows {
		rows[i] = ratioRow{paper: paper[i], shifts: shifts[i]}
	}
	return rows, nil
}

// runRatios prints the table of Figure 13a and draws it.
func runRatios(ctx context.Context, args []string, out, log io.Writer) error {
	flags := flag.NewFlagSet("ratios", flag.ContinueOnError)
	svg := flags.String("svg", "", "write the plot to this `file`")
	most := flags.Int("nodes", mostNodes, "largest `number` of nodes")
	if err := parse(flags, args, log); err != nil {
		return err
	}
	if *most < 2 || *most > model.MaxNodes {
		return fmt.Errorf("ratios: up to %d nodes, want 2 to %d", *most, model.MaxNodes)
	}
	rows, err := ratioTable(ctx, *most)
	if err != nil {
		return err
	}
	fmt.Fprintln(out, "Largest ratio of slots to the bound of Theorem 1 over all d, one port (Figure 13a)")
	fmt.Fprintf(out, "%5s  %22s  %22s\n", "", "paper's rule", "shifts")
	fmt.Fprintf(out, "%5s  %5s %5s %10s  %5s %5s %10s\n", "nodes", "ratio", "d", "slots", "ratio", "d", "slots")
	for _, r := range rows {
		fmt.Fprintf(out, "%5d  %5.2f %5d %10d  %5.2f %5d %10d\n", r.paper.Nodes,
			r.paper.Value(), r.paper.Stages, r.paper.Slots, r.shifts.Value(), r.shifts.Stages, r.shifts.Slots)
	}
	scene, err := ratioPlot(rows)
	if err != nil {
		return err
	}
	return writeFile(*svg, scene.SVG)
}

// ratioPlot is the plot of the table.
func ratioPlot(rows []ratioRow) (*chart.Scene, error) {
	paper, shifts := chart.Line{Name: "paper's rule"}, chart.Line{Name: "shifts"}
	for i, r := range rows {
		n := float64(r.paper.Nodes)
		paper.X, paper.Y, paper.Marks = append(paper.X, n), append(paper.Y, r.paper.Value()), append(paper.Marks, i)
		shifts.X, shifts.Y, shifts.Marks = append(shifts.X, n), append(shifts.Y, r.shifts.Value()), append(shifts.Marks, i)
	}
	c := &chart.Lines{
		Caption: chart.Caption{Title: "Largest ratio of slots to the bound of Theorem 1, one port", Source: "Counted slots (Figure 13a)."},
		X:       chart.Axis{Label: "nodes", Log: true}, Y: chart.Axis{Label: "slots / bound"},
		Lines: []chart.Line{paper, shifts},
	}
	return c.Scene()
}

// runGap prints the curves of Figure 13b.
func runGap(ctx context.Context, args []string, out, log io.Writer) error {
	flags := flag.NewFlagSet("gap", flag.ContinueOnError)
	nodes := flags.Int("nodes", 32, "`number` of nodes; the paper shows 32 and 512")
	if err := parse(flags, args, log); err != nil {
		return err
	}
	points, err := Gaps(ctx, *nodes)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "Slots of %d nodes with one port by the number of topologies d (Figure 13b)\n", *nodes)
	fmt.Fprintf(out, "%5s %12s %9s %14s\n", "d", "paper's rule", "Theorem 1", "bound, relayed")
	for _, p := range points {
		fmt.Fprintf(out, "%5d %12d %9d %14d\n", p.Stages, p.Paper, p.Bound, p.Relay)
	}
	return nil
}
