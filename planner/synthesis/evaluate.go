package synthesis

import (
	"context"
	"errors"

	"github.com/lightpath-net/lightpath/flow"
	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/units"
)

// priced is a topology with the time of each class of steps on it.
type priced struct {
	graph *topology.Graph
	loads []flow.Load  // per class
	times []units.Time // per class, of one step
	cost  units.Time
}

// perNode is roughly how many numbers, per node, making and looking up a topology touches.
const perNode = 200

// perCircuit is roughly how many numbers distances and the counting bound touch for every circuit
// and every source of a search.
const perCircuit = 8

// price computes the cost of the interval on a topology. It returns nil if the cost is not below
// the limit or the topology does not connect some demand.
//
// Cheap steps come first. If every node has circuits to only one other, one pass over nodes and
// demands gives the cost. Otherwise price computes the distances and the counting bound of every
// step (flow.Floor) and applies the known cuts. Only if their sum is below the limit does it
// route one class after another, until the limit is exceeded.
func (iv *interval) price(ctx context.Context, g *topology.Graph, limit units.Time) (*priced, error) {
	iv.work += int64(perNode * iv.Nodes)
	if s, ok := flow.NewSuccessor(g); ok {
		return iv.priceUnique(g, s, limit), nil
	}
	e := &priced{
		graph: g,
		loads: make([]flow.Load, len(iv.classes)),
		times: make([]units.Time, len(iv.classes)),
	}
	iv.work += int64(perCircuit * len(iv.classes) * iv.Nodes * g.Bundles())
	known := make([]float64, len(iv.classes))
	if iv.screen != nil {
		iv.work += int64(iv.screen.cost())
		known = iv.screen.loads(g)
	}
	for i, c := range iv.classes {
		floor, _, err := flow.Floor(ctx, iv.problem(g, c))
		if errors.Is(err, flow.ErrUnreachable) {
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		// A routing that splits may avoid the floor's dilation.
		e.times[i] = iv.time(c, flow.Load{Peak: max(floor.Peak, known[i]), Hops: floor.Hops})
	}
	for i, c := range iv.classes {
		if e.cost = iv.sum(e.times); !(e.cost < limit) {
			return nil, nil
		}
		if err := iv.route(ctx, e, i, c); err != nil {
			return nil, err
		}
	}
	if e.cost = iv.sum(e.times); !(e.cost < limit) {
		return nil, nil
	}
	return e, nil
}

// priceUnique is price if paths are unique.
func (iv *interval) priceUnique(g *topology.Graph, s *flow.Successor, limit units.Time) *priced {
	e := &priced{graph: g, loads: make([]flow.Load, len(iv.classes)), times: make([]units.Time, len(iv.classes))}
	for i, c := range iv.classes {
		iv.work += int64(iv.Nodes + len(c.all()))
		load, ok := s.Evaluate(c.all())
		if !ok {
			return nil
		}
		e.loads[i], e.times[i] = load, iv.time(c, load)
	}
	if e.cost = iv.sum(e.times); !(e.cost < limit) {
		return nil
	}
	return e
}

// problem returns the routing problem of a step on the circuits, reduced by the symmetry that
// they share.
func (iv *interval) problem(g *topology.Graph, c *class) flow.Problem {
	group := c.Group.Within(g)
	return flow.Problem{Graph: g, Demands: c.under(group), Group: group, Exact: iv.exact}
}

// route finds the fastest routing of class i.
func (iv *interval) route(ctx context.Context, e *priced, i int, c *class) error {
	r, err := flow.Fastest(ctx, iv.problem(e.graph, c), iv.Routing, func(l flow.Load) float64 { return float64(iv.time(c, l)) })
	if err != nil {
		return err
	}
	iv.work += r.Work
	e.times[i], e.loads[i] = iv.time(c, r.Load), r.Load
	return nil
}

// stepCosts lists the costs in the order of the problem's steps.
func (iv *interval) stepCosts(e *priced) []StepCost {
	costs := make([]StepCost, len(iv.classOf))
	for s, i := range iv.classOf {
		c := iv.classes[i]
		bytes := iv.bytes(c, e.loads[i])
		costs[s] = StepCost{Time: e.times[i], Hops: e.loads[i].Hops, Bytes: bytes}
		if c.pair > 0 {
			costs[s].Congestion = bytes / c.pair
		}
	}
	return costs
}
