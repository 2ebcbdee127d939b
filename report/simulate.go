package report

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"

	"github.com/lightpath-net/lightpath"
	"github.com/lightpath-net/lightpath/units"
)

// How many steps and links are listed one by one.
const (
	maxSimulatedSteps = 24
	maxBusyLinks      = 5
)

// Simulation writes when everything was done and how that compares with the plan.
func Simulation(w io.Writer, s *lightpath.Simulation) {
	fmt.Fprintf(w, "done after %v (%s level, %d packet-hops)\n\n", s.CompletionNs, s.Level, s.PacketHops)
	if s.PredictedNs > 0 {
		difference := float64(s.CompletionNs/s.PredictedNs) - 1
		fmt.Fprintf(w, "  the plan says %v: simulated %+.4f%%\n\n", s.PredictedNs, 100*difference)
	}
	if len(s.Steps) > 0 {
		t := newTable("  ", ">step", ">starts", ">ends", ">takes", ">plan says", ">difference")
		for _, step := range s.Steps {
			t.add(strconv.Itoa(step.Index), step.StartNs.String(), step.EndNs.String(), step.TotalNs.String(),
				step.PredictedNs.String(), wholePs(step.TotalNs-step.PredictedNs).String())
		}
		t.write(w, maxSimulatedSteps, "steps; --json lists all")
		fmt.Fprintln(w)
	}
	links := slices.Clone(s.Links)
	slices.SortStableFunc(links, func(a, b lightpath.SimulatedLink) int { return cmp.Compare(b.Utilization, a.Utilization) })
	t := newTable("  ", "busiest circuits", ">bytes", ">utilisation", ">longest queue")
	for _, l := range links[:min(maxBusyLinks, len(links))] {
		t.add(fmt.Sprintf("%d -> %d", l.From, l.To), strconv.FormatInt(l.Bytes, 10),
			fmt.Sprintf("%.1f%%", 100*l.Utilization), l.QueuePeakNs.String())
	}
	t.write(w, 0, "")
}

// wholePs rounds a time to picoseconds, which is as exact as a simulation is.
func wholePs(t units.Time) units.Time { return units.Time(math.Round(float64(t)*1000) / 1000) }
