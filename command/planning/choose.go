package planning

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/command"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/portfolio"
	"github.com/lightpath-net/lightpath/sim"
	"github.com/lightpath-net/lightpath/sim/replay"
	"github.com/lightpath-net/lightpath/units"
)

// fastestInPackets returns the plan with the least packet time. It tries every planner if auto
// chooses it, and every algorithm if the request leaves it open. It rules out no plan by the
// model's time, which can exceed the packet time by up to the hops of a route, or by more
// without barriers. It does not plan algorithms whose packets cannot be as fast as those of the
// best plan so far (replay.LeastOf), and does not simulate such plans (replay.Least,
// LeastAsynchronous). It leaves out plans with too many packets to simulate unasked; if the
// fastest plan in the model is one of these, it stays the choice.
func (r *PlanRequest) fastestInPackets(ctx context.Context, p planner.Planner, e *command.Run) (*plan.Plan, error) {
	best, err := r.fastest(ctx, p, e)
	if err != nil {
		return nil, err
	}
	if best.Simulated, best.Unsimulated, err = r.PacketTime(ctx, best); err != nil || best.Simulated == 0 {
		return best, err
	}
	ways, err := r.Asked().Candidates(ctx, p, e.Search)
	if err != nil {
		return nil, err
	}
	for i, make := range ways {
		e.Report(i, len(ways))
		made, err := make(ctx, func(laid collective.Sized) error {
			if least := replay.LeastOf(&r.Fabric, laid.Collective, laid.Size, r.Timing); least >= best.Simulated {
				return &planner.Beyond{Least: least}
			}
			return nil
		})
		switch {
		case errors.Is(err, planner.ErrInfeasible), errors.Is(err, planner.ErrBeyond):
			continue
		case err != nil:
			return nil, err
		}
		least, err := r.leastSimulated(made)
		if err != nil {
			return nil, err
		}
		if least >= best.Simulated {
			continue
		}
		if made.Simulated, made.Unsimulated, err = r.PacketTime(ctx, made); err != nil {
			return nil, err
		}
		if made.Simulated > 0 && made.Simulated < best.Simulated {
			best = made
		}
	}
	return best, nil
}

// rivals returns plans that auto could have chosen instead: those of the two extremes or, if the
// request names an algorithm, the plans of the planners of these names with that algorithm.
func (r *PlanRequest) rivals(ctx context.Context, made *plan.Plan, extremes []portfolio.Extreme, e *command.Run) ([]*plan.Plan, error) {
	open := true
	for _, o := range r.Operations {
		open = open && o.Open()
		if e.Search.Planners().Composing(o.Algorithm) != nil {
			return nil, nil // the two extremes plan only the steps of algorithms
		}
	}
	if !open {
		extremes = nil
		quiet := e.Search.Quiet()
		for _, role := range []plan.Baseline{plan.Static, plan.EveryStep} {
			p, err := r.Asked().Baseline(ctx, role, quiet)
			switch {
			case errors.Is(err, planner.ErrInfeasible):
			case err != nil:
				return nil, err
			default:
				extremes = append(extremes, portfolio.Extreme{Role: role, Plan: p})
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

// runners are the plans that auto compared and that are fastest in the model.
type runners []*plan.Plan

const (
	mostRunners = 4 // including the winner
	// rivalFrom is the fraction by which the winner's packets must be slower than those of a
	// close plan for the answer to say so: less is within the rounding of bytes and packets.
	rivalFrom = 0.01
)

// add records a plan if it is one of the fastest and quick to simulate.
func (r *runners) add(p *plan.Plan) {
	if packetHops(p, false) > mostSimulated {
		return // so it need not stay in memory
	}
	at, _ := slices.BinarySearchFunc(*r, p, func(a, b *plan.Plan) int { return cmp.Compare(a.Cost.Total(), b.Cost.Total()) })
	*r = slices.Insert(*r, at, p)
	*r = (*r)[:min(len(*r), mostRunners)]
}

// overtaken records, of the plans close to the winner in the model, the one whose packets are
// faster than those of the winner and of its rivals so far.
func (r *PlanRequest) overtaken(ctx context.Context, made *plan.Plan, near runners) error {
	limit := made.Simulated * (1 - rivalFrom)
	if made.Rival != nil {
		limit = min(limit, made.Rival.SimulatedNs)
	}
	for _, other := range near {
		if other == made {
			continue
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		least, err := r.leastSimulated(other)
		if err != nil {
			return err
		}
		if least >= limit {
			continue
		}
		took, _, err := r.PacketTime(ctx, other)
		if err != nil {
			return err
		}
		if took > 0 && took < limit {
			made.Rival, limit = rivalOf(other, took), took
		}
	}
	return nil
}

// leastSimulated returns a lower bound of the simulated time of a plan.
func (r *PlanRequest) leastSimulated(p *plan.Plan) (units.Time, error) {
	if r.Timing == replay.Asynchronous {
		return replay.LeastAsynchronous(p), nil
	}
	return replay.Least(p, sim.DefaultPacket)
}

// rivalOf returns a plan and its packet time as a rival.
func rivalOf(p *plan.Plan, took units.Time) *plan.Rival {
	return &plan.Rival{Algorithm: p.Collective.Algorithm, Planner: p.Planner, Strategy: p.Strategy, TotalNs: p.Cost.Total(), SimulatedNs: took}
}
