package report

import (
	"bufio"
	"fmt"
	"io"

	"github.com/lightpath-net/lightpath"
	"github.com/lightpath-net/lightpath/explain"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/plan/verify"
	"github.com/lightpath-net/lightpath/sweep"
	"github.com/lightpath-net/lightpath/topology"
)

// Text is for people: tables and sentences that fit a terminal.
type Text struct {
	// Verbose says all of a plan, and not what matters most.
	Verbose bool
}

// Name of the form.
func (Text) Name() string { return "text" }

// About the form.
func (Text) About() string { return "for people" }

// Write writes any answer.
func (t Text) Write(to io.Writer, answer any) error {
	w := bufio.NewWriter(to)
	switch a := answer.(type) {
	case *plan.Plan:
		if t.Verbose {
			Plan(w, a)
		} else {
			Brief(w, a)
		}
	case *lightpath.Comparison:
		Compare(w, a)
	case *explain.Explanation:
		Explain(w, a)
	case *lightpath.Frontier:
		Frontier(w, a)
	case *lightpath.Simulation:
		Simulation(w, a)
	case *verify.Report:
		Verify(w, a)
	case *lightpath.Compilation:
		Compilation(w, a)
	case *lightpath.Checked:
		Checked(w, a)
	case *topology.Metrics:
		Topology(w, a)
	case *lightpath.Schedule:
		Schedule(w, a)
	case *lightpath.TopologyFrontier:
		TopologyFrontier(w, a)
	case *lightpath.StoreContent:
		StoreContent(w, a)
	case *lightpath.Training:
		Training(w, a)
	case *lightpath.TraceList:
		Traces(w, a)
	case *lightpath.Layout:
		Layout(w, a)
	case *lightpath.Catalog:
		Catalog(w, a)
	case *lightpath.Emulation:
		Emulation(w, a)
	case *lightpath.Calibration:
		Calibration(w, a)
	case *lightpath.AlgorithmList:
		Algorithms(w, a.Algorithms)
	case *lightpath.Tuning:
		Tuning(w, a)
	case *lightpath.Advice:
		Advice(w, a)
	case *lightpath.Reproduction:
		Reproduction(w, a)
	case interface{ Text(w io.Writer) }:
		a.Text(w)
	case *sweep.Table:
		Sweep(w, a)
	case *sweep.Comparison:
		SweepDiff(w, a)
	default:
		return fmt.Errorf("%T: %w", answer, ErrNoForm)
	}
	return w.Flush()
}
