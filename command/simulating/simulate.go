// Package simulating is the command simulate: a plan, or any traffic, in packets or flows.
package simulating

import (
	"cmp"
	"context"
	"iter"
	"slices"
	"time"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/command"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/field"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/sim"
	"github.com/lightpath-net/lightpath/sim/replay"
	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/units"
)

// SimulateRequest asks for the simulation of a plan, or of messages on circuits that do
// not change: Topology and Traffic instead of Plan.
type SimulateRequest struct {
	Plan   *plan.Plan `json:"-"` // in JSON "plan": the whole plan, or {"id": HASH}
	PlanID string     `json:"-"`

	Level  sim.Level   `json:"level,omitempty" help:"simulation ${LEVEL}: packet | flow" default:"packet"`
	Packet units.Bytes `json:"packet_bytes,omitzero" help:"size of a packet" default:"4KiB"`
	// Fail are failures, each simulated on its own at packet level: what would be lost.
	Fail    []replay.Failure `json:"fail,omitempty" help:"inject a failure, ${WHAT}: link:3-4@10us, link:3>4@10us, gpu:5@10us, port:7@10us (the last port of GPU 7) or port:7/0@10us; without a time from the start; may be repeated. What has left a link, or reached a GPU, by then is not lost"`
	Jitter  units.Duration   `json:"jitter_ns,omitzero" help:"delay each GPU's start by a random time up to this" default:"0ns"`
	Seed    *uint64          `json:"seed,omitempty" help:"random seed ${N} of ${jitter} and ${spread}" default:"1"`
	Threads int              `json:"threads,omitempty" help:"use ${N} threads; 0: as many as help" default:"0"`
	Orbit   bool             `json:"orbit,omitempty" help:"simulate one transfer of each symmetric set"`
	// Pace says in which steps routes send at the plan's rates; "": replay.PaceMerging. Traffic
	// has no pace.
	Pace replay.Pace `json:"pace,omitempty" help:"${WHICH} steps send at the plan's rates: merging (where routes merge) | on (all) | off (none)" default:"merging"`
	// Timing is how GPUs go on from step to step of a plan. "": replay.Barrier.
	Timing replay.Timing `json:"timing,omitempty" help:"${HOW} GPUs proceed from step to step: barrier (all together) | asynchronous (each as soon as it can; circuits change one by one)" default:"barrier"`

	// Topology is the expression of the circuits, and Traffic the messages that go over
	// them. Messages with different priorities are served by these, the lowest first.
	Topology string     `json:"topology,omitempty" help:"circuits for ${traffic}, a topology expression ${EXPR}"`
	Traffic  []sim.Flow `json:"traffic,omitempty"`
	TrafficOptions
	// Bandwidth and propagation delay of a circuit, and forwarding, for Traffic (a plan has its
	// own); 0, nil and "": those of the default fabric, and store-and-forward.
	Bandwidth  units.Bandwidth   `json:"bandwidth_bps,omitzero" help:"for ${traffic}: rate of a circuit" default:"800Gbps"`
	Delta      *units.Duration   `json:"delta_ns,omitempty" help:"for ${traffic}: propagation delay of a circuit" default:"500ns"`
	Forwarding fabric.Forwarding `json:"forwarding,omitempty" help:"for ${traffic}: ${HOW} nodes forward: cut-through | store-and-forward" default:"store-and-forward"`
}

// MarshalJSON writes the JSON form.
func (r SimulateRequest) MarshalJSON() ([]byte, error) {
	type fields SimulateRequest
	return command.WriteWithPlan(r.Plan, r.PlanID, fields(r))
}

// UnmarshalJSON reads the JSON form.
func (r *SimulateRequest) UnmarshalJSON(data []byte) (err error) {
	type fields SimulateRequest
	r.Plan, r.PlanID, err = command.ReadWithPlan(data, (*fields)(r))
	return err
}

// raw reports whether messages are to be simulated and not a plan.
func (r *SimulateRequest) raw() bool { return r.Topology != "" || r.Traffic != nil }

// Complete fills in the defaults and reports the first field that makes no sense.
func (r *SimulateRequest) Complete() error {
	r.Level, r.Packet = cmp.Or(r.Level, sim.PacketLevel), cmp.Or(r.Packet, sim.DefaultPacket)
	if _, err := sim.ParseLevel(string(r.Level)); err != nil {
		return field.In("level", err)
	}
	switch {
	case r.Packet < 0:
		return field.Errorf("packet_bytes", "must be above 0B")
	case r.Jitter < 0:
		return field.Errorf("jitter_ns", "must not be negative")
	case r.Threads < 0:
		return field.Errorf("threads", "%d; want 1 or more, or 0 for as many as help", r.Threads)
	case r.Orbit && r.Jitter > 0:
		return field.Errorf("orbit", "not with jitter, which makes all GPUs different")
	case len(r.Fail) > 0 && r.Level != sim.PacketLevel:
		return field.Errorf("fail", "only level packet can tell what is lost")
	case len(r.Fail) > 0 && r.Orbit:
		return field.Errorf("fail", "failures break the symmetry; leave out orbit")
	}
	if r.raw() {
		return r.completeTraffic()
	}
	r.Timing = cmp.Or(r.Timing, replay.Barrier)
	if err := r.completeTiming(); err != nil {
		return err
	}
	if err := r.TrafficOptions.unused(); err != nil {
		return err
	}
	if r.Pace = cmp.Or(r.Pace, replay.PaceMerging); !slices.Contains(replay.Paces(), r.Pace) {
		return field.Errorf("pace", "%q is not one of %v", r.Pace, replay.Paces())
	}
	const ofThePlan = "only with `traffic`; a plan has its own"
	switch {
	case r.Bandwidth != 0:
		return field.Errorf("bandwidth_bps", ofThePlan)
	case r.Delta != nil:
		return field.Errorf("delta_ns", ofThePlan)
	case r.Forwarding != "":
		return field.Errorf("forwarding", ofThePlan)
	}
	return command.OnePlan(r.Plan, r.PlanID)
}

// options is how to simulate, except for what forwards and who watches.
func (r *SimulateRequest) options() sim.Options {
	seed := uint64(collective.DefaultSeed)
	if r.Seed != nil {
		seed = *r.Seed
	}
	return sim.Options{Packet: r.Packet, Orbit: r.Orbit, Threads: r.Threads, Skew: sim.Skew{Node: r.Jitter, Seed: seed}}
}

// Simulate verifies a plan and replays it, or simulates messages, packet by packet or flow
// by flow.
func Simulate(ctx context.Context, r SimulateRequest, options ...command.Option) (*Simulation, error) {
	e := command.NewEnvironment(options)
	if err := r.Complete(); err != nil {
		return nil, err
	}
	if r.raw() {
		return r.simulateTraffic(ctx, e)
	}
	p, err := e.CorrectPlan(ctx, r.Plan, r.PlanID)
	if err != nil {
		return nil, err
	}
	return r.replay(ctx, p, e)
}

// replay simulates a plan.
func (r *SimulateRequest) replay(ctx context.Context, p *plan.Plan, e *command.Environment) (*Simulation, error) {
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
	if how.Skew.Node > 0 { // what would be without
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
			Index: step.Index, StartNs: phase.Start.Time(), EndNs: phase.End.Time(),
			TotalNs:     (phase.End - phase.Traffic + p.Fabric.Alpha).Time(),
			PredictedNs: step.Cost.Total(), Explanation: explained(explanation.Steps[i]),
		})
		i++
	}
	return nil
}

// simulator is what all requests have in common.
type simulator struct {
	level    sim.Level
	options  sim.Options
	nodes    int
	phases   int
	delta    units.Duration
	failures []replay.Failure
	graphs   iter.Seq[*topology.Graph] // all circuits
	plan     *plan.Plan                // nil: messages
	e        *command.Environment
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

// simulate returns what simulates a program.
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

// checkFailures reports failures of what is not there.
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

// progressUnits is how finely the progress of one phase is told.
const progressUnits = 1000

// tell says how far the simulation is, all phases counting the same.
func (r *simulator) tell(p sim.Progress) {
	if p.Total == 0 {
		return
	}
	done := int(float64(p.Done) / float64(p.Total) * progressUnits)
	r.e.Report(p.Phase*progressUnits+done, r.phases*progressUnits)
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
