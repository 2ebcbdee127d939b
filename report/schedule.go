package report

import (
	"fmt"
	"io"
	"strconv"

	"github.com/lightpath-net/lightpath/command/exploring"
	"github.com/lightpath-net/lightpath/report/tabular"
	"github.com/lightpath-net/lightpath/units"
)

// maxScheduleSteps is the number of steps that are listed one by one.
const maxScheduleSteps = 24

// Schedule writes a breadth-first-broadcast schedule.
func Schedule(w io.Writer, s *exploring.Schedule) {
	if s.PerStepNs != nil {
		unevenSchedule(w, s)
		return
	}
	fmt.Fprintf(w, "%s on %s: %s, transmission %s M/B\n\n", s.Op, s.Expr, units.Count(s.Steps, "step"), s.Bandwidth)
	optimal := "not optimal: the bound for this degree is lower"
	if s.BandwidthOptimal {
		optimal = "optimal: no topology of this degree needs less time"
	}
	chunks := "may be cut anywhere"
	if s.Chunks > 0 {
		chunks = fmt.Sprintf("cut into %s that travel whole", units.Count(s.Chunks, "chunk"))
	}
	tabular.List(w, "  ", []string{"nodes", "degree", "transmission", "shards", "made by"},
		[]string{strconv.Itoa(s.Nodes), strconv.Itoa(s.Degree), optimal, chunks, s.Derivation})
	fmt.Fprintln(w)
	t := tabular.New("  ", ">step", ">busiest circuit carries")
	for i, load := range s.PerStep {
		unit := " shards"
		if load == "1" {
			unit = " shard"
		}
		t.Add(strconv.Itoa(i+1), load+unit)
	}
	t.Write(w, maxScheduleSteps, "steps; `json` lists all")
}

// unevenSchedule writes a schedule on circuits that differ.
func unevenSchedule(w io.Writer, s *exploring.Schedule) {
	fmt.Fprintf(w, "%s on %d nodes with unequal circuits: %s, %v\n\n", s.Op, s.Nodes, units.Count(s.Steps, "step"), s.TimeNs)
	if s.Rounded > 0 {
		fmt.Fprintf(w, "  rounded: a shard takes up to %.2g%% longer over a link than its exact numbers say\n\n", 100*s.Rounded)
	}
	t := tabular.New("  ", ">step", ">takes")
	for i, time := range s.PerStepNs {
		t.Add(strconv.Itoa(i+1), time.String())
	}
	t.Write(w, maxScheduleSteps, "steps; `json` lists all")
}
