package report

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/lightpath-net/lightpath/command/emulating"
	"github.com/lightpath-net/lightpath/report/tabular"
	"github.com/lightpath-net/lightpath/units"
)

// maxEmulatedSteps is how many steps of a run are listed one by one.
const maxEmulatedSteps = 24

// Emulation writes the result of a run, and its times beside the expected ones.
func Emulation(w io.Writer, e *emulating.Emulation) {
	elapsed := time.Duration(e.ElapsedNs).Round(time.Millisecond)
	switch {
	case e.Fault != nil:
		fmt.Fprintf(w, "failed: %s\n\n", e.Fault.Text)
	case e.Exact:
		fmt.Fprintf(w, "ran in %v; every rank has the right result, bit for bit\n\n", elapsed)
	default:
		fmt.Fprintf(w, "ran in %v; every rank has the right result, within the rounding error of %s\n\n", elapsed, e.Type)
	}
	for _, a := range e.Attempts {
		fmt.Fprintf(w, "  replanned after: %s\n", a.Fault.Text)
	}
	for _, f := range e.FaultsUnused {
		why := "the run ended first"
		if f.OfLink() {
			why = "nothing was sent over it from then on"
		}
		fmt.Fprintf(w, "  %v never took effect: %s\n", f, why)
	}
	pace := "as fast as the host can, ignoring the fabric's times"
	if e.Slow > 0 {
		pace = fmt.Sprintf("%s times slower than the fabric", strconv.FormatFloat(e.Slow, 'f', -1, 64))
	}
	fmt.Fprintf(w, "  %s in %s, %s\n", units.Count(e.Ranks, "rank"), units.Count(e.Processes, "process", "processes"), pace)
	if e.OK {
		fmt.Fprintf(w, "  sent %s of %s over %s, %s of it forwarded; checked %s of results\n", units.FormatBytes(float64(e.BytesMoved)), e.Type, tiersOf(e),
			units.FormatBytes(float64(e.BytesRelayed)), units.FormatBytes(float64(e.BytesChecked)))
	}
	if c := e.Control; c != nil && e.OK {
		fmt.Fprintf(w, "  circuits set over %s: %s\n", c.Protocol, units.Count(c.Commands, "command"))
	}
	fmt.Fprintln(w)
	if e.Iteration != nil {
		emulatedIteration(w, e)
		return
	}
	t := tabular.New("  ", "", ">predicted", ">simulated", ">emulated", ">emulated/simulated")
	t.Add("in all", e.PredictedNs.String(), e.SimulatedNs.String(), orDash(e.MeasuredNs), compared(e))
	t.Write(w, 0, "")
	fmt.Fprintln(w)
	steps := tabular.New("  ", ">step", ">predicted", ">simulated", ">emulated", ">of it barrier")
	for _, s := range e.Steps {
		if s.MeasuredNs == 0 && e.Fault != nil && s.Index > e.Fault.Step {
			continue // not reached
		}
		steps.Add(strconv.Itoa(s.Index), s.PredictedNs.String(), s.SimulatedNs.String(), orDash(s.MeasuredNs), orDash(s.BarrierNs))
	}
	steps.Write(w, maxEmulatedSteps, "steps; `json` lists all")
	changes := tabular.New("  ", ">stage", ">new circuits", ">predicted", ">dark", ">emulated")
	for _, c := range e.Changes {
		changes.Add(strconv.Itoa(c.Stage), strconv.Itoa(c.Circuits), c.PredictedNs.String(), c.DarkNs.String(), c.MeasuredNs.String())
	}
	if len(e.Changes) > 0 {
		fmt.Fprintln(w)
		changes.Write(w, maxEmulatedSteps, "changes of circuits; `json` lists all")
	}
	if len(e.Circuits) == 0 {
		return
	}
	busiest := slices.MaxFunc(e.Circuits, func(a, b emulating.EmulatedCircuit) int { return cmp.Compare(a.Bytes, b.Bytes) })
	fmt.Fprintf(w, "\n  busiest circuit %s: %s\n", arrow(busiest.From, busiest.To), units.FormatBytes(float64(busiest.Bytes)))
}

// emulatedIteration writes the times of iterations, also by kind.
func emulatedIteration(w io.Writer, e *emulating.Emulation) {
	t := tabular.New("  ", "", ">predicted", ">simulated", ">emulated", ">emulated/simulated")
	t.Add("an iteration", e.PredictedNs.String(), e.SimulatedNs.String(), orDash(e.MeasuredNs), compared(e))
	t.Write(w, 0, "")
	fmt.Fprintln(w)
	kinds := tabular.New("  ", "on average", ">times", ">predicted", ">simulated", ">emulated")
	for _, k := range e.Iteration.Kinds {
		kinds.Add(k.Kind, strconv.Itoa(k.Jobs), k.PredictedNs.String(), k.SimulatedNs.String(), orDash(k.MeasuredNs))
	}
	kinds.Write(w, 0, "")
	fmt.Fprintln(w)
	steps := tabular.New("  ", ">iteration", ">predicted", ">simulated", ">emulated")
	for _, s := range e.Steps {
		steps.Add(strconv.Itoa(s.Index), s.PredictedNs.String(), s.SimulatedNs.String(), orDash(s.MeasuredNs))
	}
	steps.Write(w, maxEmulatedSteps, "iterations; `json` lists all")
}

// tiersOf says over which tiers bytes went.
func tiersOf(e *emulating.Emulation) string {
	var beside []string
	if e.BytesIsland > 0 {
		beside = append(beside, units.FormatBytes(float64(e.BytesIsland))+" within islands")
	}
	if e.BytesFixed > 0 {
		beside = append(beside, units.FormatBytes(float64(e.BytesFixed))+" over fixed links")
	}
	if beside == nil {
		return "circuits"
	}
	return "circuits and beside them (" + strings.Join(beside, ", ") + ")"
}

// compared writes the ratio of emulated to simulated time; without the fabric's times the two
// are unrelated.
func compared(e *emulating.Emulation) string {
	if e.Slow == 0 || e.MeasuredNs == 0 || e.SimulatedNs == 0 {
		return "-"
	}
	return fmt.Sprintf("%.3f", float64(e.MeasuredNs/e.SimulatedNs))
}

// fitWords says what a fitting method minimises.
func fitWords(fit string) string {
	if size, ok := strings.CutPrefix(fit, "plateau:"); ok {
		return "mean time up to " + size + ", least absolute errors above"
	}
	return "least squared relative errors"
}

// Calibration writes the fitted values, and how well they fit.
func Calibration(w io.Writer, c *emulating.Calibration) {
	where := "measured times"
	if c.Nodes > 0 {
		where = fmt.Sprintf("this host with %d ranks", c.Nodes)
	}
	fmt.Fprintf(w, "%s: time = alpha + delta x hops + bytes / bandwidth\n\n", where)
	t := tabular.New("  ", "", "")
	t.Add("alpha", c.AlphaNs.String())
	if c.EpsilonNs > 0 {
		t.Add("constant", c.EpsilonNs.String())
	}
	t.Add("delta", c.DeltaNs.String())
	t.Add("bandwidth", fmt.Sprintf("%.4g Gbps", float64(c.BandwidthBps)/float64(units.Gbps)))
	if c.Nodes > 0 {
		t.Add("barrier", c.BarrierNs.String())
		t.Add("reconfiguration", c.ReconfigNs.String())
	}
	t.Add("fit", fitWords(c.Fit))
	t.Add("relative error", fmt.Sprintf("%.2f%% on average, %.2f%% at most, of %s", 100*c.Residual, 100*c.ResidualMax, units.Count(c.Samples, "sample")))
	t.Write(w, 0, "")
	fmt.Fprintln(w)
	for _, o := range c.OtherFits {
		fmt.Fprintf(w, "  `fit` %s (%s) gives alpha %v and %.4g Gbps, relative error %.2f%%\n\n",
			o.Fit, fitWords(o.Fit), o.AlphaNs, float64(o.BandwidthBps)/float64(units.Gbps), 100*o.Residual)
	}
	samples := tabular.New("  ", ">bytes", ">hops", ">measured", ">fitted")
	for _, s := range c.Measured {
		samples.Add(units.FormatBytes(s.Bytes), strconv.FormatFloat(s.Hops, 'f', -1, 64), s.TimeNs.String(), s.FittedNs.String())
	}
	samples.Write(w, maxEmulatedSteps, "samples; `json` lists all")
}
