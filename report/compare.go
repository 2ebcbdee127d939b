package report

import (
	"fmt"
	"io"
	"strconv"

	"github.com/lightpath-net/lightpath"
	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/units"
)

// Compare writes the rows of a comparison, fastest first.
func Compare(w io.Writer, c *lightpath.Comparison) {
	on := collective.Space{Nodes: c.Fabric.Nodes, Members: c.GPUs}
	fmt.Fprintf(w, "%s of %v on %s\n\n", c.Op, units.Bytes(c.SizeBytes), members(&on))
	list(w, "  ", []string{"fabric"}, []string{describe(&c.Fabric)})
	fmt.Fprintln(w)
	t := newTable("  ", "algorithm", "planner", ">time", ">vs best", ">steps", ">rewired", ">gap")
	for _, row := range c.Rows {
		t.add(row.Algorithm, named(row.Planner, row.Strategy), row.TotalNs.String(),
			fmt.Sprintf("%.2fx", float64(row.TotalNs/c.Rows[0].TotalNs)),
			strconv.Itoa(row.Steps), strconv.Itoa(row.Reconfigurations), fmt.Sprintf("%.1f%%", 100*row.Gap))
	}
	t.write(w, 0, "")
	fmt.Fprintln(w, "\n  gap: above the lower bound for that row's algorithm")
	if c.Verdict != "" {
		fmt.Fprintf(w, "\n%s\n", c.Verdict)
	}
	if len(c.Skipped) > 0 {
		fmt.Fprintln(w, "\nnot possible:")
		var names, reasons []string
		for _, s := range c.Skipped {
			names = append(names, s.Algorithm+" "+named(s.Planner, s.Strategy))
			reasons = append(reasons, s.Reason)
		}
		list(w, "  ", names, reasons)
	}
}

// named returns the name of a planner with that of its strategy, if it has one.
func named(planner, strategy string) string {
	if strategy == "" {
		return planner
	}
	return planner + " " + strategy
}
