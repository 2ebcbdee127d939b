package exchange

import (
	"context"
	"fmt"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/exchange/model"
	"github.com/lightpath-net/lightpath/planner/exchange/strategy"
	"github.com/lightpath-net/lightpath/planner/standin"
)

// Name is that of the planner and of the algorithm that its plans have.
const Name = "exchange"

// New returns the planner: all-to-all with topologies and moves decided together. It remembers
// searches that do not depend on times, for requests that differ in nothing else.
func New(o Options) planner.Composer { return exchanger{options: o, memory: strategy.NewMemory()} }

type exchanger struct {
	options Options
	memory  *strategy.Memory
}

func (exchanger) Name() string     { return Name }
func (exchanger) Composes() string { return Name }
func (exchanger) About() string {
	return "all-to-all: topologies and what moves over them decided together, with relays (after Zhou et al.)"
}

// Supports implements planner.Composer.
func (exchanger) Supports(c *collective.Collective, _ *fabric.Fabric) error {
	switch {
	case c.Op != collective.AllToAll:
		return fmt.Errorf("planner %s does alltoall, not %s", Name, c.Op)
	case c.Space.MembersCount() > model.MaxNodes:
		return fmt.Errorf("planner %s does up to %d GPUs, not %d", Name, model.MaxNodes, c.Space.MembersCount())
	}
	return nil
}

// Plan implements planner.Planner. Every candidate of the strategies that a bound does not
// rule out is priced as the plan that it makes, and the fastest is taken.
//
// On a fabric that cuts through, a stage is a step: everything goes all its hops of the
// stage at once, which takes the load of the busiest circuit and one start-up. On one that
// stores and forwards, a slot of the schedule is a step: every chunk that moves makes one
// hop.
func (x exchanger) Plan(ctx context.Context, r planner.Request) (*plan.Plan, error) {
	if err := r.Validate(); err != nil {
		return nil, err
	}
	if err := x.options.validate(); err != nil {
		return nil, err
	}
	if err := x.Supports(r.Collective, &r.Fabric); err != nil {
		return nil, fmt.Errorf("%w: %w", planner.ErrInfeasible, err)
	}
	if standin.Needed(&r.Fabric) {
		return standin.Plan(ctx, x.fastest, r)
	}
	return x.fastest(ctx, r)
}

// fastest is Plan on circuits that are alike, around those that have failed.
func (x exchanger) fastest(ctx context.Context, r planner.Request) (*plan.Plan, error) {
	t, err := newTask(&r, x.options, x.memory)
	if err != nil {
		return nil, err
	}
	var p *plan.Plan
	if r.Fabric.Forwarding == fabric.StoreAndForward {
		p, err = t.stored(ctx)
	} else {
		p, err = t.cutThrough(ctx)
	}
	if err != nil {
		return nil, err
	}
	p.Bound = min(plan.OperationBound(&p.Fabric, &p.Collective), p.Cost.Total())
	return p, nil
}
