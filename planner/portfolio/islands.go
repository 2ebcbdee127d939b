package portfolio

import (
	"context"
	"errors"
	"slices"

	"github.com/lightpath-net/lightpath/bound"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/islands"
)

// onIslands returns the fastest of the plans for a fabric with islands that are made of plans for
// flat ones: for the same GPUs without their islands, and for cores in which islands are nodes.
// So no plan is slower than without islands.
func (r *Request) onIslands(ctx context.Context, s *Search, make func(flat *Request, s *Search) (*plan.Plan, error)) (*plan.Plan, error) {
	quiet := s.Quiet().Unseen().within(0) // times are those of other fabrics
	flat := *r
	flat.Fabric = r.Fabric.Flat()
	best, err := make(&flat, quiet)
	if err == nil {
		best.Fabric = r.Fabric
		if err = best.Price(); err == nil {
			best.Bound = min(best.OperationBound().Total(), best.Cost.Total())
		}
	}
	if err != nil && !errors.Is(err, planner.ErrInfeasible) {
		return nil, err
	}
	found := func() {
		if s.options.Better != nil && best != nil {
			s.options.Better(best)
		}
	}
	found()
	for _, f := range simpler(r.Fabric) {
		other := *r
		other.Fabric = f
		if best != nil && !f.Equal(r.Fabric) && bound.OfOperation(&f, best.Collective.Section()).Total() >= best.Cost.Total() {
			continue // as good at best
		}
		for _, c := range other.cores() {
			made, coreErr := other.lifted(ctx, c, best, quiet, make)
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			if coreErr == nil && !f.Equal(r.Fabric) {
				made.Fabric = r.Fabric
				coreErr = made.Price()
			}
			if coreErr == nil && (best == nil || made.Cost.Total() < best.Cost.Total()) {
				made.Bound = min(made.OperationBound().Total(), made.Cost.Total())
				best, err = made, nil
				found()
			}
		}
	}
	if err == nil && s.scope.limit > 0 && planner.Above(best.Cost.Total(), s.scope.limit) {
		return nil, &planner.Beyond{Least: best.Cost.Total()}
	}
	return best, err
}

// lifted returns the faster of two plans that a core is asked for: for the delay that there is,
// and without changes. What islands add is not known to the core, so that the latter may be the
// faster one all the same.
func (r *Request) lifted(ctx context.Context, c islands.Core, than *plan.Plan, s *Search, make func(flat *Request, s *Search) (*plan.Plan, error)) (*plan.Plan, error) {
	var best *plan.Plan
	var reason error
	for _, still := range []bool{false, true} {
		inner, own := r.onCore(c), s
		if still {
			inner.Fabric = Still(inner.Fabric)
		} else if than != nil {
			own = s.within(than.Cost.Total()) // islands only add to what the core takes
		}
		core, err := make(inner, own)
		if err == nil && still {
			core.Fabric = c.Fabric
			err = core.Price()
		}
		changes := err == nil && core.Reconfigurations > c.Fabric.SetUps()
		var made *plan.Plan
		if err == nil {
			made, err = islands.Lift(ctx, core, c, &r.Fabric, r.Operations[0].Size)
		}
		if err == nil && (best == nil || made.Cost.Total() < best.Cost.Total()) {
			best = made
		}
		if best == nil && reason == nil {
			reason = err
		}
		if !changes || ctx.Err() != nil {
			break
		}
	}
	if best == nil {
		return nil, reason
	}
	return best, nil
}

// simpler lists fabrics with islands whose plans are also plans of one: itself first, and those
// with fewer ports and smaller islands.
func simpler(f fabric.Fabric) []fabric.Fabric {
	var all []fabric.Fabric
	for size := f.Island.Size; size > 1; size-- {
		if f.Island.Size%size != 0 {
			continue
		}
		for ports := f.Ports; ports >= 1; ports-- {
			less := f
			less.Island.Size, less.Ports = size, ports
			all = append(all, less)
		}
	}
	return all
}

// cores lists the cores that stand for the fabric of a request.
func (r *Request) cores() []islands.Core {
	if r.Pattern != nil || len(r.Operations) != 1 || islands.Supports(&r.Operations[0]) != nil {
		return nil
	}
	return islands.Cores(&r.Fabric)
}

// onCore is the request for the part of a core.
func (r *Request) onCore(c islands.Core) *Request {
	inner := &Request{Operations: slices.Clone(r.Operations), Fabric: c.Fabric}
	inner.Operations[0].Size = c.Size(&r.Fabric, r.Operations[0].Op, r.Operations[0].Size)
	return inner
}
