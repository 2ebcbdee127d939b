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
	group := class.on(g)
	return flow.Problem{Graph: g, Demands: class.under(group), Group: group}
}

// share prepares what several routes are found for at the same time.
func (w *workload) share(c *candidate, class *class) {
	c.topology()
	if w.programs != nil {
		c.digest()
		class.digest()
	}
}

// route finds the routes of a step that take the least time. Where they take longer than
// within, in ns, the error may wrap flow.ErrSlower.
func (w *workload) route(ctx context.Context, c *candidate, class *class, within float64) (*routed, error) {
	g := c.topology()
	if w.circuits != nil && w.circuits.Differ(g) {
		return w.routeUneven(ctx, w.circuits.On(g), class, within)
	}
	problem := w.problem(g, class)
	price := func(l flow.Load) float64 { return w.price(l, class) }
	var r *flow.Result
	var err error
	if w.programs == nil {
		r, err = flow.FastestWithin(ctx, problem, w.fabric.Routing, price, within)
	} else {
		known := flow.Case{Circuits: c.digest(), Demands: class.digest(), Way: byProgram}
		r, err = w.programs.FastestWithin(ctx, known, class.pair, problem, w.fabric.Routing, price, within)
	}
	if err != nil {
		return nil, err
	}
	return &routed{problem.Group, r.Routes, plan.CostOf(w.fabric, r.Load, class.pair, class.reduced)}, nil
}
