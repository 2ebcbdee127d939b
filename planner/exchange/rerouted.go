package exchange

import (
	"context"
	"fmt"
	"sync"

	"github.com/lightpath-net/lightpath/planner"
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
	solve := func(worth func(slots int) bool) (*routing.Flows, error) {
		stages := make([][][]int, len(w.Generators))
		for i, generators := range w.Generators {
			stages[i] = w.Circuits(generators)
		}
		return routing.NewRouter(stages, w.Ports, demand, true).Solve(ctx, worth)
	}
	if t.sizes != nil {
		return busy(solve(worth))
	}
	over := overTopologies{t.nodes, w.Ports, w.Group, fmt.Sprint(w.Generators)}
	known := planner.Kept(t.request.Kept, over, func() (*knownFlows, bool) { return new(knownFlows), true })
	return busy(known.find(worth, solve))
}

// busy returns flows that leave no topology idle, or nil.
func busy(f *routing.Flows, err error) (*routing.Flows, error) {
	if err != nil || f == nil || f.Idle() {
		return nil, err
	}
	return f, nil
}

// overTopologies is all that the router's ways for a uniform demand depend on, whatever the delay:
// the topologies, as generators of a group.
type overTopologies struct {
	nodes, ports int
	group        model.Group
	generators   string
}

// knownFlows are the flows over some topologies, once they are found. A search that gave up is
// repeated only if it would get further.
type knownFlows struct {
	mutex   sync.Mutex
	flows   *routing.Flows
	done    bool
	without int // 0, or slots that were not worth more
}

// find returns the known flows, or those that solve finds; nil if they are not worth their slots.
func (k *knownFlows) find(worth func(slots int) bool, solve func(worth func(slots int) bool) (*routing.Flows, error)) (*routing.Flows, error) {
	k.mutex.Lock()
	defer k.mutex.Unlock()
	if k.done || k.without > 0 && !worth(k.without) {
		return k.flows, nil
	}
	without := 0
	flows, err := solve(func(slots int) bool {
		if worth(slots) {
			return true
		}
		without = slots
		return false
	})
	if err != nil {
		return nil, err
	}
	k.flows, k.without, k.done = flows, without, without == 0
	return flows, nil
}
