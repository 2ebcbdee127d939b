package report

import (
	"fmt"
	"io"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/command/placing"
	"github.com/lightpath-net/lightpath/report/tabular"
	"github.com/lightpath-net/lightpath/units"
)

// Placement writes which GPUs are best for a job.
func Placement(w io.Writer, a *placing.Placement) {
	fmt.Fprintf(w, "%s of %v on %d GPUs takes %v on GPUs %s\n\n", a.Op, units.Bytes(a.SizeBytes), len(a.GPUs), a.TotalNs, shorten(collective.FormatMembers(a.GPUs), 60))
	fmt.Fprintf(w, "  %s with %s; no plan for these GPUs takes less than %v\n", a.Algorithm, a.Planner, a.BoundNs)
	fmt.Fprintf(w, "  %d GPUs are free; looked at %d slices, planned %d\n  among %s\n\n", a.Free, a.Slices, a.Planned, a.Among)
	islands := !a.Fabric.Island.IsZero()
	heads := []string{">time", "GPUs", "why"}
	if islands {
		heads = append(heads, ">islands")
	}
	rows := tabular.New("  ", heads...)
	for _, c := range a.Choices {
		cells := []string{c.TotalNs.String(), shorten(c.GPUs, 40), c.Why}
		if islands {
			cells = append(cells, fmt.Sprint(c.Islands))
		}
		rows.Add(cells...)
	}
	rows.Write(w, 0, "")
}
