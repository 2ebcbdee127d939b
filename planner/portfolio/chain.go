package portfolio

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/auto"
	"github.com/lightpath-net/lightpath/units"
)

// candidatesOfAnOperation is the number of plans tried for each operation of a sequence, if a
// planner makes several. A plan that is slower alone may begin with the circuits that the
// previous operation leaves.
const candidatesOfAnOperation = 6

// joined plans the operations of a sequence one by one, also with planners that make their own
// steps, and returns the best chain with one plan for each operation. Consecutive plans interact
// only through the circuits between them, so a dynamic program over the operations finds the best
// chain. If waits depend on more than these circuits, the program ignores that, and the chain is
// good but not always the best.
func (r *Request) joined(ctx context.Context, p planner.Planner, s *Search) (*plan.Plan, error) {
	options := make([][]*plan.Plan, len(r.Operations))
	for i := range options {
		var err error
		if options[i], err = r.alone(ctx, i, p, s, r.soFar(options[:i], s)); err != nil {
			return nil, err
		}
	}
	return r.bestChain(ctx, options)
}

// bestChain chooses one plan for each operation such that the plans and the changes of circuits
// between them take the least time in total.
func (r *Request) bestChain(ctx context.Context, options [][]*plan.Plan) (*plan.Plan, error) {
	type link struct {
		time units.Time
		from int
	}
	best := make([][]link, len(options))
	for i, list := range options {
		best[i] = make([]link, len(list))
		for k, made := range list {
			best[i][k] = link{time: made.Cost.Total()}
			if i == 0 {
				continue
			}
			least := link{time: units.Time(math.Inf(1))}
			for j, before := range options[i-1] {
				if err := ctx.Err(); err != nil {
					return nil, err
				}
				wait, err := between(&r.Fabric, before, made)
				if err != nil {
					return nil, err
				}
				if time := best[i-1][j].time + wait + made.Cost.Total(); time < least.time {
					least = link{time, j}
				}
			}
			best[i][k] = least
		}
	}
	last := len(options) - 1
	at := 0
	for k := range best[last] {
		if best[last][k].time < best[last][at].time {
			at = k
		}
	}
	chain := make([]*plan.Plan, len(options))
	for i := last; i >= 0; i-- {
		chain[i] = options[i][at]
		at = best[i][at].from
	}
	return plan.InSequence(r.Fabric, chain...)
}

// soFar returns a function that shows the plans for the last operation of a sequence, joined to
// the fastest plans for the operations before it. It is nil if nobody watches or other operations
// have no plan yet.
func (r *Request) soFar(before [][]*plan.Plan, s *Search) func(last *plan.Plan) {
	if s.options.Better == nil || len(before)+1 < len(r.Operations) {
		return nil
	}
	var chain []*plan.Plan
	for _, list := range before {
		chain = append(chain, list[0])
	}
	return func(last *plan.Plan) {
		if whole, err := plan.InSequence(r.Fabric, append(slices.Clone(chain), last)...); err == nil {
			s.options.Better(whole)
		}
	}
}

// between returns the cost of changing circuits between two plans: nothing if the circuits are
// the same and changes are charged.
func between(f *fabric.Fabric, before, after *plan.Plan) (units.Time, error) {
	end, start := before.Stages[len(before.Stages)-1], after.Stages[0]
	if f.Charge == fabric.ChargeChanges && end.Topology.Equal(start.Topology) {
		return 0, nil
	}
	if wait, ok := f.UniformWait(); ok {
		return wait, nil
	}
	free := *f
	free.Initial = fabric.InitialFree
	if f.Charge != fabric.ChargeChanges {
		free.Initial = before.Fabric.Initial // its own time includes what it pays at the start
	}
	both, err := plan.InSequence(free, before, after)
	if err != nil {
		return 0, err
	}
	return both.Cost.Total() - before.Cost.Total() - after.Cost.Total(), nil
}

// alone returns plans for one operation of a sequence: the fastest, and those of planners that
// make several. Only the first operation pays for its first circuits. better, if not nil, is
// called with every plan that is the fastest so far.
func (r *Request) alone(ctx context.Context, i int, p planner.Planner, s *Search, better func(*plan.Plan)) ([]*plan.Plan, error) {
	ways, err := r.ways(i, p, s)
	if err != nil {
		return nil, err
	}
	request := s.Ask(r.Fabric)
	// Watchers want plans of the sequence, not of its parts.
	request.Progress, request.Better, request.Made = nil, better, nil
	if i > 0 {
		request.Fabric.Initial = fabric.InitialFree
		if r.Fabric.Charge != fabric.ChargeChanges {
			request.Fabric.Initial = fabric.InitialBase // its first step may also pay
		}
	}
	if request.Fabric.Overlap.Kind == fabric.OverlapPlanes {
		// Plans meet in the circuits of all planes. Planes reconfigure independently only in
		// plans for the whole sequence of steps (sequence).
		request.Fabric.Overlap = fabric.Overlap{}
	}
	fastest, err := auto.Fastest(ctx, request, len(ways), func(k int) (planner.Planner, collective.Sized, error) {
		laid, err := ways[k].Lay(ctx)
		return ways[k].Planner, laid, r.blame(i, err)
	})
	if err != nil {
		return nil, err
	}
	all := []*plan.Plan{fastest}
	for _, w := range ways {
		plans := planner.TraitsOf(w.Planner).Plans
		if plans == nil {
			continue
		}
		laid, err := w.Lay(ctx)
		if err != nil {
			return nil, r.blame(i, err)
		}
		request.Collective, request.Size, request.Better = laid.Collective, laid.Size, nil
		more, err := plans(ctx, request, candidatesOfAnOperation)
		switch {
		case errors.Is(err, planner.ErrInfeasible):
			continue
		case err != nil:
			return nil, err
		}
		all = append(all, more...)
	}
	return all, nil
}

// faster returns the faster of two plans, if there are any. An error other than ErrInfeasible is
// an error of the request; ErrInfeasible only rules out one of the two.
func faster(a *plan.Plan, errA error, b *plan.Plan, errB error) (*plan.Plan, error) {
	switch {
	case errA == nil && errB == nil:
		if b.Cost.Total() < a.Cost.Total() {
			return b, nil
		}
		return a, nil
	case errA == nil && errors.Is(errB, planner.ErrInfeasible):
		return a, nil
	case errB == nil && errors.Is(errA, planner.ErrInfeasible):
		return b, nil
	case errA != nil:
		return nil, errA
	}
	return nil, fmt.Errorf("one operation after the other: %w", errB)
}
