package staged

import (
	"context"
	"errors"
	"math"

	"github.com/lightpath-net/lightpath/flow"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/units"
)

// candidate is a topology that a stage may have. A directed ring of equal jumps is
// kept as its jump alone until a plan needs its circuits: at 1024 GPUs there are
// 1023 of them, and the cost of a rotation on them has a closed form.
type candidate struct {
	n     int
	jump  jumper // the zero value: not such a ring
	graph *topology.Graph
	next  *flow.Successor // where every node has one successor
	costs []float64       // per class, NaN while unknown; nil with a closed form
}

func graphCandidate(g *topology.Graph) *candidate {
	if jumps, ok := g.Jumps(); ok && equalJumps(jumps) {
		c := ringCandidate(g.Nodes(), jumps[0], len(jumps))
		c.graph = g
		return c
	}
	c := &candidate{n: g.Nodes(), graph: g}
	c.next, _ = flow.NewSuccessor(g)
	return c
}

func equalJumps(jumps []int) bool {
	for _, j := range jumps {
		if j != jumps[0] {
			return false
		}
	}
	return len(jumps) > 0 && jumps[0] != 0
}

// ringCandidate is the topology in which every node has count circuits to the node
// jump further on.
func ringCandidate(n, jump, count int) *candidate {
	return &candidate{n: n, jump: newJumper(n, jump, count)}
}

// topology returns the circuits.
func (c *candidate) topology() *topology.Graph {
	if c.graph == nil {
		jumps := make([]int, c.jump.count)
		for i := range jumps {
			jumps[i] = c.jump.jump
		}
		c.graph = topology.DirectedCirculant(c.n, jumps...)
	}
	return c.graph
}

// same reports whether both hold the same circuits.
func (c *candidate) same(d *candidate) bool {
	if c == d {
		return true
	}
	if c.jump.count > 0 || d.jump.count > 0 {
		return c.jump == d.jump
	}
	return c.graph.Equal(d.graph)
}

// jumper answers in constant time how many jumps lead to an offset.
type jumper struct {
	jump, count         int
	gcd, cycle, inverse int // offsets are multiples of gcd; inverse jumps lead to gcd
}

func newJumper(n, jump, count int) jumper {
	gcd := n
	for a := jump; a != 0; {
		gcd, a = a, gcd%a
	}
	inverse, _ := flow.CirculantHops(n, jump, gcd)
	return jumper{jump: jump, count: count, gcd: gcd, cycle: n / gcd, inverse: inverse}
}

// hops returns the jumps to an offset in 1..n-1, or 0 if none lead there.
func (j *jumper) hops(offset int) int {
	if offset%j.gcd != 0 {
		return 0
	}
	// Both factors are below n <= 2^16, so the product does not overflow.
	return offset / j.gcd * j.inverse % j.cycle
}

// load is what demands that all rotations leave as they are put on the ring: every
// circuit carries each of them as often as it takes hops.
func (j *jumper) load(class *class) (flow.Load, bool) {
	var load flow.Load
	for i, offset := range class.offsets {
		hops := j.hops(offset)
		if hops == 0 {
			return load, false
		}
		bytes := float64(hops) * class.demands[i].Amount / float64(j.count)
		load.Peak += bytes
		load.Hops = max(load.Hops, hops)
		load.Dilation = max(load.Dilation, bytes)
	}
	return load, true
}

// cost returns the time of a step of the class on the candidate, in ns; +Inf where
// the candidate does not connect a pair.
func (w *workload) cost(ctx context.Context, c *candidate, index int) (float64, error) {
	class := &w.classes[index]
	if class.offsets != nil && c.jump.count > 0 {
		load, ok := c.jump.load(class)
		if !ok {
			return math.Inf(1), nil
		}
		return w.price(load, class), nil
	}
	if c.costs == nil {
		c.costs = make([]float64, len(w.classes))
		for i := range c.costs {
			c.costs[i] = math.NaN()
		}
	}
	if math.IsNaN(c.costs[index]) {
		cost, err := w.judge(ctx, c, class)
		if err != nil {
			return 0, err
		}
		c.costs[index] = cost
	}
	return c.costs[index], nil
}

func (w *workload) price(load flow.Load, class *class) float64 {
	return float64(plan.CostOf(w.fabric, load, class.pair).Total())
}

func (w *workload) judge(ctx context.Context, c *candidate, class *class) (float64, error) {
	if c.next == nil && c.jump.count > 0 {
		c.next, _ = flow.NewSuccessor(c.topology())
	}
	if c.next != nil {
		load, ok := c.next.Evaluate(class.all())
		if !ok {
			return math.Inf(1), nil
		}
		return w.price(load, class), nil
	}
	routed, err := w.route(ctx, c.topology(), class)
	switch {
	case errors.Is(err, flow.ErrUnreachable):
		return math.Inf(1), nil
	case err != nil:
		return 0, err
	}
	return float64(routed.cost.Total()), nil
}

// routed is a step's demands on circuits: the routes of the base transfers if the
// circuits share the step's symmetry, else those of all transfers.
type routed struct {
	symmetric bool
	routes    [][]flow.Route
	cost      plan.StepCost
}

// route finds the routes of a step. With the policy "optimal" it takes the fastest
// of the policies: a maximum concurrent flow may use long ways round for a little
// bandwidth, which small messages do not repay.
func (w *workload) route(ctx context.Context, g *topology.Graph, class *class) (routed, error) {
	problem := flow.Problem{Graph: g, Demands: class.demands, Group: class.step.Group}
	symmetric := !class.step.Group.Trivial() && class.step.Group.Invariant(g)
	if !symmetric {
		problem.Demands, problem.Group = class.all(), topology.Translations{}
	}
	best := routed{symmetric: symmetric}
	total := units.Time(math.Inf(1))
	for _, policy := range w.policies(problem) {
		result, err := flow.Solve(ctx, problem, policy)
		if err != nil {
			return routed{}, err
		}
		if cost := plan.CostOf(w.fabric, result.Load, class.pair); cost.Total() < total {
			best.routes, best.cost, total = result.Routes, cost, cost.Total()
		}
		if result.Method == flow.MethodUnique {
			break // there is nothing to choose
		}
	}
	return best, nil
}

func (w *workload) policies(p flow.Problem) []flow.Policy {
	if w.fabric.Routing != flow.Optimal {
		return []flow.Policy{w.fabric.Routing}
	}
	return []flow.Policy{flow.Optimal, flow.ShortestSplit, flow.Shortest}
}
