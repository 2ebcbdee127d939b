package exchange

import (
	"context"

	"github.com/lightpath-net/lightpath/planner/exchange/model"
	"github.com/lightpath-net/lightpath/planner/exchange/routing"
	"github.com/lightpath-net/lightpath/planner/exchange/strategy"
)

// reroutedStates is the largest number of pairs times stages for which ways are found again.
// Beyond it, trees of paths from every member take longer than the search.
const reroutedStates = 1 << 13

// rerouted returns ways over the topologies of a candidate, found by the router for uneven
// demands, or nil if there are none or they take too long. Strategies relay and cayley send
// each pair's data whole, along words that are the same from every member. The router divides
// the data, and may find a way with fewer hops in a stage. With both, a uniform demand is never
// slower than the same demand with one byte more.
func (t *task) rerouted(ctx context.Context, c *strategy.Candidate, w *routing.Ways, demand model.Demand,
	worth func(slots int) bool,
) (*routing.Flows, error) {
	if w == nil || t.nodes*t.nodes*c.Stages > reroutedStates || c.Strategy != strategy.Relay && c.Strategy != strategy.Cayley {
		return nil, nil
	}
	stages := make([][][]int, len(w.Generators))
	for i, generators := range w.Generators {
		stages[i] = w.Circuits(generators)
	}
	f, err := routing.NewRouter(stages, w.Ports, demand, true).Solve(ctx, worth)
	if err != nil || f == nil || f.Idle() {
		return nil, err
	}
	return f, nil
}
