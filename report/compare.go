package report

import (
	"cmp"
	"fmt"
	"io"
	"strconv"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/command/comparing"
	"github.com/lightpath-net/lightpath/report/tabular"
	"github.com/lightpath-net/lightpath/units"
)

// Compare writes the rows of a comparison, fastest first.
func Compare(w io.Writer, c *comparing.Comparison) {
	on := collective.Space{Nodes: c.Fabric.Nodes, Members: c.GPUs}
	fmt.Fprintf(w, "%s of %v on %s\n\n", c.Op, units.Bytes(c.SizeBytes), members(&on))
	tabular.List(w, "  ", []string{"fabric"}, []string{describe(&c.Fabric)})
	fmt.Fprintln(w)
	t := tabular.New("  ", "algorithm", "planner", ">time", ">x", ">packets", ">x", ">reconfigs", ">gap")
	for _, row := range c.Rows {
		t.Add(row.Algorithm, named(row.Planner, row.Strategy), row.TotalNs.String(), factor(row.Speedup), inPackets(&row), factor(row.SimulatedSpeedup),
			strconv.Itoa(row.Reconfigurations), shortGap(row.Gap))
	}
	t.Fit()
	t.Write(w, 0, "")
	fmt.Fprintln(w, "\n  x: speed-up over the fastest row without reconfiguration, by model and packets")
	fmt.Fprintln(w, "  gap: excess over the lower bound for that row's algorithm")
	packetNotes(w, c.Rows)
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
		tabular.List(w, "  ", names, reasons)
	}
}

// shortGap writes a gap as a percentage, without meaningless decimals.
func shortGap(gap float64) string {
	if gap >= 1 {
		return fmt.Sprintf("%.0f%%", 100*gap)
	}
	return fmt.Sprintf("%.1f%%", 100*gap)
}

// inPackets returns the simulated time of a row, if it is known.
func inPackets(row *comparing.ComparisonRow) string {
	if row.Unsimulated != "" {
		return "-"
	}
	return row.SimulatedNs.String()
}

// packetNotes says why the first row without a simulation has none, and whether packets would
// put another row first.
func packetNotes(w io.Writer, rows []comparing.ComparisonRow) {
	best, model, missing := -1, 0, ""
	for i := range rows {
		if rows[i].TotalNs < rows[model].TotalNs {
			model = i
		}
		switch {
		case rows[i].Unsimulated != "":
			missing = cmp.Or(missing, rows[i].Unsimulated)
		case best < 0 || rows[i].SimulatedNs < rows[best].SimulatedNs:
			best = i
		}
	}
	if missing != "" {
		fmt.Fprintf(w, "  packets -: %s\n", missing)
	}
	if best >= 0 && best != model && rows[model].SimulatedNs > rows[best].SimulatedNs {
		fmt.Fprintf(w, "  packet by packet, %s with %s is the fastest: %v\n",
			rows[best].Algorithm, named(rows[best].Planner, rows[best].Strategy), rows[best].SimulatedNs)
	}
}

// factor writes a speed-up, if it is known.
func factor(times float64) string {
	if times == 0 {
		return "-"
	}
	return strconv.FormatFloat(times, 'f', 2, 64)
}

// named returns the name of a planner with its strategy, if it has one.
func named(planner, strategy string) string {
	if strategy == "" {
		return planner
	}
	return planner + " " + strategy
}
