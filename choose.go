package lightpath

import (
	"cmp"
	"context"
	"errors"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/field"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/sim"
	"github.com/lightpath-net/lightpath/sim/replay"
	"github.com/lightpath-net/lightpath/units"
)

// What auto chooses by.
const (
	ChooseByModel     = "model"     // the time that a plan says
	ChooseBySimulated = "simulated" // the time that its packets take
)

// PacketOptions say what is done with the packets of plans.
type PacketOptions struct {
	// Simulate has plans simulated, however long that takes, and not only those that take
	// little.
	Simulate bool `json:"simulate,omitempty"`
	// ChooseBy says which of several plans is the best: ChooseByModel, which "" is, or
	// ChooseBySimulated.
	ChooseBy string `json:"choose_by,omitempty"`
	// Timing is how GPUs go on from step to step where packets are simulated. "":
	// replay.Barrier.
	Timing replay.Timing `json:"timing,omitempty"`
}

func (o *PacketOptions) complete() error {
	if o.ChooseBy = cmp.Or(o.ChooseBy, ChooseByModel); o.ChooseBy != ChooseByModel && o.ChooseBy != ChooseBySimulated {
		return field.Errorf("choose_by", "%q; want %s or %s", o.ChooseBy, ChooseByModel, ChooseBySimulated)
	}
	return checkTiming(string(o.Timing))
}

// fastestInPackets returns the plan whose packets take least: with every planner if that is
// left to auto, and every algorithm that is left open. What the model says leaves none out, since
// it can be above what packets take by as much as the hops of a route, or without barriers by
// more. Algorithms with which no packets can be as fast as those of the best plan so far are not
// planned (replay.LeastOf), and such plans not simulated (replay.Least, LeastAsynchronous). Plans
// with too many packets to be simulated unasked are left out; if the fastest plan by the model is
// one, it stays the choice.
func (r *PlanRequest) fastestInPackets(ctx context.Context, p planner.Planner, e *environment) (*plan.Plan, error) {
	best, err := r.fastest(ctx, p, e)
	if err != nil {
		return nil, err
	}
	if best.Simulated, best.Unsimulated, err = r.simulated(ctx, best); err != nil || best.Simulated == 0 {
		return best, err
	}
	ways, err := r.candidates(ctx, p, e)
	if err != nil {
		return nil, err
	}
	for i, make := range ways {
		e.report(i, len(ways))
		made, err := make(ctx, best.Simulated)
		switch {
		case errors.Is(err, planner.ErrInfeasible), errors.Is(err, planner.ErrBeyond):
			continue
		case err != nil:
			return nil, err
		}
		least := replay.LeastAsynchronous(made)
		if r.Timing != replay.Asynchronous {
			if least, err = replay.Least(made, sim.DefaultPacket); err != nil {
				return nil, err
			}
		}
		if least >= best.Simulated {
			continue
		}
		if made.Simulated, made.Unsimulated, err = r.simulated(ctx, made); err != nil {
			return nil, err
		}
		if made.Simulated > 0 && made.Simulated < best.Simulated {
			best = made
		}
	}
	return best, nil
}

// candidate makes a plan, or an error that wraps planner.ErrBeyond if its packets cannot take less
// than a time.
type candidate func(ctx context.Context, beat units.Time) (*plan.Plan, error)

// candidates lists what auto chooses from: the planners, each with every algorithm if there
// is one operation, also with ports unused. Where there are several, each takes its fastest
// algorithms.
func (r *PlanRequest) candidates(ctx context.Context, p planner.Planner, e *environment) ([]candidate, error) {
	chosen := planner.Registry{p}
	if p.Name() == Auto {
		chosen = e.registry
	}
	quiet := *e
	quiet.progress, quiet.status = nil, nil
	var all []candidate
	for _, one := range chosen {
		_, composes := one.(planner.Composer)
		if one.Name() == Auto || composes && (r.Pattern != nil || len(r.Operations) > 1) {
			continue
		}
		if r.Pattern != nil || len(r.Operations) > 1 {
			all = append(all, func(ctx context.Context, _ units.Time) (*plan.Plan, error) { return r.fastest(ctx, one, &quiet) })
			continue
		}
		ways, _, err := r.waysOnAll(ctx, one, e)
		if err != nil {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			continue // it is not for this operation or algorithm
		}
		for _, w := range ways {
			all = append(all, r.candidate(w))
		}
	}
	return all, nil
}

func (r *PlanRequest) candidate(w way) candidate {
	return func(ctx context.Context, beat units.Time) (*plan.Plan, error) {
		var laid collective.Sized
		laid, err := w.lay(ctx)
		if err != nil {
			return nil, r.blame(0, err)
		}
		if len(laid.Steps) > 0 { // else the planner makes its own
			if least := replay.LeastOf(&r.Fabric, laid.Collective, laid.Size, r.Timing); least >= beat {
				return nil, &planner.Beyond{Least: least}
			}
		}
		return w.planner.Plan(ctx, planner.Request{Fabric: r.Fabric, Collective: laid.Collective, Size: laid.Size})
	}
}

// rivals are plans that auto could have chosen instead: those of the two extremes, or of the
// planners of these names with the algorithm of the request if it names one.
func (r *PlanRequest) rivals(ctx context.Context, made *plan.Plan, extremes []extreme, e *environment) ([]*plan.Plan, error) {
	open := true
	for _, o := range r.Operations {
		open = open && o.Open()
		for _, p := range e.registry {
			if c, ok := p.(planner.Composer); ok && c.Composes() == o.Algorithm {
				return nil, nil // the two extremes plan the steps of algorithms only
			}
		}
	}
	if !open {
		extremes = nil
		quiet := *e
		quiet.progress, quiet.status, quiet.bare = nil, nil, true
		for _, name := range []string{roleStatic, roleEveryStep} {
			p, err := r.named(ctx, name, &quiet)
			switch {
			case errors.Is(err, planner.ErrInfeasible):
			case err != nil:
				return nil, err
			default:
				extremes = append(extremes, extreme{role: name, Plan: p})
			}
		}
	}
	var rivals []*plan.Plan
	for _, other := range extremes {
		if other.Planner != made.Planner || other.Collective.Algorithm != made.Collective.Algorithm {
			rivals = append(rivals, other.Plan)
		}
	}
	return rivals, nil
}
