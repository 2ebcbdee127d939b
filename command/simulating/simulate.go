// Package simulating implements the command simulate: a plan, or any traffic, in packets or flows.
package simulating

import (
	"context"
	"iter"
	"time"

	"github.com/lightpath-net/lightpath/command"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/field"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/sim"
	"github.com/lightpath-net/lightpath/sim/replay"
	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/units"
)

// Simulate verifies and replays a plan, executes the plan of an iteration, or simulates
// messages, packet by packet or flow by flow.
func Simulate(ctx context.Context, r SimulateRequest, options ...command.Option) (*Simulation, error) {
	e := command.NewRun(options)
	if err := r.Complete(); err != nil {
		return nil, err
	}
	if r.Iteration != nil {
		return r.simulateIteration(ctx, e)
	}
	if r.raw() {
		return r.simulateTraffic(ctx, e)
	}
	p, assumed, err := r.Correct(ctx, e, r.Plan, r.PlanID)
	if err != nil {
		return nil, err
	}
	answer, err := r.replay(ctx, p, e)
	if err == nil {
		answer.Assumed = assumed
	}
	return answer, err
}

// replay simulates a plan.
func (r *SimulateRequest) replay(ctx context.Context, p *plan.Plan, e *command.Run) (*Simulation, error) {
	how := r.options()
	how.Forwarding = p.Fabric.Forwarding
	if r.Level == sim.PacketLevel && how.Forwarding == fabric.CutThrough && p.Fabric.Ideal().Delta == 0 {
		return nil, field.Errorf("plan.fabric.delta_ns", "0ns per hop, "+cutThroughNeeds)
	}
	run := &simulator{
		level: r.Level, options: how, nodes: p.Fabric.Nodes, phases: p.CountSteps(), delta: p.Fabric.Delta,
		failures: r.Fail, graphs: circuitsOf(p), plan: p, e: e,
	}
	if r.Timing == replay.Asynchronous {
		return r.replayAsynchronously(ctx, p, run)
	}
	s, result, err := run.run(ctx, run.simulate(replay.Paced(p, r.Pace)))
	if err != nil {
		return nil, err
	}
	s.Pace, s.Timing, s.PredictedNs = r.Pace, r.Timing, p.Cost.Total()
	return s, compareSteps(ctx, s, p, r.Level, how, result)
}

// cutThroughNeeds says what is wrong with a delta of 0: a packet would be in all of its
// queues at once.
const cutThroughNeeds = "but packets that cut through need at least 1ps; use that, store-and-forward or level flow"

// compareSteps says how the steps of a simulation differ from the plan.
func compareSteps(ctx context.Context, s *Simulation, p *plan.Plan, level sim.Level, how sim.Options, result *sim.Result) error {
	var calm []sim.PhaseResult
	if how.Skew.Node > 0 { // compare with the plan without skew
		quiet := how
		quiet.Skew = sim.Skew{}
		again, err := sim.Run(ctx, level, replay.Paced(p, s.Pace), quiet)
		if err != nil {
			return err
		}
		calm = again.Phases
	}
	explanation, err := replay.Explain(p, level, how, result.Phases, calm)
	if err != nil {
		return err
	}
	s.Explanation = explained(explanation.Total)
	i := 0
	for _, step := range p.Steps() {
		phase := result.Phases[i]
		s.Steps = append(s.Steps, SimulatedStep{
			Index: step.Index, StartNs: max(phase.Start, phase.Traffic-p.Fabric.Alpha).Time(), EndNs: phase.End.Time(),
			TotalNs:     (phase.End - phase.Traffic + p.Fabric.Alpha).Time(),
			PredictedNs: step.Cost.Total(), Explanation: explained(explanation.Steps[i]),
		})
		i++
	}
	return nil
}

// simulator holds what all requests have in common.
type simulator struct {
	level    sim.Level
	options  sim.Options
	nodes    int
	phases   int
	delta    units.Duration
	failures []replay.Failure
	graphs   iter.Seq[*topology.Graph] // all circuits
	plan     *plan.Plan                // nil: messages
	e        *command.Run
}

// circuitsOf returns the circuits of every stage of a plan.
func circuitsOf(p *plan.Plan) iter.Seq[*topology.Graph] {
	return func(yield func(*topology.Graph) bool) {
		for i := range p.Stages {
			if !yield(p.Stages[i].Topology) {
				return
			}
		}
	}
}

// simulate returns a function that simulates a program.
func (r *simulator) simulate(program sim.Program) func(context.Context, sim.Options) (*sim.Result, error) {
	return func(ctx context.Context, o sim.Options) (*sim.Result, error) {
		return sim.Run(ctx, r.level, program, o)
	}
}

func (r *simulator) run(ctx context.Context, simulate func(context.Context, sim.Options) (*sim.Result, error)) (*Simulation, *sim.Result, error) {
	if err := r.checkFailures(); err != nil {
		return nil, nil, err
	}
	var watching observers
	var losses *replay.Losses
	if len(r.failures) > 0 {
		losses = replay.NewLosses(r.delta, r.failures...)
		if err := losses.OnPorts(r.plan); err != nil {
			return nil, nil, err
		}
		watching = append(watching, losses)
	}
	var trace *sim.Trace
	if r.e.Trace != nil {
		trace = sim.NewTrace(r.e.Trace)
		watching = append(watching, trace)
	}
	var series *sim.Series
	if r.e.Interval != 0 {
		var err error
		if series, err = sim.NewSeries(r.e.Interval); err != nil {
			return nil, nil, err
		}
		watching = append(watching, series)
	}
	o := r.options
	if o.Observer = nil; len(watching) > 0 {
		o.Observer = watching
		if r.plan != nil {
			o.Observer = replay.OnGPUs(r.plan, watching)
		}
	}
	o.Progress = r.tell
	begin := time.Now()
	result, err := simulate(ctx, o)
	wall := time.Since(begin)
	if series != nil && err == nil {
		err = field.In("interval", series.Check())
	}
	if trace != nil && err == nil {
		if series != nil {
			trace.Count(series)
		}
		err = trace.Close()
	}
	if r.e.Series != nil && err == nil {
		err = series.Write(r.e.Series)
	}
	if r.plan != nil && err == nil {
		result.Links = replay.Folded(r.plan, result.Links)
	}
	if r.e.Links != nil && err == nil {
		err = sim.WriteLinks(r.e.Links, result)
	}
	if err != nil {
		return nil, nil, err
	}
	s := &Simulation{
		Schema: SimulateSchema, Level: r.level, CompletionNs: result.Completion.Time(),
		Packets: result.Packets, PacketHops: result.PacketHops, Events: result.Events,
		RatesKeptNs: result.RatesKept.Time(), WallNs: wall.Nanoseconds(), Links: describeLinks(result),
	}
	if result.ArrivalSum != nil {
		sum := BigNumber(result.ArrivalSum.String())
		s.ArrivalSumPs = &sum
	}
	if losses != nil {
		if r.plan != nil {
			losses.Finish(r.plan)
		}
		s.Failures = describeLosses(r.failures, losses)
	}
	return s, result, nil
}

// checkFailures returns an error for failures of nonexistent parts.
func (r *simulator) checkFailures() error {
	for i, f := range r.failures {
		err := f.Check(r.nodes)
		if err == nil {
			err = f.CheckCircuits(r.graphs)
		}
		if err != nil {
			return field.In(field.Index("fail", i), err)
		}
	}
	return nil
}
