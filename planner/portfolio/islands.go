package portfolio

import (
	"context"
	"errors"
	"slices"

	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/islands"
)

// onIslands returns the fastest of the plans for a fabric with islands that are made of plans for
// flat ones: for the same GPUs without their islands, and for cores in which islands are nodes.
// So no plan is slower than without islands.
func (r *Request) onIslands(ctx context.Context, s *Search, make func(flat *Request, s *Search) (*plan.Plan, error)) (*plan.Plan, error) {
	quiet := s.Quiet().Unseen()
	quiet.limit = 0 // of times on other fabrics
	flat := *r
	flat.Fabric = r.Fabric.Flat()
	best, err := make(&flat, &quiet)
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
		if s.Better != nil && best != nil {
			s.Better(best)
		}
	}
	found()
	if r.Pattern != nil || len(r.Operations) != 1 || islands.Supports(&r.Operations[0]) != nil {
		return best, err
	}
	o := r.Operations[0]
	for _, c := range islands.Cores(&r.Fabric) {
		inner := Request{Operations: slices.Clone(r.Operations), Fabric: c.Fabric}
		inner.Operations[0].Size = c.Size(&r.Fabric, o.Op, o.Size)
		core, coreErr := make(&inner, &quiet)
		if coreErr == nil {
			core, coreErr = islands.Lift(ctx, core, c, &r.Fabric, o.Size)
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if coreErr == nil && (best == nil || core.Cost.Total() < best.Cost.Total()) {
			best, err = core, nil
			found()
		}
	}
	if err == nil && s.limit > 0 && planner.Above(best.Cost.Total(), s.limit) {
		return nil, &planner.Beyond{Least: best.Cost.Total()}
	}
	return best, err
}
