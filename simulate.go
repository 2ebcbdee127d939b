package lightpath

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/sim"
	"github.com/lightpath-net/lightpath/sim/replay"
	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/units"
)

// SimulateRequest asks for the simulation of a plan.
type SimulateRequest struct {
	Plan    *plan.Plan
	Level   sim.Level
	Options sim.Options // its Forwarding is that of the plan's fabric; its Observer and Progress are not used
	// Failures are looked at one by one, at packet level: what would be lost.
	Failures []replay.Failure
	Trace    io.Writer // of a Chrome trace, or nil
	Links    io.Writer // of what links did as CSV, or nil
	Progress func(done, total int)
}

// TrafficRequest asks for the simulation of messages on circuits that do not change.
type TrafficRequest struct {
	Topology  string // expression
	Flows     []sim.Flow
	Bandwidth units.Bandwidth
	Delta     units.Duration
	Level     sim.Level
	Options   sim.Options // its Observer and Progress are not used
	Failures  []replay.Failure
	Trace     io.Writer
	Links     io.Writer
	Progress  func(done, total int)
}

// Simulate replays a plan, packet by packet or flow by flow.
func Simulate(ctx context.Context, r SimulateRequest) (*Simulation, error) {
	r.Options.Forwarding = r.Plan.Fabric.Forwarding
	if r.Level == sim.PacketLevel && r.Options.Forwarding == fabric.CutThrough && r.Plan.Fabric.Delta == 0 {
		return nil, errors.New("delta: the plan has 0ns per hop, " + cutThroughNeeds)
	}
	run := &simulator{
		level: r.Level, options: r.Options, nodes: r.Plan.Fabric.Nodes, phases: r.Plan.CountSteps(), delta: r.Plan.Fabric.Delta,
		failures: r.Failures, trace: r.Trace, links: r.Links, progress: r.Progress,
	}
	s, result, err := run.run(ctx, replay.Program(r.Plan))
	if err != nil {
		return nil, err
	}
	s.PredictedNs = r.Plan.Cost.Total()
	return s, r.compare(ctx, s, result)
}

// cutThroughNeeds says what is wrong with a delta of 0: a packet would be in all of its
// queues at once.
const cutThroughNeeds = "but packets that cut through need at least 1ps; use that, store-and-forward or level flow"

// compare says how the steps of a simulation differ from the plan.
func (r *SimulateRequest) compare(ctx context.Context, s *Simulation, result *sim.Result) error {
	var calm []sim.PhaseResult
	if r.Options.Skew.Node > 0 || r.Options.Skew.Phase > 0 { // what would be without
		o := r.Options
		o.Skew, o.Observer, o.Progress = sim.Skew{}, nil, nil
		again, err := sim.Run(ctx, r.Level, replay.Program(r.Plan), o)
		if err != nil {
			return err
		}
		calm = again.Phases
	}
	explanation, err := replay.Explain(r.Plan, r.Level, r.Options, result.Phases, calm)
	if err != nil {
		return err
	}
	s.Explanation = explained(explanation.Total)
	i := 0
	for _, step := range r.Plan.Steps() {
		phase := result.Phases[i]
		s.Steps = append(s.Steps, SimulatedStep{
			Index: step.Index, StartNs: phase.Start.Time(), EndNs: phase.End.Time(),
			TotalNs:     (phase.End - phase.Traffic + r.Plan.Fabric.Alpha).Time(),
			PredictedNs: step.Cost.Total(), Explanation: explained(explanation.Steps[i]),
		})
		i++
	}
	return nil
}

// SimulateTraffic simulates messages over shortest paths.
func SimulateTraffic(ctx context.Context, r TrafficRequest) (*Simulation, error) {
	g, err := topology.Parse(r.Topology)
	if err != nil {
		return nil, fmt.Errorf("topology: %w", err)
	}
	if r.Level == sim.PacketLevel && r.Options.Forwarding == fabric.CutThrough && r.Delta == 0 {
		return nil, errors.New("delta: 0ns per hop, " + cutThroughNeeds)
	}
	r.Options.FlowTimes = true
	run := &simulator{
		level: r.Level, options: r.Options, nodes: g.Nodes(), phases: 1, delta: r.Delta,
		failures: r.Failures, trace: r.Trace, links: r.Links, progress: r.Progress,
	}
	phase := &sim.Phase{Network: sim.Network{Graph: g, Bandwidth: r.Bandwidth, Delay: r.Delta}, Flows: r.Flows}
	s, result, err := run.run(ctx, sim.Sequence(phase))
	if err != nil {
		if strings.HasPrefix(err.Error(), "phase 0: ") { // there is only one
			err = fmt.Errorf("traffic: %w", errors.Unwrap(err))
		}
		return nil, err
	}
	for i, f := range r.Flows {
		s.Flows = append(s.Flows, SimulatedFlow{
			Src: int(f.Src), Dst: int(f.Dst), Bytes: int64(f.Bytes), StartNs: f.Start.Time(),
			CompletionNs: result.Phases[0].Flows[i].Time(),
		})
	}
	return s, nil
}

// simulator is what all requests have in common.
type simulator struct {
	level    sim.Level
	options  sim.Options
	nodes    int
	phases   int
	delta    units.Duration
	failures []replay.Failure
	trace    io.Writer
	links    io.Writer
	progress func(done, total int)
}

func (r *simulator) run(ctx context.Context, program sim.Program) (*Simulation, *sim.Result, error) {
	if err := r.checkFailures(); err != nil {
		return nil, nil, err
	}
	var watching observers
	var losses *replay.Losses
	if len(r.failures) > 0 {
		losses = replay.NewLosses(r.delta, r.failures...)
		watching = append(watching, losses)
	}
	var trace *sim.Trace
	if r.trace != nil {
		trace = sim.NewTrace(r.trace)
		watching = append(watching, trace)
	}
	o := r.options
	if o.Observer = nil; len(watching) > 0 {
		o.Observer = watching
	}
	o.Progress = r.report
	begin := time.Now()
	result, err := sim.Run(ctx, r.level, program, o)
	wall := time.Since(begin)
	if trace != nil && err == nil {
		err = trace.Close()
	}
	if r.links != nil && err == nil {
		err = sim.WriteLinks(r.links, result)
	}
	if err != nil {
		return nil, nil, err
	}
	s := &Simulation{
		Schema: SimulateSchema, Level: r.level, CompletionNs: result.Completion.Time(),
		Packets: result.Packets, PacketHops: result.PacketHops, Events: result.Events,
		WallNs: wall.Nanoseconds(), Links: describeLinks(result),
	}
	if result.ArrivalSum != nil {
		sum := BigNumber(result.ArrivalSum.String())
		s.ArrivalSumPs = &sum
	}
	if losses != nil {
		s.Failures = describeLosses(r.failures, losses)
	}
	return s, result, nil
}

// checkFailures reports failures of what is not there or cannot be looked at.
func (r *simulator) checkFailures() error {
	for _, f := range r.failures {
		if err := f.Check(r.nodes); err != nil {
			return fmt.Errorf("fail: %w", err)
		}
	}
	switch {
	case len(r.failures) == 0:
		return nil
	case r.level != sim.PacketLevel:
		return errors.New("fail: what is lost is known packet by packet only; use level packet")
	case r.options.Orbit:
		return errors.New("fail: failures have no symmetry; leave orbit away")
	}
	return nil
}

// progressUnits is how finely the progress of one phase is told.
const progressUnits = 1000

// report tells how far the simulation is, all phases counting the same.
func (r *simulator) report(p sim.Progress) {
	if r.progress == nil || p.Total == 0 {
		return
	}
	done := int(float64(p.Done) / float64(p.Total) * progressUnits)
	r.progress(p.Phase*progressUnits+done, r.phases*progressUnits)
}

// observers tells each of several observers.
type observers []sim.Observer

// Phase implements sim.Observer.
func (o observers) Phase(index int, p *sim.Phase, r *sim.PhaseResult) {
	for _, each := range o {
		each.Phase(index, p, r)
	}
}

// Transmission implements sim.Observer.
func (o observers) Transmission(t sim.Transmission) {
	for _, each := range o {
		each.Transmission(t)
	}
}

// SimulateFile reads a plan, verifies it and replays it.
func SimulateFile(ctx context.Context, name string, r SimulateRequest) (*Simulation, error) {
	p, err := readVerified(ctx, name)
	if err != nil {
		return nil, err
	}
	r.Plan = p
	return Simulate(ctx, r)
}

// readVerified reads a plan that is correct.
func readVerified(ctx context.Context, name string) (*plan.Plan, error) {
	p, err := plan.ReadFile(ctx, name)
	if err != nil {
		return nil, err
	}
	checked, err := plan.Verify(ctx, p)
	if err != nil {
		return nil, err
	}
	if bad := checked.First(); bad != nil {
		return nil, fmt.Errorf("%s: a plan that is not correct: %s: %s", name, bad.Name, bad.Detail)
	}
	return p, nil
}

// ReadTrafficFile reads messages from a CSV file with the heading src,dst,bytes,start_ns.
func ReadTrafficFile(name string, expr string) ([]sim.Flow, error) {
	parsed, err := topology.ParseExpr(expr)
	if err != nil {
		return nil, fmt.Errorf("topology: %w", err)
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, fmt.Errorf("traffic: %w", err)
	}
	defer f.Close()
	flows, err := sim.ReadTraffic(f, parsed.Nodes())
	if err != nil {
		return nil, fmt.Errorf("traffic: %s: %w", name, err)
	}
	return flows, nil
}

// ParseForwarding returns the way of forwarding of that name.
func ParseForwarding(name string) (fabric.Forwarding, error) {
	f := fabric.Default()
	if err := f.Set("forwarding", name); err != nil {
		return "", err
	}
	return f.Forwarding, nil
}
