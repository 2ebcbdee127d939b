package report

import (
	"fmt"
	"io"
	"strconv"

	"github.com/lightpath-net/lightpath"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/units"
)

// Compare writes the rows of a comparison, fastest first.
func Compare(w io.Writer, c *lightpath.Comparison) {
	fmt.Fprintf(w, "%s of %v on %d GPUs\n\n", c.Op, units.Bytes(c.SizeBytes), c.Fabric.Nodes)
	list(w, "  ", []string{"fabric"}, []string{describe(&c.Fabric)})
	fmt.Fprintln(w)
	t := newTable("  ", "algorithm", "planner", ">time", ">slower", ">steps", ">rewired", ">gap")
	for _, row := range c.Rows {
		t.add(row.Algorithm, row.Planner, row.TotalNs.String(),
			fmt.Sprintf("%.2fx", float64(row.TotalNs/c.Rows[0].TotalNs)),
			strconv.Itoa(row.Steps), strconv.Itoa(row.Reconfigurations), fmt.Sprintf("%.1f%%", 100*row.Gap))
	}
	t.write(w, 0, "")
	if len(c.Skipped) > 0 {
		fmt.Fprintln(w, "\nnot possible:")
		var names, reasons []string
		for _, s := range c.Skipped {
			names = append(names, s.Algorithm+" "+s.Planner)
			reasons = append(reasons, s.Reason)
		}
		list(w, "  ", names, reasons)
	}
}

// Verify writes the outcome of every check.
func Verify(w io.Writer, r *plan.Report) {
	var names, details []string
	for _, c := range r.Checks {
		mark := "ok"
		if !c.OK {
			mark = "NO"
		}
		names = append(names, fmt.Sprintf("%s  %-10s", mark, c.Name))
		details = append(details, c.Detail)
	}
	list(w, "  ", names, details)
	if r.OK {
		fmt.Fprintln(w, "the plan is correct")
	} else {
		fmt.Fprintln(w, "the plan is NOT correct")
	}
}

// Topology writes the metrics of a graph.
func Topology(w io.Writer, m topology.Metrics) {
	yes := func(b bool) string {
		if b {
			return "yes"
		}
		return "no"
	}
	diameter, average, moore := "not strongly connected", "-", "-"
	if m.Diameter != nil {
		diameter = strconv.Itoa(*m.Diameter)
	}
	if m.AverageDistance != nil {
		average = strconv.FormatFloat(*m.AverageDistance, 'g', 6, 64)
	}
	if m.MooreDiameter != nil {
		moore = strconv.Itoa(*m.MooreDiameter)
	}
	fmt.Fprintf(w, "%s\n\n", m.Expr)
	list(w, "  ",
		[]string{"nodes", "circuits", "degree", "two-way", "diameter", "least possible", "average distance", "reverse-symmetric"},
		[]string{strconv.Itoa(m.Nodes), strconv.Itoa(m.Circuits), strconv.Itoa(m.Degree), yes(m.Bidirectional),
			diameter, moore + " (Moore bound)", average, yes(m.ReverseSymmetric)})
}

// Catalog writes what can be asked for.
func Catalog(w io.Writer, c lightpath.Catalog) {
	var names, abouts []string
	fmt.Fprintln(w, "algorithms")
	for _, a := range c.Algorithms {
		ops := ""
		for i, op := range a.Operations {
			if i > 0 {
				ops += ", "
			}
			ops += string(op)
		}
		names = append(names, a.Name)
		abouts = append(abouts, fmt.Sprintf("%s. For %s; %s.", a.About, ops, a.Nodes))
	}
	list(w, "  ", names, abouts)
	fmt.Fprintln(w, "\nplanners")
	names, abouts = nil, nil
	for _, p := range c.Planners {
		names, abouts = append(names, p.Name), append(abouts, p.About)
	}
	list(w, "  ", names, abouts)
	fmt.Fprintln(w, "\npresets of the fabric (--preset NAME; sources with --json)")
	names, abouts = nil, nil
	for _, p := range c.Presets {
		names, abouts = append(names, p.Name), append(abouts, p.About)
	}
	list(w, "  ", names, abouts)
}
