package exchange

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/lightpath-net/lightpath/flow"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/units"
)

// The routes of strategies even out bytes and may be long. Package flow finds routes for the same
// transfers of a step that also save hops: for 48 GPUs with 4 ports and 1 MiB of moe:8, the step
// takes 15% less. That takes too long for every candidate, so only the fastest few get such
// routes. What a program takes grows with its size, transfers times circuits.
const (
	smallStep   = 30_000    // up to here, routes take up to some tens of milliseconds
	mediumStep  = 300_000   // up to here, some hundreds
	largestStep = 9_000_000 // up to here, some seconds

	fewFinalists, manyFinalists = 2, 12 // candidates that get such routes

	// keptTime is the share of its time that a candidate is assumed to keep with such routes. Of
	// some hundred plans none kept less than 0.71.
	keptTime = 0.6
)

// mostRouted returns the size up to which steps are routed again. Where all pairs are alike,
// routes are nearly the fastest already.
func (t *task) mostRouted() int {
	if t.sizes == nil {
		return mediumStep
	}
	return largestStep
}

// finalists returns the number of candidates whose steps are routed again.
func (t *task) finalists() int {
	switch size := t.nodes * (t.nodes - 1) * t.nodes * min(t.request.Fabric.Ports, t.nodes-1); {
	case t.request.Fabric.Routing != flow.Optimal:
		return 1
	case size <= smallStep:
		return manyFinalists
	case size <= mediumStep:
		return fewFinalists
	}
	return 1
}

// shortlist holds the fastest candidates, the fastest first.
type shortlist struct {
	most int
	list []priced
}

// add enters a candidate, after those that are as fast.
func (s *shortlist) add(c priced) {
	at, _ := slices.BinarySearchFunc(s.list, c, func(a, b priced) int {
		return cmp.Or(cmp.Compare(a.time, b.time), -1)
	})
	s.list = slices.Insert(s.list, at, c)
	s.list = s.list[:min(len(s.list), s.most)]
}

// fastestOf returns the fastest plan that the candidates make with the fastest routes.
func (t *task) fastestOf(ctx context.Context, candidates []priced) (*plan.Plan, error) {
	var best *plan.Plan
	for _, c := range candidates {
		if t.request.Beyond(c.time*keptTime) != nil {
			break
		}
		if t.request.Beyond(t.leastAlong(c.route.Ways)) != nil {
			continue
		}
		made, err := t.whole(ctx, c.route, c.strategy)
		if err != nil {
			return nil, err
		}
		if err := made.PriceContext(ctx); err != nil {
			return nil, err
		}
		limit := t.request.Limit
		if best != nil {
			limit = best.Cost.Total()
		}
		if made, err = t.routedAgain(ctx, made, limit); err != nil {
			return nil, err
		}
		if best == nil || made.Cost.Total() < best.Cost.Total()*(1-tie) {
			best = made
		}
	}
	// What was left out takes longer, too.
	if best == nil || t.request.Beyond(best.Cost.Total()) != nil {
		return nil, &planner.Beyond{Least: t.request.Limit}
	}
	return best, nil
}

// routedAgain returns a priced plan with the fastest routes between the ends of its transfers, for
// every step where these are faster than the routes that it has. If it cannot keep to the limit,
// unless that is 0, it may return the plan as it is. It notes whether the routes are proven.
func (t *task) routedAgain(ctx context.Context, made *plan.Plan, limit units.Time) (*plan.Plan, error) {
	if made.Fabric.Routing != flow.Optimal {
		return made, nil
	}
	again := *made
	again.Stages = slices.Clone(made.Stages)
	changed := false
	for i := range again.Stages {
		stage := &again.Stages[i]
		step := stage.Steps[0]
		within := step.Cost.Total() * (1 - tie)
		if limit > 0 && len(made.Stages) == 1 {
			within = min(within, limit)
		}
		if len(step.Base)*stage.Topology.Bundles()/step.Group.Order() > t.mostRouted() {
			again.Approximate = true
			continue
		}
		step.Base = slices.Clone(step.Base)
		err := again.RouteStepWithin(ctx, stage.Topology, step, within)
		var slower *flow.Slower
		switch {
		case err == nil:
			stage.Steps, changed = []plan.Step{step}, true
		case errors.As(err, &slower):
			again.Approximate = again.Approximate || slower.Approximate
		default:
			return nil, err
		}
	}
	if !changed {
		return &again, nil
	}
	again.Slots = 0
	for i := range again.Stages {
		stage := &again.Stages[i]
		again.Slots += slotsOf(&stage.Steps[0], stage.Topology)
	}
	if err := again.PriceContext(ctx); err != nil {
		return nil, err
	}
	if again.Cost.Total() > made.Cost.Total() { // the cap on theta counts what a step does not know
		made.Approximate = true
		return made, nil
	}
	return &again, nil
}
