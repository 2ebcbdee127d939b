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

// damaged reports whether a plan for a request can be a repaired one: for one operation in which
// all pairs send the same, on a fabric with islands, fixed links or a layout of which something
// has failed or is held.
func (r *Request) damaged(s *Search) bool {
	f := &r.Fabric
	return !f.Avoid.IsZero() && !s.scope.repaired && (f.Tiered() || !f.Layout.IsZero()) && r.single()
}

// single reports whether a request is one operation in which all pairs send the same.
func (r *Request) single() bool {
	return r.Pattern == nil && len(r.Operations) == 1 && r.Operations[0].Demand == nil && r.Operations[0].Generator == ""
}

// aroundFailures returns the fastest plan on a damaged fabric: of the repaired one, which is soon
// made and tells the rest how fast they have to be, and of those made for what is left.
func (r *Request) aroundFailures(ctx context.Context, p planner.Planner, s *Search) (*plan.Plan, error) {
	found, err := r.repaired(ctx, p, s)
	if err != nil {
		return nil, err
	}
	if found != nil && r.Fabric.Nodes > mostTried && r.Fabric.Alive() != nil && (s.scope.limit == 0 || !planner.Above(found.Cost.Total(), s.scope.limit)) {
		s.show(found)
		return found, nil // without some GPUs nothing is symmetric, and planning takes very long
	}
	made, err := r.fastestLeft(ctx, p, s.knowing(found))
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

// mostTried is the number of GPUs up to which more than one plan is repaired, and plans are made
// for what is left where GPUs have failed.
const mostTried = 1 << 10

// mostLooked is the number of GPUs up to which planners look for other circuits beside fixed links,
// for a plan that is to be repaired.
const mostLooked = 1 << 8

// repaired returns the plan for the fabric as if nothing had failed, repaired; nil where it cannot
// be: then one with circuits that stay, and those of planners that make their own steps.
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
			return t.Best || t.Improves != nil // nothing changes on fixed links
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

// orRelayed returns a plan of last resort where no other was found: by relays, if anything connects
// the GPUs.
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
