package emulate

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/lightpath-net/lightpath/emulate/coordinator"
	"github.com/lightpath-net/lightpath/emulate/fault"
	"github.com/lightpath-net/lightpath/emulate/program"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/sim"
	"github.com/lightpath-net/lightpath/sim/replay"
	"github.com/lightpath-net/lightpath/units"
)

// Report is the result of a run. Predicted and simulated times are the fabric's; measured times
// are those of the host's clock, divided by Slow if the run waited for the fabric's times.
type Report struct {
	OK        bool    // every rank has found its result correct
	Ranks     int     // that took part
	Processes int     // number of processes
	Slow      float64 // 0: no time of the fabric passed
	Moved     int64   // bytes, counting every hop
	Island    int64   // of these, within islands
	Fixed     int64   // of these, over fixed links
	Relayed   int64   // bytes that ranks forwarded for others
	Checked   int64   // bytes of results that were checked
	Control   string  // the controller's protocol; "": no controller
	Commands  int     // that the switch has executed in it
	Elapsed   time.Duration
	Predicted units.Time // in the plan
	Simulated units.Time // packet by packet, or flow by flow if delta is 0
	Measured  units.Time
	Steps     []Step
	Stages    []Stage
	Circuits  []Circuit
	Fault     *fault.Fault
	// Unused are the requested faults that had no effect: their time was after the end of the
	// run, or nothing used their circuit any more.
	Unused     []fault.Injection
	Exactly    bool // results are checked bit for bit
	SimulateBy sim.Level
}

// Step compares a step with its expected times. It does not include the change of circuits
// before the step.
type Step struct {
	Index     int
	Predicted units.Time
	Simulated units.Time
	Measured  units.Time
	Barrier   units.Time // part of Measured: starting all ranks, collecting their answers
}

// Stage is a change of circuits.
type Stage struct {
	Index     int
	Changed   int        // number of circuits
	Predicted units.Time // time without transmission
	Dark      units.Time // at the switch
	Measured  units.Time // seen by the coordinator
}

// Circuit is the bytes that went directly from one rank to another.
type Circuit struct {
	From, To int
	Bytes    int64
}

// describe makes the report of a run. It includes the expected times of steps that were not
// reached.
func (r *run) describe(processes int, outcome *coordinator.Outcome) *Report {
	g, o, simulated := r.program, &r.o, r.simulated
	report := &Report{
		OK: outcome.Fault == nil, Ranks: len(g.Ranks()), Processes: processes, Slow: o.Slow,
		Relayed: outcome.Relayed, Checked: outcome.CheckedBytes, Control: o.Control, Commands: outcome.Commands, Fault: outcome.Fault, Predicted: g.Plan.Cost.Total(),
		Exactly: o.Type.Exact() || !g.Plan.Collective.Reduces(), Simulated: simulated.Completion.Time(), SimulateBy: r.level,
	}
	if report.OK {
		report.Unused = endings(o.Faults) // one that took effect would have ended the run
		report.Elapsed = outcome.End - outcome.Begin
		report.Measured = measured(report.Elapsed, o.Slow)
	}
	for i := range g.Steps {
		report.Steps = append(report.Steps, r.step(i, &outcome.Steps[i]))
	}
	for _, s := range outcome.Stages {
		report.Stages = append(report.Stages, Stage{
			Index: s.Index, Changed: s.Changed, Predicted: g.Plan.Stages[s.Index-1].Reconfiguration,
			Dark: measured(s.Dark, o.Slow), Measured: measured(s.Took, o.Slow),
		})
	}
	for _, c := range outcome.Circuits {
		report.Circuits = append(report.Circuits, Circuit{int(c[0]), int(c[1]), c[2]})
		report.Moved += c[2]
	}
	report.Island, report.Fixed = outcome.Island, outcome.Fixed
	report.Moved += outcome.Island + outcome.Fixed
	return report
}

// endings returns the faults that end a run; slow links do not.
func endings(faults []fault.Injection) []fault.Injection {
	return slices.DeleteFunc(slices.Clone(faults), func(f fault.Injection) bool { return f.Kind == fault.Slowed })
}

// step compares the i-th step with its expected times.
func (r *run) step(i int, times *coordinator.StepTimes) Step {
	phase := r.simulated.Phases[i]
	step := Step{
		Index: i + 1, Predicted: r.program.Steps[i].Step.Cost.Total(),
		Simulated: (phase.End - phase.Traffic).Time() + r.program.Startup(i),
	}
	if times.End > 0 {
		step.Measured, step.Barrier = measured(times.Total(), r.o.Slow), measured(times.Barrier(), r.o.Slow)
	}
	return step
}

// measured converts a time of the host's clock to the fabric's.
func measured(d time.Duration, slow float64) units.Time {
	slow = cmp.Or(slow, 1)
	return units.Time(float64(d) / slow)
}

// simulate replays the plan as it runs: merging routes are paced, and an asynchronous run has no
// barriers. Packets that cut through need a delta; flows need barriers.
func simulate(ctx context.Context, g *program.Program, free bool) (*sim.Result, sim.Level, error) {
	f := &g.Plan.Fabric
	level := sim.PacketLevel
	if f.Forwarding == fabric.CutThrough && f.Delta == 0 {
		level = sim.FlowLevel
	}
	o := sim.Options{Forwarding: f.Forwarding}
	if free && level == sim.PacketLevel {
		result, err := replay.RunAsynchronous(ctx, g.Plan, replay.PaceMerging, o)
		return result, level, err
	}
	result, err := sim.Run(ctx, level, replay.Paced(g.Plan, replay.PaceMerging), o)
	return result, level, err
}
