package portfolio

import (
	"context"
	"errors"
	"slices"

	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/auto"
	"github.com/lightpath-net/lightpath/planner/mended"
)

// damaged reports whether repairing a plan may help: the request is one operation in which all
// pairs send the same, and the fabric has islands, fixed links or a layout, and something in it
// has failed or is held.
func (r *Request) damaged(s *Search) bool {
	f := &r.Fabric
	return !f.Avoid.IsZero() && !s.scope.repaired && (f.Tiered() || !f.Layout.IsZero()) && r.single()
}

// single reports whether the request is one operation in which all pairs send the same.
func (r *Request) single() bool {
	return r.Pattern == nil && len(r.Operations) == 1 && r.Operations[0].Demand == nil && r.Operations[0].Generator == ""
}

// aroundFailures returns the fastest plan on a damaged fabric: the repaired plan or one made for
// what is left of the fabric. The repaired plan comes first, because it is quick to make and sets
// the limit for the others.
func (r *Request) aroundFailures(ctx context.Context, p planner.Planner, s *Search) (*plan.Plan, error) {
	found, err := r.repaired(ctx, p, s)
	if err != nil {
		return nil, err
	}
	if found != nil && r.Fabric.Nodes > mostTried && r.Fabric.Alive() != nil && (s.scope.limit == 0 || !planner.Above(found.Cost.Total(), s.scope.limit)) {
		s.show(found)
		return found, nil // nothing is symmetric without some GPUs, and planning is slow
	}
	made, err := r.onWorking(ctx, p, s.knowing(found))
	switch {
	case found == nil || err == nil && made.Cost.Total() <= found.Cost.Total():
		return made, err
	case err != nil && (ctx.Err() != nil || !errors.Is(err, planner.ErrInfeasible) && !errors.Is(err, planner.ErrBeyond)):
		return nil, err
	case s.scope.limit > 0 && planner.Above(found.Cost.Total(), s.scope.limit):
		return nil, &planner.Beyond{Least: found.Cost.Total()}
	}
	s.show(found)
	return found, nil
}

// mostTried is the number of GPUs up to which more than one plan is repaired and, if GPUs have
// failed, plans are made for what is left.
const mostTried = 1 << 10

// mostLooked is the number of GPUs up to which planners look for other circuits beside fixed
// links when they make a plan for repair.
const mostLooked = 1 << 8

// repaired plans for the intact fabric and repairs the plan. If that plan cannot be repaired, it
// tries the best plan without reconfigurations and then the plans of planners that make their own
// steps. It returns nil if none can be repaired.
func (r *Request) repaired(ctx context.Context, p planner.Planner, s *Search) (*plan.Plan, error) {
	quiet := s.Quiet().Unseen().within(0)
	if r.Fabric.Alive() != nil {
		quiet = quiet.wholly()
	}
	whole := *r
	whole.Fabric.Avoid, whole.Fabric.Spares = fabric.Failures{}, fabric.Spares{}
	if !r.Fabric.Fixed.IsZero() && r.Fabric.Nodes > mostLooked && planner.TraitsOf(p).Best {
		few := slices.DeleteFunc(slices.Clone(s.Planners()), func(p planner.Planner) bool {
			t := planner.TraitsOf(p)
			return t.Best || t.Improves != nil // fixed links never change
		})
		p = auto.New(taking(few))
		quiet = quiet.With(func(o *Options) { o.Planners = append(few, p) })
	}
	tries := []func() (*plan.Plan, error){
		func() (*plan.Plan, error) { return whole.Fastest(ctx, p, quiet) },
	}
	if planner.TraitsOf(p).Best && r.Fabric.Nodes <= mostTried {
		tries = append(tries, func() (*plan.Plan, error) { return whole.Staying(ctx, nil, quiet) })
		for _, other := range s.Planners() {
			if planner.TraitsOf(other).Composes != nil {
				tries = append(tries, func() (*plan.Plan, error) { return whole.Fastest(ctx, other, quiet) })
			}
		}
	}
	for _, try := range tries {
		made, err := try()
		if err == nil {
			made, err = mended.Repaired(ctx, made, r.Fabric)
		}
		switch {
		case err == nil:
			return made, nil
		case ctx.Err() != nil:
			return nil, ctx.Err()
		}
	}
	return nil, nil
}

// orRelayed returns a plan of last resort if no other was found: one by relays, if anything
// connects the GPUs.
func (r *Request) orRelayed(ctx context.Context, p planner.Planner, s *Search, err error) (*plan.Plan, error) {
	static := s.Planners().Baseline(plan.Static)
	if r.Fabric.Open() && !r.Fabric.Tiered() || !planner.TraitsOf(p).Best || static == nil || s.scope.still || !r.single() || !r.Operations[0].Open() {
		return nil, err
	}
	o := r.Operations[0]
	if invalid := o.Complete(r.Fabric.Nodes); invalid != nil {
		return nil, err
	}
	relayed, relayedErr := mended.Relayed(ctx, r.Fabric, o.Op, o.Size, []int(o.GPUs))
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case errors.Is(relayedErr, mended.ErrApart):
		return nil, relayedErr
	case relayedErr != nil:
		return nil, err
	}
	relayed.Planner = static.Name()
	s.show(relayed)
	return relayed, nil
}
