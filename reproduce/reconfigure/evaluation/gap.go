package evaluation

import (
	"context"

	"github.com/lightpath-net/lightpath/planner/exchange/model"
	"github.com/lightpath-net/lightpath/planner/exchange/strategy"
)

// Gap compares slots with bounds at one number of topologies: the slots of the paper's rule, the
// bound of Theorem 1, and the bound for chunks that may wait for a later topology.
type Gap struct {
	Stages, Paper, Bound, Relay int
}

// Gaps returns the slots of the paper's rule for every number of topologies, with the bound of
// Theorem 1 and the bound for chunks that may wait for a later topology.
func Gaps(ctx context.Context, nodes int) ([]Gap, error) {
	demand, err := model.Uniform(nodes, 1)
	if err != nil {
		return nil, err
	}
	curve, err := strategy.Curve(ctx, strategy.Problem{Demand: demand, Ports: 1, Strategy: strategy.Paper}, 0)
	if err != nil {
		return nil, err
	}
	var points []Gap
	for _, p := range curve {
		bound, err := model.LoadBound(nodes, 1, p.Stages)
		if err != nil {
			return nil, err
		}
		relay, err := model.RelayBound(nodes, 1, p.Stages)
		if err != nil {
			return nil, err
		}
		points = append(points, Gap{p.Stages, p.Slots, bound, relay})
	}
	return points, nil
}
