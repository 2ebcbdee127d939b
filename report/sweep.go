package report

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/lightpath-net/lightpath/chart"
	"github.com/lightpath-net/lightpath/command/comparing"
	picture "github.com/lightpath-net/lightpath/figure"
	"github.com/lightpath-net/lightpath/internal/each"
	"github.com/lightpath-net/lightpath/internal/strict"
	"github.com/lightpath-net/lightpath/iteration"
	"github.com/lightpath-net/lightpath/report/tabular"
	"github.com/lightpath-net/lightpath/sweep"
	"github.com/lightpath-net/lightpath/units"
)

// maxSweepRows is the number of cells that are listed one by one.
const maxSweepRows = 40

// Sweep writes the findings of a sweep in sentences, and its cells as a list if they are few.
func Sweep(w io.Writer, t *sweep.Table) {
	planned := 0
	for i := range t.Cells {
		if t.Cells[i].Known && t.Cells[i].Planned() {
			planned++
		}
	}
	fmt.Fprintf(w, "%s in the grid, %s planned", units.Count(len(t.Cells), "cell"), strconv.Itoa(planned))
	if t.Missing > 0 {
		fmt.Fprintf(w, ", %d not planned yet (`resume`)", t.Missing)
	}
	fmt.Fprintln(w)
	found := t.Findings()
	sentences := each.Below(len(found), func(i int) string { return found[i].Sentence() })
	if ports := t.PortsSentence(); ports != "" {
		sentences = append(sentences, ports)
	}
	if len(sentences) > 0 {
		fmt.Fprintln(w)
	}
	for _, s := range sentences {
		tabular.Text(w, "  ", s)
	}
	switch {
	case len(t.Cells) > maxSweepRows:
		sweepSummary(w, found)
		return
	case t.Spec.Workload != "":
		sweptIterations(w, t)
		return
	}
	fmt.Fprintln(w)
	var heads []string
	if len(t.Cells) > 0 {
		for _, p := range t.Cells[0].Params {
			heads = append(heads, ">"+paramName(p))
		}
	}
	over := []string{">over static", ">over every-step"}
	if t.Alike {
		over = []string{">over same-static", ">over same-every-step"}
	}
	table := tabular.New("  ", append(append(heads, "algorithm", "planner", ">time", ">changes"), over...)...)
	for i := range t.Cells {
		c := &t.Cells[i]
		if !c.Known {
			continue
		}
		row := each.Of(c.Params, paramText)
		if c.Total == 0 {
			table.Add(append(row, shorten(c.Reason, 40), "", "-", "", "", "")...)
			continue
		}
		than := c.Baselines
		if t.Alike {
			than = c.Same
		}
		table.Add(append(row, c.Outcome.Algorithm, c.Outcome.Planner, c.Total.String(), strconv.Itoa(c.Reconfigurations),
			ratio(than.Static, c.Total), ratio(than.EveryStep, c.Total))...)
	}
	table.Write(w, 0, "")
}

// sweptIterations lists the cells of a sweep of whole iterations.
func sweptIterations(w io.Writer, t *sweep.Table) {
	fmt.Fprintln(w)
	heads := each.Of(t.Cells[0].Params[1:], func(p sweep.Param) string { return ">" + paramName(p) })
	table := tabular.New("  ", append(heads, "policy", ">iteration", ">exposed", ">changes", ">over static", ">over phases")...)
	for i := range t.Cells {
		c := &t.Cells[i]
		if !c.Known {
			continue
		}
		row := each.Of(c.Params[1:], paramText)
		if c.Iteration == nil {
			table.Add(append(row, shorten(c.Reason, 40), "-", "", "", "", "")...)
			continue
		}
		table.Add(append(row, c.Outcome.Algorithm, c.Total.String(), fmt.Sprintf("%.1f%%", 100*(c.Total-c.Iteration.Compute).Share(c.Total)), strconv.Itoa(c.Reconfigurations),
			ratio(c.Iteration.Policies[iteration.Static], c.Total), ratio(c.Iteration.Policies[iteration.Phases], c.Total))...)
	}
	table.Write(w, 0, "")
}

// sweepSummary writes the table of a sweep with too many cells for a list: one row for each
// combination of the parameters besides size and delay.
func sweepSummary(w io.Writer, found []sweep.Finding) {
	if len(found) < 2 {
		return // the sentence says everything
	}
	fmt.Fprintln(w)
	table := tabular.New("  ", "", ">reconfiguring pays", ">up to a delay of", ">most", ">with", ">at")
	if found[0].Iterations {
		table = tabular.New("  ", "", ">reconfiguring pays", ">up to a delay of", ">most", "", ">at")
	}
	for i := range found {
		f := &found[i]
		row := []string{f.Where, fmt.Sprintf("%d of %d", f.Pays, f.Cells), "-", "-", "", ""}
		if f.Pays > 0 {
			row[2], row[3], row[4], row[5] = f.Longest.String(), fmt.Sprintf("%.2fx", f.Best), f.BestSize.String(), f.BestDelay.String()
			if f.Iterations {
				row[4] = ""
			}
		}
		table.Add(row...)
	}
	table.Write(w, 0, "")
	fmt.Fprintln(w, "\n  most: times as fast as the best static plan")
}

// paramName is the name of a value that is written with its unit.
func paramName(p sweep.Param) string {
	name := p.Name
	for _, unit := range strict.Units() {
		name = strings.TrimSuffix(name, unit)
	}
	return name
}

// paramText writes a value with its unit.
func paramText(p sweep.Param) string {
	switch {
	case p.Text != "":
		return p.Text
	case p.Name == "size_bytes":
		return units.Bytes(p.Number).String()
	case len(p.Name) > 3 && p.Name[len(p.Name)-3:] == "_ns":
		return units.Time(p.Number).String()
	case p.Name == "bandwidth_bps":
		return units.Bandwidth(p.Number).String()
	}
	return p.String()
}

func ratio(baseline, total units.Time) string {
	if baseline == 0 {
		return "-"
	}
	return fmt.Sprintf("%.2fx", float64(baseline/total))
}

// SweepCSV writes the cells that have an answer.
func SweepCSV(w io.Writer, t *sweep.Table) error { return t.CSV(w) }

// SweepMaps draws a sweep over two parameters with blocks, for a terminal.
func SweepMaps(w io.Writer, t *sweep.Table, colors bool, metrics ...sweep.Metric) error {
	maps, err := picture.HeatMaps(t, metrics...)
	if err != nil {
		return err
	}
	for _, h := range maps {
		fmt.Fprintln(w)
		h.Terminal(w, colors)
	}
	return nil
}

// barsShown is the number of rows that are drawn on a terminal.
const barsShown = 10

// CompareBars draws the fastest rows of a comparison with blocks, for a terminal.
func CompareBars(w io.Writer, c *comparing.Comparison) {
	b := chart.Bars{Parts: []string{""}, Unit: chart.Seconds}
	for _, r := range c.Rows[:min(barsShown, len(c.Rows))] {
		b.Names, b.Values = append(b.Names, "  "+r.Algorithm+", "+r.Planner), append(b.Values, []float64{float64(r.TotalNs)})
	}
	fmt.Fprintln(w)
	b.Terminal(w, 32)
}

// SweepDiff writes how two sweeps differ.
func SweepDiff(w io.Writer, d *sweep.Comparison) {
	fmt.Fprintf(w, "%s the same, %d faster, %d slower, %d only in the first, %d only in the second\n",
		units.Count(d.Same, "cell"), d.Faster, d.Slower, d.OnlyOld, d.OnlyNew)
	if len(d.Different) == 0 {
		return
	}
	fmt.Fprintln(w)
	heads := each.Of(d.Different[0].Params, func(p sweep.Param) string { return ">" + paramName(p) })
	t := tabular.New("  ", append(heads, ">before", ">after", "algorithm", "planner")...)
	for _, c := range d.Different {
		row := each.Of(c.Params, paramText)
		changed := func(a, b string) string {
			if a == b {
				return b
			}
			return a + " -> " + b
		}
		t.Add(append(row, c.Old.Total.String(), c.New.Total.String(), changed(c.Old.Algorithm, c.New.Algorithm), changed(c.Old.Planner, c.New.Planner))...)
	}
	t.Write(w, maxSweepRows, "cells that differ; `json` lists all")
}
