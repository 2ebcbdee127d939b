package claim

import (
	"context"
	"fmt"

	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/sim"
	"github.com/lightpath-net/lightpath/sim/replay"
	"github.com/lightpath-net/lightpath/units"
)

// PacketCurve is a curve with the packet times of the same plans. The plans are chosen by the
// model, as a planner would that knows nothing else.
type PacketCurve struct {
	Curve
	packets               []units.Time // of the curve's best plans, without reconfiguration delays
	PacketStatic, packetE units.Time
}

// PacketCurve simulates the plans of a curve: the static plan, the plan with a change before
// every step, and the best plan for each number of changes that is best at some delay. A change
// begins when a phase has ended, so its delay simply adds to the packet time, and each plan is
// simulated only once.
func (w Work) PacketCurve(ctx context.Context) (*PacketCurve, error) {
	c, err := w.Curve(ctx)
	if err != nil {
		return nil, err
	}
	w.Fabric.Reconfig = fabric.Reconfig{Model: fabric.Constant}
	p := &PacketCurve{Curve: *c}
	if p.PacketStatic, err = w.simulated(ctx, "static"); err != nil {
		return nil, err
	}
	if p.packetE, err = w.simulated(ctx, "every-step"); err != nil {
		return nil, err
	}
	for _, point := range c.Best {
		delay := within(point.From, point.To)
		w.Fabric.Reconfig.Base = delay
		made, err := w.Plan(ctx, "harvest")
		if err != nil {
			return nil, err
		}
		if made.Reconfigurations != point.Reconfigurations {
			return nil, fmt.Errorf("a delay of %v asks for %d changes, the frontier says %d", delay, made.Reconfigurations, point.Reconfigurations)
		}
		took, err := SimulatedTime(ctx, made, sim.PacketLevel)
		if err != nil {
			return nil, err
		}
		p.packets = append(p.packets, took-units.Time(made.Reconfigurations)*delay.Time())
	}
	return p, nil
}

// longest is a delay above which the best plan has no avoidable changes.
const longest = units.Time(1e12)

// within returns a delay inside a range, in whole picoseconds.
func within(from, to units.Time) units.Duration {
	to = min(to, max(longest, 4*from))
	return units.Duration(1000 * (from + to) / 2)
}

// simulated returns the packet time of a plan.
func (w Work) simulated(ctx context.Context, planner string) (units.Time, error) {
	p, err := w.Plan(ctx, planner)
	if err != nil {
		return 0, err
	}
	return SimulatedTime(ctx, p, sim.PacketLevel)
}

// PacketSize is the size of replayed packets.
const PacketSize = sim.DefaultPacket

// SimulatedTime replays a plan at a level of simulation, with the pace of command simulate.
func SimulatedTime(ctx context.Context, p *plan.Plan, level sim.Level) (units.Time, error) {
	result, err := sim.Run(ctx, level, replay.Paced(p, replay.PaceMerging), sim.Options{Forwarding: p.Fabric.Forwarding, Orbit: true})
	if err != nil {
		return 0, err
	}
	return result.Completion.Time(), nil
}

// InPackets returns the packet times at one delay: of the plan that the model chooses there, and
// of the two baselines.
func (p *PacketCurve) InPackets(delay units.Duration) (best, static, every units.Time) {
	chosen := p.choose(delay)
	return p.packets[chosen] + units.Time(p.Best[chosen].Reconfigurations)*delay.Time(), p.PacketStatic,
		p.packetE + units.Time(p.Every.Reconfigurations)*delay.Time()
}
