package exchange

import (
	"context"

	"github.com/lightpath-net/lightpath/planner/exchange/model"
	"github.com/lightpath-net/lightpath/planner/exchange/routing"
	"github.com/lightpath-net/lightpath/planner/exchange/strategy"
)

// reroutedStates limits pairs times stages up to which ways are found again. Beyond, trees of
// paths from every member take longer than the search.
const reroutedStates = 1 << 13

// rerouted returns ways over the topologies of a candidate, found by the router of uneven
// demands, or nil if there are none or if what they take is not worth it. Words of relay and
// cayley are whole and the same from every member; the router divides what a pair has, and may
// find a way with fewer hops in a stage. With both, a uniform demand is not slower than the
// same with a byte more.
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
