package portfolio

import (
	"context"
	"slices"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/planner/islands"
	"github.com/lightpath-net/lightpath/topology"
)

// Sequences that keep the circuits of one operation are planned on at most mostStanding islands,
// and for at most mostAnchors sets of circuits.
const (
	mostStanding = 1 << 5
	mostAnchors  = 4
)

// standing tries sequences that stay on the circuits of a plan for one of the operations. The
// other operations are planned on these circuits and the islands.
func (x *onIslands) standing(ctx context.Context, options [][]*plan.Plan) {
	all := x.search.Planners().Best()
	if all == nil || x.Fabric.Islands() > mostStanding {
		return
	}
	var tried []*topology.Graph
	for _, list := range options {
		for _, made := range list {
			up := made.Stages[0].Topology
			if len(tried) == mostAnchors || slices.ContainsFunc(tried, up.Equal) {
				continue
			}
			tried = append(tried, up)
			c, ok := islands.Standing(&x.Fabric, up)
			if !ok {
				continue
			}
			if chain := x.onStanding(ctx, c, up, options); chain != nil {
				x.keep(x.bestChain(ctx, chain))
			}
		}
	}
}

// onStanding lists plans of every operation on circuits that stay; nil: some operation has none.
func (x *onIslands) onStanding(ctx context.Context, c islands.Core, up *topology.Graph, options [][]*plan.Plan) [][]*plan.Plan {
	chain := make([][]*plan.Plan, len(options))
	for i := range options {
		for _, made := range options[i] {
			if made.Stages[0].Topology.Equal(up) {
				chain[i] = append(chain[i], made)
			}
		}
		one := *x.Request
		one.Operations = x.Operations[i : i+1]
		if islands.Supports(&one.Operations[0]) != nil || one.Operations[0].Demand != nil || one.Operations[0].Generator != "" {
			continue
		}
		inner := &Request{Operations: []collective.Operation{c.Operation(&x.Fabric, one.Operations[0])}, Fabric: Still(c.Fabric)}
		made, err := inner.Fastest(ctx, x.search.Planners().Best(), x.search.wholly())
		if err == nil {
			made.Fabric = c.Fabric
			err = made.PriceContext(ctx)
		}
		if err == nil {
			made, err = islands.Lift(ctx, made, c, &x.Fabric, one.Operations[0].Size, 0)
		}
		if err == nil && i > 0 {
			made.Fabric.Initial = fabric.InitialFree
			err = made.PriceContext(ctx)
			made.Fabric = x.Fabric
		}
		if err == nil {
			chain[i] = append(chain[i], made)
		}
		if chain[i] == nil {
			return nil
		}
	}
	return chain
}
