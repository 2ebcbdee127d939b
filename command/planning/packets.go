package planning

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/lightpath-net/lightpath/command"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/field"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/plan/verify"
	"github.com/lightpath-net/lightpath/sim"
	"github.com/lightpath-net/lightpath/sim/replay"
	"github.com/lightpath-net/lightpath/sim/traffic"
	"github.com/lightpath-net/lightpath/units"
)

// mostSimulated is the largest number of packet-hops, counting one of each set of symmetric
// transfers, for which a plan is simulated unasked. That takes some tens of milliseconds.
const mostSimulated = 250_000

// AddSimulated verifies a plan, simulates it as Simulate does by default, and records in
// Simulated how long its packets of sim.DefaultPacket take. If the simulation is impossible, or
// would take long and force is not set, it fills in Unsimulated instead.
func AddSimulated(ctx context.Context, p *plan.Plan, force bool) error {
	var err error
	if force || packetHops(p, false) <= mostSimulated {
		report, err := verify.Plan(ctx, p)
		if err != nil {
			return err
		}
		if bad := report.First(); bad != nil {
			return fmt.Errorf("the plan is wrong: %s: %s", bad.Name, bad.Detail)
		}
	}
	p.Simulated, p.Unsimulated, err = (&PacketOptions{Simulate: force}).PacketTime(ctx, p)
	return err
}

// PacketTime returns how long a plan takes packet by packet, as simulate does with these
// options, or why that is not known.
func (o *PacketOptions) PacketTime(ctx context.Context, p *plan.Plan) (took units.Time, reason string, err error) {
	result, reason, err := o.packets(ctx, p)
	if result == nil {
		return 0, reason, err
	}
	return result.Completion.Time(), "", nil
}

// ExplainedPacketTime is PacketTime, and also says why packets are late, if they are.
func (o *PacketOptions) ExplainedPacketTime(ctx context.Context, p *plan.Plan) (took units.Time, late []plan.Lateness, reason string, err error) {
	result, reason, err := o.packets(ctx, p)
	if result == nil {
		return 0, nil, reason, err
	}
	took = result.Completion.Time()
	if o.Timing != replay.Asynchronous {
		late, err = lateness(p, result)
	}
	return took, late, "", err
}

// packets simulates a plan; if the result is nil, the reason or the error says why.
func (o *PacketOptions) packets(ctx context.Context, p *plan.Plan) (*sim.Result, string, error) {
	if p.Fabric.Forwarding == fabric.CutThrough && p.Fabric.Ideal().Delta == 0 {
		return nil, "packets that cut through need a delta of at least 1ps", nil
	}
	free := o.Timing == replay.Asynchronous
	if hops := packetHops(p, free || p.Fabric.Tiered()); hops > mostSimulated && !o.Simulate {
		return nil, fmt.Sprintf("%.0f packet-hops exceed %d; `simulate` follows them", hops, mostSimulated), nil
	}
	how := sim.Options{Forwarding: p.Fabric.Forwarding, Orbit: !free}
	var result *sim.Result
	var err error
	if free {
		result, err = replay.RunAsynchronous(ctx, p, replay.PaceMerging, how)
	} else {
		result, err = sim.Run(ctx, sim.PacketLevel, replay.Paced(p, replay.PaceMerging), how)
	}
	switch {
	case errors.Is(err, traffic.ErrTooLong) && !o.Simulate:
		return nil, "its packets may take longer than 53 days", nil
	case err != nil:
		return nil, "", err
	}
	return result, "", nil
}

// simulatePlan records how long the packets of a plan take and, if they are late, why. Without
// barriers it also records what barriers would cost.
func (o *PacketOptions) simulatePlan(ctx context.Context, made *plan.Plan) (err error) {
	if made.Simulated, made.Late, made.Unsimulated, err = o.ExplainedPacketTime(ctx, made); err != nil {
		return err
	}
	if made.Unsimulated != "" && o.ChooseBy == ChooseBySimulated {
		made.Unsimulated += "; the model chose"
	}
	if made.Simulated == 0 || o.Timing != replay.Asynchronous {
		return nil
	}
	with, _, err := (&PacketOptions{Simulate: true}).PacketTime(ctx, made)
	if err == nil {
		cost := with - made.Simulated
		made.BarriersCost = &cost
	}
	return err
}

// lateFrom is the fraction of the time from which late packets are explained.
const lateFrom = 0.01

// lateness returns the causes that make the packets of a plan later than the model, the largest
// first; none if they are not late.
func lateness(p *plan.Plan, result *sim.Result) ([]plan.Lateness, error) {
	if result.Completion.Time() < (1+lateFrom)*p.Cost.Total() {
		return nil, nil
	}
	how := sim.Options{Forwarding: p.Fabric.Forwarding, Orbit: true}
	why, err := replay.Explain(p, sim.PacketLevel, how, result.Phases, nil)
	if err != nil {
		return nil, err
	}
	parts := slices.Clone(why.Total)
	slices.SortStableFunc(parts, func(a, b replay.Part) int { return cmp.Compare(b.Time, a.Time) })
	var late []plan.Lateness
	for _, part := range parts {
		if part.Time >= lateFrom/2*p.Cost.Total() {
			late = append(late, plan.Lateness{Cause: string(part.Cause), Ns: part.Time, Why: part.Cause.About()})
		}
	}
	return late, nil
}

// packetHops returns how many packet-hops the representatives of a plan's transfers have, or
// all of them.
func packetHops(p *plan.Plan, all bool) float64 {
	sum := 0.0
	for _, step := range p.Steps() {
		images := 1.0
		if all {
			images = float64(step.Group.Order())
		}
		for i := range step.Base {
			bytes := p.Bytes(step.Base[i].Chunks)
			for _, r := range step.Base[i].Routes {
				sum += images * math.Ceil(bytes*r.Share/float64(sim.DefaultPacket)) * float64(len(r.Path)-1)
			}
		}
	}
	return sum
}

// The criteria by which auto chooses.
const (
	ChooseByModel     = "model"     // the plan's time in the cost model
	ChooseBySimulated = "simulated" // the time of its simulated packets
)

// PacketOptions configure the packet simulation of plans.
type PacketOptions struct {
	// Simulate simulates all plans, even those that take long to simulate.
	Simulate bool `json:"simulate,omitempty" help:"simulate plans packet by packet, even if that takes long"`
	// ChooseBy says how to choose among plans: ChooseByModel (the default) or ChooseBySimulated.
	ChooseBy string `json:"choose_by,omitempty" help:"choose and order plans by ${WHAT}: model (their times) | simulated (packet by packet)" default:"model"`
	// Timing is how simulated GPUs proceed from step to step; "": replay.Barrier.
	Timing replay.Timing `json:"timing,omitempty" help:"when simulated GPUs begin the next step, ${MODE}: barrier | asynchronous" default:"barrier"`
}

// Complete fills in the defaults and reports the first invalid field.
func (o *PacketOptions) Complete() error {
	if o.ChooseBy = cmp.Or(o.ChooseBy, ChooseByModel); o.ChooseBy != ChooseByModel && o.ChooseBy != ChooseBySimulated {
		return field.Errorf("choose_by", "%q; want %s or %s", o.ChooseBy, ChooseByModel, ChooseBySimulated)
	}
	return command.CheckTiming(string(o.Timing))
}
