package portfolio

import (
	"context"
	"errors"
	"math"
	"slices"

	"github.com/lightpath-net/lightpath/bound"
	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/internal/threads"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/auto"
	"github.com/lightpath-net/lightpath/planner/idle"
	"github.com/lightpath-net/lightpath/units"
)

// Fastest plans with every algorithm that is left open, also for fabrics that allow less
// (idle.Of), whose plans are plans for this fabric, too. So the best of all planners has every
// plan that any planner has by name. If a settled request needs no reconfiguration, its plan is
// that of Staying (settled).
func (r *Request) Fastest(ctx context.Context, p planner.Planner, s *Search) (*plan.Plan, error) {
	made, err := r.fastest(ctx, p, s)
	if err != nil && !errors.Is(err, planner.ErrBeyond) {
		return nil, err
	}
	if other, otherErr := r.fastestOrSeparate(ctx, p, s, made); other != nil || otherErr != nil {
		return other, otherErr
	}
	return made, err
}

// fastest is Fastest without plans that send the same data to everyone separately.
func (r *Request) fastest(ctx context.Context, p planner.Planner, s *Search) (*plan.Plan, error) {
	if r.Fabric.Mended() {
		return r.onMended(ctx, p, s)
	}
	find := r.onWorking
	if r.damaged(s) {
		find = r.aroundFailures
	}
	made, err := find(ctx, p, s)
	if errors.Is(err, planner.ErrInfeasible) {
		return r.orRelayed(ctx, p, s, err)
	}
	return made, err
}

// onWorking is Fastest on the GPUs that take part, which may be some of the fabric's.
func (r *Request) onWorking(ctx context.Context, p planner.Planner, s *Search) (*plan.Plan, error) {
	if part := r.part(); part != nil {
		return r.onPart(ctx, part, p, s)
	}
	return r.byFabric(ctx, p, s)
}

// byFabric is Fastest by the kind of fabric: with fixed links, of islands, or flat.
func (r *Request) byFabric(ctx context.Context, p planner.Planner, s *Search) (*plan.Plan, error) {
	if !r.Fabric.Fixed.IsZero() {
		return r.onFixed(ctx, p, false, s)
	}
	if !r.Fabric.Island.IsZero() {
		return r.onIslands(ctx, p, false, s)
	}
	switch traits := planner.TraitsOf(p); {
	case len(r.Operations) > 1:
		return r.fastestSequence(ctx, p, s)
	case traits.Best && !s.scope.still && r.Settled(s):
		return r.staticOrFaster(ctx, p, s)
	}
	return r.contest(ctx, p, s)
}

// OnlyContest reports whether Fastest is nothing but a contest of Ways, after the plan that does
// not reconfigure if the request is settled: the fabric is flat, and there are no plans that
// repair others, plans for the GPUs that take part, or plans that send to everyone separately.
func (r *Request) OnlyContest(s *Search) bool {
	f := &r.Fabric
	return r.Pattern == nil && len(r.Operations) == 1 && !f.Mended() && !r.damaged(s) && !f.Tiered() && !phased(f) && r.part() == nil
}

// contest is Fastest for one operation or pattern on a flat fabric: auto.FastestOf chooses among
// all ways.
func (r *Request) contest(ctx context.Context, p planner.Planner, s *Search) (*plan.Plan, error) {
	ways, fewer, err := r.waysOnAll(ctx, p, s)
	if err != nil {
		return nil, r.blame(0, err)
	}
	request := s.Ask(r.Fabric)
	if r.Pattern == nil {
		request.Limit = s.scope.limit
	}
	if len(r.Operations) == 1 && (r.Operations[0].Demand != nil || r.Operations[0].Generator != "") {
		if err := layAll(ctx, ways); err != nil {
			return nil, err
		}
	}
	list := make([]auto.Way, len(ways))
	for i, w := range ways {
		list[i] = auto.Way{Planner: w.Planner, Outline: w.Outline, Lay: func(ctx context.Context) (collective.Sized, error) {
			laid, err := w.Lay(ctx)
			return laid, r.blame(0, err)
		}}
	}
	made, err := auto.FastestOf(ctx, request, list)
	traits := planner.TraitsOf(p)
	switch {
	case err != nil || r.Pattern != nil:
	case fewer:
		made.Among = amongSymmetric(s.Planners())
	case (traits.Best || traits.Improves != nil) && r.Operations[0].Op == collective.AllToAll && r.Fabric.Nodes > mostExchanged && r.Fabric.Ports > 1:
		made.Among = amongExchanges
	}
	return made, err
}

// fastestSequence is fastest for several operations. It shows only plans of whole sequences, each
// faster than the one before.
func (r *Request) fastestSequence(ctx context.Context, p planner.Planner, s *Search) (*plan.Plan, error) {
	s = s.shownOnce()
	best, err := r.fastestChain(ctx, p, s, s.scope.limit)
	if err != nil && !errors.Is(err, planner.ErrInfeasible) && !errors.Is(err, planner.ErrBeyond) {
		return nil, err
	}
	for _, less := range s.Less(r) {
		other := *r
		other.Fabric = less.On(r.Fabric)
		unseen := s.Unseen()
		limit := s.scope.limit
		if best != nil {
			limit = best.Cost.Total()
			if bound.OfOperation(&other.Fabric, best.Collective.Section()).Total() >= limit {
				continue // at best equally fast
			}
		}
		made, otherErr := other.fastestChain(ctx, p, unseen, limit)
		if otherErr == nil {
			otherErr = idle.Widen(ctx, made, &r.Fabric)
		}
		switch {
		case errors.Is(otherErr, planner.ErrInfeasible), errors.Is(otherErr, planner.ErrBeyond):
		case otherErr != nil:
			return nil, otherErr
		case best == nil || made.Cost.Total() < best.Cost.Total():
			best, err = made, nil
			s.show(made)
		}
	}
	return best, err
}

// shownOnce returns a search that shows a plan only if it is faster than all shown before.
func (s *Search) shownOnce() *Search {
	show := s.options.Better
	if show == nil {
		return s
	}
	least := units.Time(math.Inf(1))
	return s.With(func(o *Options) {
		o.Better = func(p *plan.Plan) {
			if time := p.Cost.Total(); time < least {
				least = time
				show(p)
			}
		}
	})
}

// show calls Better with a plan, if it is set.
func (s *Search) show(p *plan.Plan) {
	if s.options.Better != nil {
		s.options.Better(p)
	}
}

// fastestChain plans several operations on all ports. No plan may take longer than the limit, if
// it is above 0.
func (r *Request) fastestChain(ctx context.Context, p planner.Planner, s *Search, limit units.Time) (*plan.Plan, error) {
	traits := planner.TraitsOf(p)
	if traits.Composes != nil {
		return r.joined(ctx, p, s)
	}
	if !traits.Best {
		return r.sequence(ctx, p, s, limit)
	}
	// Planning one operation after another is quick, and its result rules out most combinations
	// of algorithms.
	joined, otherErr := r.joined(ctx, p, s)
	if r.Fabric.Charge != fabric.ChargeChanges {
		if joined, otherErr = r.joinedCharged(ctx, s, joined, otherErr); ctx.Err() != nil {
			return nil, ctx.Err()
		}
	}
	if otherErr == nil && (limit == 0 || joined.Cost.Total() < limit) {
		limit = joined.Cost.Total()
		s.show(joined)
	}
	whole, err := r.sequence(ctx, p, s, limit)
	if otherErr == nil && errors.Is(err, planner.ErrBeyond) {
		return joined, nil
	}
	return faster(whole, err, joined, otherErr)
}

// Less lists the restrictions of a request's fabric for which plans are also made.
func (s *Search) Less(r *Request) []idle.Less {
	if s.options.AllPorts {
		return nil
	}
	return idle.Of(&r.Fabric, r.exchanges())
}

// exchanges reports whether some operation is an exchange that two-way circuits may suit better:
// every GPU sends a separate block to every other. With several ports the blocks must be equal;
// others are planned on two-way circuits only with one port, where that takes a tenth of the time.
func (r *Request) exchanges() bool {
	return slices.ContainsFunc(r.Operations, func(o collective.Operation) bool {
		return o.Op == collective.AllToAll && (r.Fabric.Ports == 1 || o.Demand == nil && o.Generator == "")
	})
}

// layAll lays out the ways of a demand with different amounts in parallel, except those with an
// outline: dividing a matrix of hundreds of GPUs takes seconds. Lay remembers the results.
func layAll(ctx context.Context, ways []Way) error {
	threads.Each(ctx, len(ways), func(i int) {
		if ways[i].Outline == nil {
			_, _ = ways[i].Lay(ctx) // Lay repeats the error
		}
	})
	return ctx.Err()
}

// Ways lists the ways to carry out the one operation; those that leave ports unused come last.
func (r *Request) Ways(ctx context.Context, p planner.Planner, s *Search) ([]Way, error) {
	ways, _, err := r.waysOnAll(ctx, p, s)
	return ways, err
}

// waysOnAll lists the ways to carry out the one operation or pattern; those that leave ports
// unused come last. It reports whether it omits some because there are very many GPUs.
func (r *Request) waysOnAll(ctx context.Context, p planner.Planner, s *Search) ([]Way, bool, error) {
	all, fewer, reason := r.waysOn(ctx, p, s)
	for _, less := range s.Less(r) {
		other := *r
		other.Fabric = less.On(r.Fabric)
		ways, left, err := other.waysOn(ctx, p, s)
		if err != nil {
			if err := ctx.Err(); err != nil {
				return nil, false, err
			}
			continue // not possible on fabrics that allow so little
		}
		for _, w := range ways {
			if r.Pattern == nil && !r.Operations[0].Open() { // else it is known to exist
				laid, err := w.Lay(ctx)
				if err != nil && ctx.Err() == nil {
					continue // the algorithm needs more ports
				}
				w.Lay = func(context.Context) (collective.Sized, error) { return laid, err }
			}
			w.Planner, w.Less = less.Planner(w.Planner), &less
			all = append(all, w)
		}
		fewer = fewer || left
	}
	if len(all) == 0 {
		return nil, false, reason
	}
	if s.scope.still {
		all = slices.DeleteFunc(all, func(w Way) bool { return w.As != nil })
		all = uncrowded(ctx, all, r.Fabric.Nodes)
	}
	return all, fewer, nil
}

// waysOn lists the ways to carry out the one operation or pattern on all ports. It reports
// whether it omits some because there are very many GPUs.
func (r *Request) waysOn(ctx context.Context, p planner.Planner, s *Search) (all []Way, fewer bool, err error) {
	if r.Pattern != nil {
		return []Way{patternWay(r.Pattern, p)}, false, nil
	}
	t, err := NewTask(r.Operations[0], &r.Fabric, s)
	if err != nil {
		return nil, false, err
	}
	if all, err = t.Ways(p); err != nil {
		return nil, false, err
	}
	all, fewer = t.symmetricOnly(ctx, all, s.scope.strict)
	return all, fewer, nil
}

// patternWay returns the way to carry out a pattern with a planner.
func patternWay(pattern *collective.PatternFile, p planner.Planner) Way {
	return Way{Algorithm: pattern.Algorithm, Planner: p, By: p, Lay: func(context.Context) (collective.Sized, error) {
		return collective.Sized{Collective: pattern.Collective, Size: pattern.Size}, nil
	}}
}
