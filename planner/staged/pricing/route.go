package pricing

import (
	"context"
	"sync/atomic"

	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/flow"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/units"
)

// Routed is a step's demands with their routes on circuits. The routes are for the demands that
// represent the step under Group, the symmetry that the circuits share.
type Routed struct {
	Group  topology.Translations
	Routes [][]flow.Route
	Cost   plan.StepCost
	// Approximate is as in flow.Result.
	Approximate bool
}

// Problem returns the routing problem of the step on the circuits, reduced by the symmetry that
// they share.
func (w *Workload) Problem(g *topology.Graph, class *Class) flow.Problem {
	group := class.On(g)
	return flow.Problem{Graph: g, Demands: class.under(group), Group: group}
}

// Share prepares a candidate and a class for concurrent calls of Route.
func (w *Workload) Share(c *Candidate, class *Class) {
	c.Topology()
	if w.programs != nil {
		c.digest()
		class.digest()
	}
}

// Route finds the routes of a step that take the least time. If they take longer than within, in
// ns, the error may wrap flow.ErrSlower.
func (w *Workload) Route(ctx context.Context, c *Candidate, class *Class, within float64) (*Routed, error) {
	g := c.Topology()
	if w.Circuits != nil && w.Circuits.Differ(g) {
		return w.routeUneven(ctx, w.Circuits.On(g), class, within)
	}
	var known flow.Recall
	var fastest *atomic.Pointer[flow.Slower]
	if w.programs != nil {
		of := flow.Case{Circuits: c.digest(), Demands: class.digest(), Way: byProgram}
		known = flow.Recall{Memory: w.programs, Of: of, Largest: class.pair}
		fastest = w.fastest(of, class)
		if slower := fastest.Load(); slower != nil && planner.Above(units.Time(slower.Least), units.Time(within)) {
			return nil, slower
		}
	}
	problem := w.Problem(g, class)
	price := func(l flow.Load) float64 { return w.price(l, class) }
	r, err := known.FastestWithin(ctx, problem, w.Fabric.Routing, price, within)
	if err != nil {
		return nil, err
	}
	routed := &Routed{problem.Group, r.Routes, plan.CostOf(w.Fabric, r.Load, class.pair, class.reduced), r.Approximate}
	if fastest != nil {
		fastest.Store(&flow.Slower{Least: float64(routed.Cost.Total()), Approximate: r.Approximate})
	}
	return routed, nil
}

// fastestKey identifies a step on circuits, and all that its time depends on.
type fastestKey struct {
	of            flow.Case
	pair, reduced float64
	bandwidth     units.Bandwidth
	alpha, delta  units.Duration
	gamma         fabric.Gamma
	forwarding    fabric.Forwarding
	routing       flow.Policy
	capTheta      bool
}

// fastest returns where the time of a step's fastest routes is kept for later searches, as the
// answer to those that need faster ones. It is empty until they are known.
func (w *Workload) fastest(of flow.Case, class *Class) *atomic.Pointer[flow.Slower] {
	f := w.Fabric
	key := fastestKey{of, class.pair, class.reduced, f.Bandwidth, f.Alpha, f.Delta, f.Gamma, f.Forwarding, f.Routing, f.CapTheta}
	return planner.Kept(w.Kept, key, func() (*atomic.Pointer[flow.Slower], bool) { return new(atomic.Pointer[flow.Slower]), true })
}
