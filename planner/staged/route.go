package staged

import (
	"context"

	"github.com/lightpath-net/lightpath/flow"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/topology"
)

// routed is a step's demands on circuits. The routes are those of the step seen under
// group, the part of its symmetry that the circuits share.
type routed struct {
	group  topology.Translations
	routes [][]flow.Route
	cost   plan.StepCost
}

// problem is the step on the circuits, reduced by the symmetry that they share.
func (w *workload) problem(g *topology.Graph, class *class) flow.Problem {
	group := class.step.Group.Within(g)
	return flow.Problem{Graph: g, Demands: class.under(group), Group: group}
}

// route finds the routes of a step. With the policy "optimal" it looks for the
// fastest step, not only for the smallest peak: a maximum concurrent flow may use
// long ways round for a little bandwidth, which small messages do not repay. So for
// each number of hops that could still win, the smallest peak within that many hops
// is found; with cut-through, and where flow is exact, the result is the fastest of all
// routings.
func (w *workload) route(ctx context.Context, g *topology.Graph, class *class) (*routed, error) {
	problem := w.problem(g, class)
	best := &routed{group: problem.Group}
	take := func(r *flow.Result) {
		cost := plan.CostOf(w.fabric, r.Load, class.pair)
		if best.routes == nil || cost.Total() < best.cost.Total() {
			best.routes, best.cost = r.Routes, cost
		}
	}
	result, err := flow.Solve(ctx, problem, w.fabric.Routing)
	if err != nil {
		return nil, err
	}
	take(result)
	if w.fabric.Routing != flow.Optimal || result.Method == flow.MethodUnique {
		return best, nil
	}
	fewest := result.Load.Hops
	for _, policy := range []flow.Policy{flow.ShortestSplit, flow.Shortest} {
		r, err := flow.Solve(ctx, problem, policy)
		if err != nil {
			return nil, err
		}
		take(r)
		fewest = r.Load.Hops
	}
	for hops := fewest; hops < result.Load.Hops; hops++ {
		ideal := flow.Load{Peak: result.Load.Peak, Hops: hops}
		if plan.CostOf(w.fabric, ideal, class.pair).Total() >= best.cost.Total() {
			break // more hops can only be slower
		}
		problem.MaxHops = hops
		r, err := flow.Solve(ctx, problem, flow.Optimal)
		if err != nil {
			return nil, err
		}
		take(r)
	}
	return best, nil
}
