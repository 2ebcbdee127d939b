package exchange

import (
	"context"
	"math"
	"slices"

	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/exchange/routing"
	"github.com/lightpath-net/lightpath/planner/exchange/strategy"
	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/units"
)

// priced is a way to do the exchange with the time of its plan.
type priced struct {
	strategy string
	route    strategy.Route
	time     units.Time
}

// exactNodes is the largest number of nodes for which the search for an uneven demand is
// complete. With more nodes, candidates that can gain less than leastGain of the time are not
// looked at: with much to send, divisions into matchings come that close to the bound, and ways
// over fewer topologies take long to find.
const exactNodes, leastGain = 16, 0.005

// cutThrough returns the fastest plan on a fabric that cuts through.
func (t *task) cutThrough(ctx context.Context) (*plan.Plan, error) {
	demand, unit, err := t.amounts()
	if err != nil {
		return nil, err
	}
	p := t.problem(demand, unit)
	p.Fluid = true
	f := &t.request.Fabric
	finalists := shortlist{most: t.finalists()}
	if finalists.most < manyFinalists { // those have other routes in the end, with fewer hops
		p.Hop = float64(f.Delta.Time()) / p.T
	}
	stage := f.Alpha.Time() + f.Delta.Time()
	best := units.Time(math.Inf(1)) // by the routes of strategies
	slack := units.Time(tie)
	if t.sizes != nil && t.nodes > exactNodes {
		slack = leastGain
	}
	over := false // something was left out because of the limit
	least := func(charges units.Time, stages, slots int) bool {
		floor := max(charges+units.Time(stages)*stage+f.Bandwidth.Transmit(float64(slots)*unit/float64(t.copies)), t.waits(stages))
		if t.request.Beyond(floor) != nil {
			over = true
			return false
		}
		return floor*(1+slack) < best
	}
	worth := func(stages, slots int) bool { return least(t.charges(stages), stages, slots) }
	if f.Overlap.Kind == fabric.OverlapCircuits {
		p.Circuits = func(stages [][][]int) func(int) bool {
			charges := t.charges(len(stages)) + units.Time(changed(stages))*(f.WaitFor(f.Reconfig.Least())-f.LeastBarrier())
			return func(slots int) bool { return least(charges, len(stages), slots) }
		}
	}
	take := func(c *strategy.Candidate, route strategy.Route) error {
		time, ok, err := t.price(ctx, route, unit)
		if err != nil {
			return err
		}
		if !ok {
			return nil
		}
		finalists.add(priced{strategy: c.Strategy, route: route, time: time})
		if time*(1+tie) < best {
			best = time
			t.request.Say("exchange: %v with strategy %s, topologies: %d", time, c.Strategy, c.Stages)
		}
		return nil
	}
	err = strategy.Search(ctx, p, worth, func(c *strategy.Candidate) error {
		route, err := c.Route(ctx)
		if err != nil {
			return err
		}
		if err := take(c, route); err != nil {
			return err
		}
		again, err := t.rerouted(ctx, c, route.Ways, demand, func(slots int) bool { return worth(c.Stages, slots) })
		if err != nil || again == nil {
			return err
		}
		return take(c, strategy.Route{Flows: again})
	})
	if err != nil {
		return nil, err
	}
	switch none := math.IsInf(float64(best), 1); {
	case none && !over:
		return nil, t.infeasible(p)
	case none:
		return nil, &planner.Beyond{Least: t.request.Limit}
	}
	return t.fastestOf(ctx, finalists.list)
}

// changed counts the stages that have no circuit of the stage before. Nothing can be sent while
// the circuits of such a stage are set up, even if circuits that stay may be used meanwhile.
func changed(stages [][][]int) int {
	count := 0
	for i := 1; i < len(stages); i++ {
		stays := false
		for _, next := range stages[i] {
			for u, v := range next {
				if v >= 0 && slices.ContainsFunc(stages[i-1], func(before []int) bool { return before[u] == v }) {
					stays = true
				}
			}
		}
		if !stays {
			count++
		}
	}
	return count
}

// price returns the time of the plan that a route makes. It returns false if the switches
// cannot set up the route, or if two consecutive stages have the same circuits: one stage would
// be better, and the plan would have fewer topologies than the route. If the plan is not
// needed, the time is computed from loads; it is the same (TestPricesAreThoseOfPlans).
func (t *task) price(ctx context.Context, route strategy.Route, unit float64) (time units.Time, ok bool, err error) {
	f := &t.request.Fabric
	if same := repeats(route); same || !t.settable(route) {
		return 0, false, nil
	}
	if _, uniform := f.UniformWait(); !uniform || f.CapTheta {
		made, err := t.whole(ctx, route, "")
		if err != nil {
			return 0, false, err
		}
		err = made.PriceContext(ctx)
		return made.Cost.Total(), true, err
	}
	loads := stageLoads(route)
	up, err := f.InitialTopology()
	if err != nil {
		return 0, false, err
	}
	changes := len(loads) - 1
	if up != nil && !up.Equal(t.topology(route, 0)) {
		changes++
	}
	time = units.Time(changes) * f.LeastBarrier()
	for _, l := range loads {
		bytes := l.most * unit
		if route.Ways != nil {
			bytes = l.most * t.pair
		}
		time += f.Alpha.Time() + units.Time(l.hops)*f.Delta.Time() + f.Bandwidth.Transmit(bytes/float64(t.copies))
	}
	return time, true, nil
}

// settable reports whether the switches can set up every stage of a route.
func (t *task) settable(route strategy.Route) bool {
	f := &t.request.Fabric
	if !f.Restricts() {
		return true
	}
	stages := 0
	if route.Ways != nil {
		stages = len(route.Ways.Generators)
	} else {
		stages = len(route.Flows.Stages)
	}
	for i := range stages {
		if f.Fits(t.topology(route, i)) != nil {
			return false
		}
	}
	return true
}

// stageLoad is what determines the time of a stage on a fabric that cuts through.
type stageLoad struct {
	hops int     // of the longest way within the stage
	most float64 // load of the busiest circuit: chunks of Ways, units of Flows
}

// stageLoads returns the stageLoad of every stage. Circuits between the same nodes share their
// loads.
func stageLoads(r strategy.Route) []stageLoad {
	if r.Ways != nil {
		return wayLoads(r.Ways)
	}
	f := r.Flows
	out := make([]stageLoad, len(f.Stages))
	for i, most := range f.Busiest() {
		out[i].most = most
	}
	for _, part := range f.Parts {
		hops := 0
		for h, leg := range part.Hops {
			if hops++; h > 0 && part.Hops[h-1].Stage != leg.Stage {
				hops = 1
			}
			out[leg.Stage].hops = max(out[leg.Stage].hops, hops)
		}
	}
	return out
}

func wayLoads(w *routing.Ways) []stageLoad {
	_, longest := w.Loads()
	out := make([]stageLoad, len(longest))
	for i, most := range w.Busiest() {
		out[i] = stageLoad{hops: longest[i], most: most}
	}
	return out
}

// repeats reports whether two consecutive stages have the same circuits.
func repeats(r strategy.Route) bool {
	if w := r.Ways; w != nil {
		for i := 1; i < len(w.Generators); i++ {
			if slices.Equal(slices.Sorted(slices.Values(w.Generators[i-1])), slices.Sorted(slices.Values(w.Generators[i]))) {
				return true
			}
		}
		return false
	}
	f := r.Flows
	targets := func(i, u int) []int {
		var list []int
		for _, next := range f.Stages[i] {
			if next[u] >= 0 {
				list = append(list, next[u])
			}
		}
		slices.Sort(list)
		return list
	}
	for i := 1; i < len(f.Stages); i++ {
		same := true
		for u := 0; u < f.Nodes && same; u++ {
			same = slices.Equal(targets(i-1, u), targets(i, u))
		}
		if same {
			return true
		}
	}
	return false
}

// topology returns the circuits of a stage of a route, between GPUs.
func (t *task) topology(r strategy.Route, stage int) *topology.Graph {
	n := t.request.Fabric.Nodes
	if r.Ways != nil && t.members == nil && r.Ways.Group.Q == 1 {
		return topology.DirectedCirculant(n, slices.Repeat(r.Ways.Generators[stage], t.copies)...)
	}
	var circuits [][]int
	if r.Ways != nil {
		circuits = r.Ways.Circuits(r.Ways.Generators[stage])
	} else {
		circuits = r.Flows.Stages[stage]
	}
	return t.graph(circuits, stage)
}

// graph returns circuits between members as a topology, named by its expression if it has one.
func (t *task) graph(circuits [][]int, stage int) *topology.Graph {
	n := t.request.Fabric.Nodes
	var edges []topology.Edge
	for _, next := range circuits {
		for u, v := range next {
			if v >= 0 {
				edges = append(edges, topology.Edge{From: t.gpu(u), To: t.gpu(v), Count: t.copies})
			}
		}
	}
	g := topology.New(n, stageName(stage), edges)
	if jumps, ok := g.Jumps(); ok {
		return topology.DirectedCirculant(n, jumps...)
	}
	return g
}
