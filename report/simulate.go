package report

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"

	"github.com/lightpath-net/lightpath/command/simulating"
	"github.com/lightpath-net/lightpath/report/tabular"
	"github.com/lightpath-net/lightpath/units"
)

// How many steps, messages and links are listed one by one.
const (
	maxSimulatedSteps = 24
	maxLostSteps      = 12
	maxLateFlows      = 5
	maxBusyLinks      = 5
)

// Simulation writes when everything had arrived, how and why that differs from the plan, and
// what failures would cost.
func Simulation(w io.Writer, s *simulating.Simulation) {
	if s.Iteration != nil {
		simulatedIteration(w, s)
		return
	}
	condition := ""
	if !s.Survives() {
		condition = " if nothing fails"
	}
	fmt.Fprintf(w, "done after %v%s (%s level, %d packet-hops)\n\n", s.CompletionNs, condition, s.Level, s.PacketHops)
	if s.RatesKeptNs > 0 {
		fmt.Fprintf(w, "message rates are not exact: each was held for up to %v, so that this takes no longer than packets\n\n", s.RatesKeptNs)
	}
	difference(w, s)
	for i := range s.Failures {
		failure(w, s, &s.Failures[i])
	}
	simulatedSteps(w, s.Steps)
	flowTimes(w, s.FlowTimes)
	lateFlows(w, s.Flows)
	busyLinks(w, s.Links)
}

// difference compares the simulation with the plan.
func difference(w io.Writer, s *simulating.Simulation) {
	if s.PredictedNs == 0 {
		return
	}
	by := "the same"
	if d := wholePs(s.CompletionNs - s.PredictedNs); d != 0 {
		by = fmt.Sprintf("%s (%+.2f%%)", signed(d), 100*(float64(s.CompletionNs/s.PredictedNs)-1))
	}
	if c := s.BarriersCostNs; c != nil {
		fmt.Fprintf(w, "  no barriers; with them %s (%v)\n", barriersCost(*c, s.CompletionNs), s.CompletionNs+*c)
	}
	fmt.Fprintf(w, "  the plan says %v; simulated: %s\n", s.PredictedNs, by)
	t := tabular.New("    ", ">", "", "")
	for _, c := range s.Explanation {
		t.Add(signed(c.Ns), string(c.Cause), c.Cause.About())
	}
	t.Write(w, 0, "")
	fmt.Fprintln(w)
}

// barriersCost says how much longer something takes with barriers.
func barriersCost(cost, total units.Time) string {
	switch {
	case wholePs(cost) == 0:
		return "it takes the same time"
	case cost < 0:
		return fmt.Sprintf("it takes %v less: packets meet in another order", -cost)
	}
	return fmt.Sprintf("it takes %v more, %.2f%%", cost, 100*float64(cost/total))
}

// failure writes what a failure loses: transfers of steps, or messages.
func failure(w io.Writer, s *simulating.Simulation, f *simulating.SimulatedFailure) {
	if f.Transfers == 0 {
		fmt.Fprintf(w, "  %s: nothing is lost\n\n", f.Failure)
		return
	}
	never := ""
	if len(s.Steps) > 0 {
		never = fmt.Sprintf("step %d never ends; ", f.Steps[0].Index)
	}
	fmt.Fprintf(w, "  %s: %slost in total: %s, %s\n", f.Failure, never, lost(s, f.Transfers), units.FormatBytes(float64(f.Bytes)))
	t := tabular.New("    ", ">step", ">first loss", "on", ">"+noun(s)+"s", ">bytes", "such as")
	for _, s := range f.Steps {
		first := s.Transfers[0]
		t.Add(strconv.Itoa(s.Index), s.AtNs.String(), arrow(s.From, s.To), strconv.Itoa(len(s.Transfers)),
			units.FormatBytes(float64(s.Bytes)), arrow(first.Src, first.Dst))
	}
	t.Write(w, maxLostSteps, "steps; `json` lists all")
	fmt.Fprintln(w)
}

// FirstLoss says in one line what a failure breaks, for a simulation with losses.
func FirstLoss(s *simulating.Simulation) string {
	for i := range s.Failures {
		f := &s.Failures[i]
		if f.Transfers == 0 {
			continue
		}
		first := &f.Steps[0]
		where := fmt.Sprintf("at %v on circuit %s", first.AtNs, arrow(first.From, first.To))
		if len(s.Steps) == 0 {
			return fmt.Sprintf("%s: %s lost, the first %s", f.Failure, lost(s, f.Transfers), where)
		}
		return fmt.Sprintf("%s: step %d fails %s; %s lost in it, %d in total",
			f.Failure, first.Index, where, lost(s, len(first.Transfers)), f.Transfers)
	}
	if i := s.Iteration; i != nil {
		for k := range i.Stalls {
			if stalled := &i.Stalls[k]; stalled.First != "" && stalled.Replanned == nil {
				return fmt.Sprintf("%s: %s of GPU %d does not end; %d of %s do not", stalled.Failure, stalled.First, stalled.Rank, stalled.Unfinished, units.Count(stalled.Of, "operation"))
			}
		}
	}
	return ""
}

// noun says what is sent: transfers of a plan, or messages.
func noun(s *simulating.Simulation) string {
	if len(s.Steps) > 0 {
		return "transfer"
	}
	return "message"
}

func lost(s *simulating.Simulation, n int) string { return units.Count(n, noun(s)) }

func simulatedSteps(w io.Writer, steps []simulating.SimulatedStep) {
	if len(steps) == 0 {
		return
	}
	t := tabular.New("  ", ">step", ">starts", ">ends", ">takes", ">plan says", ">difference")
	for _, step := range steps {
		t.Add(strconv.Itoa(step.Index), step.StartNs.String(), step.EndNs.String(), step.TotalNs.String(),
			step.PredictedNs.String(), signed(wholePs(step.TotalNs-step.PredictedNs)))
	}
	t.Write(w, maxSimulatedSteps, "steps; `json` lists all")
	fmt.Fprintln(w)
}

// flowTimes writes how long messages took.
func flowTimes(w io.Writer, t *simulating.SimulatedTimes) {
	if t == nil {
		return
	}
	fmt.Fprintf(w, "  messages take %v (p50), %v (p90), %v (p99), at most %v\n\n", t.P50Ns, t.P90Ns, t.P99Ns, t.MaxNs)
}

// lateFlows lists the messages that arrived last.
func lateFlows(w io.Writer, flows []simulating.SimulatedFlow) {
	if len(flows) == 0 {
		return
	}
	late := slices.Clone(flows)
	slices.SortStableFunc(late, func(a, b simulating.SimulatedFlow) int { return cmp.Compare(b.CompletionNs, a.CompletionNs) })
	t := tabular.New("  ", "last messages", ">bytes", ">starts", ">arrives")
	for _, f := range late[:min(maxLateFlows, len(late))] {
		t.Add(arrow(f.Src, f.Dst), strconv.FormatInt(f.Bytes, 10), f.StartNs.String(), f.CompletionNs.String())
	}
	t.Write(w, 0, "")
	fmt.Fprintln(w)
}

func busyLinks(w io.Writer, all []simulating.SimulatedLink) {
	links := slices.Clone(all)
	slices.SortStableFunc(links, func(a, b simulating.SimulatedLink) int { return cmp.Compare(b.Utilization, a.Utilization) })
	t := tabular.New("  ", "busiest circuits", ">bytes", ">utilisation", ">longest queue")
	for _, l := range links[:min(maxBusyLinks, len(links))] {
		t.Add(arrow(l.From, l.To), strconv.FormatInt(l.Bytes, 10),
			fmt.Sprintf("%.1f%%", 100*l.Utilization), l.QueuePeakNs.String())
	}
	t.Write(w, 0, "")
}

func arrow(from, to int) string { return fmt.Sprintf("%d -> %d", from, to) }

// signed writes a difference of times with its sign.
func signed(t units.Time) string {
	if t > 0 {
		return "+" + t.String()
	}
	return t.String()
}

// wholePs rounds a time to picoseconds, the resolution of a simulation.
func wholePs(t units.Time) units.Time { return units.Time(math.Round(float64(t)*1000) / 1000) }
