package reproduce

import (
	"context"
	"fmt"

	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/sim"
	"github.com/lightpath-net/lightpath/sim/replay"
	"github.com/lightpath-net/lightpath/units"
)

// packetCurve is a curve with the times that the same plans take packet by packet. The plans
// are chosen by the model, as a planner does that knows nothing else.
type packetCurve struct {
	curve
	packets               []units.Time // of curve.best, without the delays of changes
	packetStatic, packetE units.Time
}

// packetCurve simulates the plans of a curve: the static one, the one with a change before
// every step, and for each number of changes that some delay asks for the best one. A change
// begins when a phase has ended, so that its delay adds to what the packets take, whatever it
// is: each plan is simulated once.
func (w work) packetCurve(ctx context.Context) (*packetCurve, error) {
	c, err := w.curve(ctx)
	if err != nil {
		return nil, err
	}
	w.fabric.Reconfig = fabric.Reconfig{Model: fabric.Constant}
	p := &packetCurve{curve: *c}
	if p.packetStatic, err = w.simulated(ctx, "static"); err != nil {
		return nil, err
	}
	if p.packetE, err = w.simulated(ctx, "every-step"); err != nil {
		return nil, err
	}
	for _, point := range c.best {
		delay := within(point.From, point.To)
		w.fabric.Reconfig.Base = delay
		made, err := w.plan(ctx, "harvest")
		if err != nil {
			return nil, err
		}
		if made.Reconfigurations != point.Reconfigurations {
			return nil, fmt.Errorf("a delay of %v asks for %d changes, the frontier says %d", delay, made.Reconfigurations, point.Reconfigurations)
		}
		took, err := packetTime(ctx, made)
		if err != nil {
			return nil, err
		}
		p.packets = append(p.packets, took-units.Time(made.Reconfigurations)*delay.Time())
	}
	return p, nil
}

// longest is a delay above which no plan has changes that it can do without.
const longest = units.Time(1e12)

// within is a delay inside a range, in whole picoseconds.
func within(from, to units.Time) units.Duration {
	to = min(to, max(longest, 4*from))
	return units.Duration(1000 * (from + to) / 2)
}

// simulated is what the packets of a plan take.
func (w work) simulated(ctx context.Context, planner string) (units.Time, error) {
	p, err := w.plan(ctx, planner)
	if err != nil {
		return 0, err
	}
	return packetTime(ctx, p)
}

// packetSize is that of replayed packets.
const packetSize = sim.DefaultPacket

// packetTime replays a plan packet by packet, as command simulate does by default.
func packetTime(ctx context.Context, p *plan.Plan) (units.Time, error) {
	result, err := sim.Run(ctx, sim.PacketLevel, replay.Paced(p, replay.PaceMerging), sim.Options{Forwarding: p.Fabric.Forwarding, Orbit: true})
	if err != nil {
		return 0, err
	}
	return result.Completion.Time(), nil
}

// inPackets is the curve of what packets take, at one delay: the plan that the model chooses
// there, and the two baselines.
func (p *packetCurve) inPackets(delay units.Duration) (best, static, every units.Time) {
	chosen := p.choose(delay)
	return p.packets[chosen] + units.Time(p.best[chosen].Reconfigurations)*delay.Time(), p.packetStatic,
		p.packetE + units.Time(p.every.Reconfigurations)*delay.Time()
}
