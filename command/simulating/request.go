package simulating

import (
	"cmp"
	"slices"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/command"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/field"
	"github.com/lightpath-net/lightpath/iteration"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/sim"
	"github.com/lightpath-net/lightpath/sim/replay"
	"github.com/lightpath-net/lightpath/units"
)

// SimulateRequest asks for the simulation of a plan, or of messages on circuits that do
// not change: Topology and Traffic instead of Plan.
type SimulateRequest struct {
	Plan   *plan.Plan `json:"-"` // in JSON "plan": the whole plan, or {"id": HASH}
	PlanID string     `json:"-"`
	command.ScheduleFields
	// Iteration is the plan of a whole iteration, to be executed instead of a plan.
	Iteration *iteration.Document `json:"iteration,omitempty"`

	Level  sim.Level   `json:"level,omitempty" placeholder:"LEVEL" help:"simulation level: packet | flow" default:"packet"`
	Packet units.Bytes `json:"packet_bytes,omitzero" help:"size of a packet" default:"4KiB"`
	// Fail are failures, each simulated on its own at packet level: what would be lost.
	Fail   []replay.Failure `json:"fail,omitempty" help:"inject a failure, ${WHAT}: link:3-4@10us, link:3>4@10us, gpu:5@10us, port:7@10us (the last port of GPU 7), port:7.0@10us or, of an iteration, switch:1@10us; without a time it fails at the start; may be repeated. Data that has left the link or reached the GPU by then is not lost"`
	Jitter units.Duration   `json:"jitter_ns,omitzero" help:"delay each GPU's start by a random time up to this; of an iteration, each of its computations" default:"0ns"`
	Seed   *uint64          `json:"seed,omitempty" help:"random seed of ${jitter} and ${spread}" default:"1"`
	// Slow and Iterations apply to the plan of an iteration.
	Slow       []SlowGPU `json:"slow,omitempty" help:"of an iteration: slow down a GPU, ${gpu:ID:FACTOR}; gpu:5:1.3: GPU 5 takes 1.3 times as long; may be repeated"`
	Iterations int       `json:"iterations,omitempty" help:"of an iteration: carry ${N} out, one after the other" default:"4"`
	// Replan plans the iteration again without the port or the switch that fails, and goes on.
	Replan      bool           `json:"replan,omitempty" help:"of an iteration: after ${fail} port:U.P@TIME or switch:S@TIME, plan again without that port on any GPU, and go on from there"`
	ReplanDelay units.Duration `json:"replan_delay_ns,omitzero" help:"with ${replan}: how long after the failure the new plan is ready" default:"0ns"`
	Threads     int            `json:"threads,omitempty" help:"use ${N} threads; 0: as many as help" default:"0"`
	Orbit       bool           `json:"orbit,omitempty" help:"simulate one transfer of each symmetric set"`
	// Pace says in which steps routes send at the plan's rates; "": replay.PaceMerging. Traffic
	// has no pace.
	Pace replay.Pace `json:"pace,omitempty" help:"steps that send at the plan's rates, ${MODE}: merging (where routes merge) | on (all) | off (none)" default:"merging"`
	// Timing is how GPUs proceed from step to step of a plan; "": replay.Barrier.
	Timing replay.Timing `json:"timing,omitempty" help:"when GPUs begin the next step, ${MODE}: barrier (all together) | asynchronous (each as soon as it can; circuits change one by one)" default:"barrier"`

	// Topology is the expression of the circuits, and Traffic is the messages that go over them.
	// Messages are served by priority, the lowest number first.
	Topology string     `json:"topology,omitempty" help:"circuits for ${traffic}, a topology expression ${EXPR}"`
	Traffic  []sim.Flow `json:"traffic,omitempty"`
	TrafficOptions
	// Bandwidth, Delta and Forwarding are the rate of a circuit, its propagation delay and how
	// nodes forward. They apply to Traffic (a plan has its own); 0, nil and "" stand for the
	// default fabric's and for store-and-forward.
	Bandwidth  units.Bandwidth   `json:"bandwidth_bps,omitzero" help:"for ${traffic}: rate of a circuit" default:"800Gbps"`
	Delta      *units.Duration   `json:"delta_ns,omitempty" help:"for ${traffic}: propagation delay of a circuit" default:"500ns"`
	Forwarding fabric.Forwarding `json:"forwarding,omitempty" help:"for ${traffic}: what nodes on a route do, ${MODE}: cut-through | store-and-forward" default:"store-and-forward"`
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

// raw reports whether to simulate messages instead of a plan.
func (r *SimulateRequest) raw() bool { return r.Topology != "" || r.Traffic != nil }

// Complete fills in the defaults and reports the first invalid field.
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
	switch {
	case r.Iteration != nil && r.raw():
		return field.Errorf("iteration", "there is traffic, too; want one of them")
	case r.Iteration != nil:
		if err := r.TrafficOptions.unused(); err != nil {
			return err
		}
		return r.completeIteration()
	case r.Slow != nil:
		return field.Errorf("slow", "only for the plan of an iteration")
	case r.Replan:
		return field.Errorf("replan", "only for the plan of an iteration")
	case r.Iterations != 0:
		return field.Errorf("iterations", "only for the plan of an iteration")
	case r.raw():
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
	return r.OnePlan(r.Plan, r.PlanID)
}

// options returns the options of the simulation, except for forwarding and observers.
func (r *SimulateRequest) options() sim.Options {
	seed := uint64(collective.DefaultSeed)
	if r.Seed != nil {
		seed = *r.Seed
	}
	return sim.Options{Packet: r.Packet, Orbit: r.Orbit, Threads: r.Threads, Skew: sim.Skew{Node: r.Jitter, Seed: seed}}
}
