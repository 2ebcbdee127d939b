package report

import (
	"fmt"
	"io"
	"slices"

	"github.com/lightpath-net/lightpath/iteration"
	"github.com/lightpath-net/lightpath/units"
)

// Iteration writes how long an iteration takes, and what of it is communication.
func Iteration(w io.Writer, d *iteration.Document) {
	name := d.Name
	if name == "" {
		name = "the workload"
	}
	fmt.Fprintf(w, "an iteration of %s on %d GPUs takes %v\n\n", name, d.Ranks, d.Iteration)
	list(w, "  ", []string{"compute", "exposed", "rewiring", "fabric", "bound"}, []string{
		fmt.Sprintf("%v, the longest chain of computations alone", d.Compute),
		fmt.Sprintf("%v, %.1f%% of the iteration%s", d.Exposed, 100*float64(d.Exposed/d.Iteration), exposedBy(d)),
		fmt.Sprintf("%s, %d hidden; policy %s; verified", units.Count(d.Reconfigurations, "reconfiguration"), d.Hidden, d.Policy),
		describe(&d.Fabric),
		fmt.Sprintf("%v; no iteration in which ranks use only their own ports is faster; gap %.1f%%", d.Bound, 100*d.Gap),
	})
	fmt.Fprintln(w)
	rows := newTable("  ", "policy", ">iteration", ">ratio")
	for _, policy := range iteration.Policies() {
		time, ok := d.Baselines[policy]
		if !ok {
			rows.add(policy, "-", "does not fit")
			continue
		}
		rows.add(policy, time.String(), fmt.Sprintf("%.3f", float64(time/d.Iteration)))
	}
	rows.write(w, 0, "")
}

// IterationJSON writes the summary of an iteration's plan.
func IterationJSON(w io.Writer, d *iteration.Document) error { return d.Summary().Encode(w) }

// exposedBy says what the exposed communication is of.
func exposedBy(d *iteration.Document) string {
	type part struct {
		kind string
		time units.Time
	}
	var parts []part
	for kind, time := range d.ExposedByKind {
		parts = append(parts, part{kind, time})
	}
	slices.SortFunc(parts, func(a, b part) int {
		switch {
		case a.time != b.time && a.time > b.time:
			return -1
		case a.time != b.time:
			return 1
		case a.kind < b.kind:
			return -1
		}
		return 1
	})
	text := ""
	for _, p := range parts {
		text += fmt.Sprintf("; %s %v", p.kind, p.time)
	}
	return text
}

// IterationOps lists when every operation takes place.
func IterationOps(d *iteration.Document) []iteration.DocumentOp { return d.Ops }
