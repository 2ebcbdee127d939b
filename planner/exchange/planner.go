package exchange

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/exchange/model"
	"github.com/lightpath-net/lightpath/planner/exchange/strategy"
	"github.com/lightpath-net/lightpath/planner/standin"
)

// Name is the name of the planner, and of the algorithm in its plans.
const Name = "exchange"

// New returns the planner, which decides the topologies and moves of an all-to-all together. It
// remembers searches that do not depend on times, and reuses them for requests that differ only
// in times.
func New(o Options) planner.Planner { return exchanger{options: o, memory: strategy.NewMemory()} }

type exchanger struct {
	options Options
	memory  *strategy.Memory
	sparing bool // the strategy is one of many: leave out what takes too long
	fewer   bool // only plans made from those for fewer GPUs
}

func (exchanger) Name() string { return Name }
func (exchanger) About() string {
	return "all-to-all: topologies and what moves over them decided together, with relays (after Zhou et al.)"
}

// Traits implements planner.Described.
func (x exchanger) Traits() planner.Traits {
	return planner.Traits{
		Composes: &planner.Composer{Algorithm: Name, Supports: x.supports}, Variants: variants, Options: x.takes(), Ops: []collective.Op{collective.AllToAll},
	}
}

// variants lists the strategies one by one, and plans made from those for fewer GPUs. It includes
// the complete search only where auto does: that search would take longer than all others.
func variants(f *fabric.Fabric) []planner.Variant {
	var all []planner.Variant
	for _, name := range strategy.Names() {
		if name != strategy.Auto && (name != strategy.Exact || f.Nodes <= strategy.ExactNodes) {
			all = append(all, planner.Variant{Strategy: name, Planner: New(Options{Strategy: Strategy(name)})})
		}
	}
	if composesOn(f, f.Nodes) {
		all = append(all, planner.Variant{Strategy: variantComposed, Planner: exchanger{memory: strategy.NewMemory(), fewer: true}})
	}
	return all
}

// supports returns an error that says why the planner cannot perform an operation, or nil.
func (exchanger) supports(c *collective.Collective, _ *fabric.Fabric) error {
	switch {
	case c.Op != collective.AllToAll:
		return fmt.Errorf("planner %s does alltoall, not %s", Name, c.Op)
	case c.Space.MembersCount() > model.MaxNodes:
		return fmt.Errorf("planner %s does up to %d GPUs, not %d", Name, model.MaxNodes, c.Space.MembersCount())
	}
	return nil
}

// Plan implements planner.Planner. It prices every candidate of the strategies that a bound
// does not rule out, as the plan that the candidate makes, and takes the fastest.
//
// On a fabric that cuts through, a stage is a step: every chunk makes all its hops of the stage
// at once, which takes the load of the busiest circuit and one start-up. On a fabric that
// stores and forwards, a slot of the schedule is a step, in which every chunk that moves makes one
// hop; slots that do not wait for one another are one step. The plan that cuts through is another
// candidate there.
func (x exchanger) Plan(ctx context.Context, r planner.Request) (*plan.Plan, error) {
	if err := r.Validate(); err != nil {
		return nil, err
	}
	if err := x.options.Complete(); err != nil { // x is a copy
		return nil, err
	}
	if err := x.supports(r.Collective, &r.Fabric); err != nil {
		return nil, fmt.Errorf("%w: %w", planner.ErrInfeasible, err)
	}
	if x.fewer {
		return x.onlyComposed(ctx, r)
	}
	if standin.Needed(&r.Fabric) {
		return x.differing(ctx, r)
	}
	together, err := x.fastest(ctx, r)
	together, err = x.composed(ctx, r, together, err)
	return x.independent(ctx, r, together, err)
}

// differing is Plan for circuits that differ or have failed. The best strategy for equal
// circuits that stand in for them may not be the best one here. So each strategy makes and
// prices plans of its own, and strategy auto is never worse than any strategy that it includes
// for the number of GPUs.
func (x exchanger) differing(ctx context.Context, r planner.Request) (*plan.Plan, error) {
	if x.options.Strategy != strategy.Auto {
		return standin.Plan(ctx, x.fastest, r)
	}
	names := slices.DeleteFunc(strategy.Names(), func(name string) bool { return name == strategy.Auto })
	var best *plan.Plan
	var beyond *planner.Beyond // of the strategy that exceeds the limit least
	var reason error           // why there is no plan
	for i, name := range names {
		one := x
		one.options.Strategy, one.sparing = Strategy(name), true
		within := r
		within.Progress = func(done, total int) { r.Report(i*total+done, len(names)*total) }
		if best != nil {
			within.Limit = best.Cost.Total()
		}
		p, err := standin.Plan(ctx, one.fastest, within)
		var late *planner.Beyond
		switch {
		case err == nil:
			if best == nil || p.Cost.Total() < best.Cost.Total() {
				if best = p; r.Better != nil {
					r.Better(p)
				}
			}
		case errors.As(err, &late):
			if beyond == nil || late.Least < beyond.Least {
				beyond = late
			}
		case errors.Is(err, planner.ErrInfeasible):
			reason = cmp.Or(reason, err)
		default:
			return nil, err
		}
	}
	switch {
	case best != nil:
		return best, nil
	case beyond != nil:
		return nil, beyond
	}
	return nil, reason
}

// fastest is Plan on equal circuits, around those that have failed.
func (x exchanger) fastest(ctx context.Context, r planner.Request) (*plan.Plan, error) {
	t, err := newTask(&r, x.options, x.memory)
	if err != nil {
		return nil, err
	}
	t.sparing = x.sparing
	var p *plan.Plan
	if r.Fabric.Forwarding == fabric.StoreAndForward {
		p, err = t.stored(ctx)
	} else {
		p, err = t.cutThrough(ctx)
	}
	if err != nil {
		return nil, err
	}
	p.Bound = min(p.OperationBound().Total(), p.Cost.Total())
	return p, nil
}
