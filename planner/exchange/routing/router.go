package routing

import (
	"context"
	"math"
	"slices"

	"github.com/lightpath-net/lightpath/planner/exchange/model"
)

// Settings of the router.
const (
	routerParts  = 4       // maximum number of trees among which a pair is divided
	routerTrees  = 256     // maximum number of trees in total, unless there are more nodes
	routerPasses = 12      // maximum number of passes; each finds all trees again
	routerFewest = 3       // minimum number of passes
	routerVisits = 1 << 21 // states to visit, unless the minimum number of passes needs more
	// A circuit with the average load costs e to the power of routerEta times as much as an idle
	// one.
	routerEta = 4.0
	// routerClose ends the search: once the slots are at most this many times the bound, another
	// pass is not worth it.
	routerClose = 1.002
)

// Router finds routes for any demand over a given sequence of topologies. A chunk moves over the
// circuits of a stage or waits for the next stage. A stage takes at least as many slots as the
// largest load of a circuit, so the loads of a stage should be even. Therefore, within each
// stage, a circuit's price grows exponentially with its load, prices add up to the number of
// circuits, and chunks take the cheapest routes (the multiplicative weights of Young, Randomized
// Rounding without Solving the Linear Program, 1995). Chunks of one source share a tree of
// routes. The router finds each tree again and again under the loads of all others, and keeps
// the best state that it sees.
//
// For any prices that add up to 1 in every stage, the sum of the amounts times the prices of
// their cheapest routes is a lower bound on the sum over stages of the largest load: no route is
// cheaper, and the traffic of a stage costs at most the largest load times 1. This is the dual
// of the linear program, and it tells when to stop.
//
// A pass takes O(n * n*d*(k + log(n*d))).
type Router struct {
	// Least is a lower bound on the slots of any routes.
	Least int
	// Hop is the number of slots that each additional hop in a stage costs.
	Hop float64

	nodes, ports int
	stages       [][][]int // circuits of each stage and port
	demand       model.Demand
	relay        bool // chunks may use several stages
	parts        int
	loads        [][]int     // chunks over each circuit, numbered port*nodes+node, of each stage
	prices       [][]float64 // of the circuits
	stale        []bool      // stages whose loads changed after their last pricing
	trees        []*cheapest // by source and part
	cost         []float64   // of the states of the tree in progress
	queue        visits
	order, done  []visit // states of a stage by cost: at its start, and reached so far
	reached      []int32 // states of all stages, stage by stage, in ascending order of cost
}

// NewRouter returns a Router for topologies with at most k ports.
func NewRouter(stages [][][]int, ports int, demand model.Demand, relay bool) *Router {
	n := demand.Nodes()
	r := &Router{nodes: n, ports: ports, stages: stages, demand: demand, relay: relay, parts: 1, cost: make([]float64, n*len(stages))}
	for u := range n {
		for v := range n {
			r.parts = max(r.parts, min(routerParts, routerTrees/n, demand.Count(u, v)))
		}
	}
	for _, circuits := range stages {
		r.loads = append(r.loads, make([]int, len(circuits)*n))
		r.prices = append(r.prices, make([]float64, len(circuits)*n))
	}
	r.stale = make([]bool, len(stages))
	r.trees = make([]*cheapest, n*r.parts)
	return r
}

// part returns the number of chunks of a pair that belong to a part: the chunks whose number
// modulo r.parts is part.
func (r *Router) part(u, v, part int) int {
	return (r.demand.Count(u, v) + r.parts - 1 - part) / r.parts
}

// Solve finds routes. It returns nil if some chunk cannot reach its destination, or as soon as a
// lower bound on the slots is not worth it.
func (r *Router) Solve(ctx context.Context, worth func(slots int) bool) (*Flows, error) {
	r.equalPrices()
	bound, ok, err := r.bound(ctx)
	if err != nil || !ok || !worth(bound) {
		return nil, err
	}
	best := math.MaxInt
	var kept []*cheapest
	visits := len(r.trees) * r.nodes * len(r.stages)
	for pass := range max(routerFewest, min(routerPasses, routerVisits/visits)) {
		for u := range r.nodes {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			for part := range r.parts {
				r.reroute(u, part)
			}
		}
		if slots := mostLoaded(r.loads); slots < best {
			best, kept = slots, append(kept[:0], r.trees...)
		}
		if float64(best) <= routerClose*float64(bound) {
			break
		}
		if pass%routerFewest == 0 {
			r.price()
			less, _, err := r.bound(ctx)
			if err != nil {
				return nil, err
			}
			if bound = max(bound, less); !worth(bound) {
				return nil, nil
			}
		}
	}
	return r.flows(kept), nil
}

// equalPrices makes all circuits cost the same.
func (r *Router) equalPrices() {
	for i, prices := range r.prices {
		r.stale[i] = true
		for c := range prices {
			prices[c] = 1
		}
	}
}

// bound returns the lower bound on the slots that follows from the current prices. It returns
// false if some chunk cannot reach its destination.
func (r *Router) bound(ctx context.Context) (slots int, ok bool, err error) {
	slots, _, ok, err = r.boundBy(ctx, func(u int) { r.cheapestFrom(u) })
	return slots, ok, err
}

// boundBy is bound with a given search, which leaves the costs of states in r.cost. It also
// returns the largest cost of a chunk's route.
func (r *Router) boundBy(ctx context.Context, search func(u int)) (slots int, farthest float64, ok bool, err error) {
	// Prices add up to the number of circuits of a stage, which is n*k at most.
	sum := 0.0
	for u := range r.nodes {
		if err := ctx.Err(); err != nil {
			return 0, 0, false, err
		}
		search(u)
		for v := range r.nodes {
			count := r.demand.Count(u, v)
			if count == 0 {
				continue
			}
			least := math.Inf(1)
			for s := v; s < len(r.cost); s += r.nodes {
				if r.cost[s] < least {
					least = r.cost[s]
				}
			}
			if math.IsInf(least, 1) {
				return 0, 0, false, nil
			}
			sum += float64(count) * least
			farthest = max(farthest, least)
		}
	}
	// Rounded down: circuits between the same nodes may share what they carry.
	return int(sum / float64(r.nodes*r.ports) * (1 - 1e-12)), farthest, true, nil
}

// reroute finds the tree of a source and part again.
func (r *Router) reroute(u, part int) {
	i := u*r.parts + part
	if old := r.trees[i]; old != nil {
		r.carry(old, u, part, -1)
	}
	r.price()
	r.trees[i] = r.cheapestFrom(u)
	r.carry(r.trees[i], u, part, 1)
}

// carry adds the chunks of a part to the loads along a tree or, with sign -1, takes them away.
func (r *Router) carry(t *cheapest, u, part, sign int) {
	for v := range r.nodes {
		count := r.part(u, v, part)
		if count == 0 || u == v {
			continue
		}
		for state := t.best[v]; state >= 0; state = t.before[state] {
			if c := t.circuit[state]; c >= 0 {
				stage := int(state) / r.nodes
				r.loads[stage][c] += sign * count
				r.stale[stage] = true
			}
		}
	}
}

// price sets the prices from the loads.
func (r *Router) price() {
	for i, loads := range r.loads {
		if !r.stale[i] {
			continue
		}
		r.stale[i] = false
		sum, most := 0, 0
		for _, l := range loads {
			sum += l
			most = max(most, l)
		}
		rate := 0.0
		if sum > 0 {
			rate = routerEta * float64(len(loads)) / float64(sum)
		}
		total := 0.0
		prices := r.prices[i]
		last, price := most, 1.0 // many circuits have the same load as the previous one
		for c, l := range loads {
			if l != last {
				last, price = l, math.Exp(rate*float64(l-most))
			}
			prices[c] = price
			total += price
		}
		for c := range prices {
			prices[c] *= float64(len(loads)) / total
		}
	}
}

// flows returns the routes along trees.
func (r *Router) flows(trees []*cheapest) *Flows {
	f := &Flows{Nodes: r.nodes, Ports: r.ports, Stages: r.stages}
	for u := range r.nodes {
		for v := range r.nodes {
			for part := range r.parts {
				if amount := r.part(u, v, part); amount > 0 && u != v {
					hops := trees[u*r.parts+part].way(v, r.nodes)
					f.Parts = append(f.Parts, Part{Src: int32(u), Dst: int32(v), Amount: amount, Hops: hops})
				}
			}
		}
	}
	return f
}

// way returns the hops to a node.
func (t *cheapest) way(v, nodes int) []model.Leg { return t.appendWay(nil, v, nodes) }

// appendWay appends the hops to a node to an empty list.
func (t *cheapest) appendWay(legs []model.Leg, v, nodes int) []model.Leg {
	for state := t.best[v]; state >= 0; state = t.before[state] {
		if c := t.circuit[state]; c >= 0 {
			legs = append(legs, model.Leg{Stage: state / int32(nodes), Port: c, Hops: 1})
		}
	}
	slices.Reverse(legs)
	return legs
}

// legMemory stores many routes together, in blocks of thousands of legs.
type legMemory []model.Leg

// keptLegs is the capacity of a block in legs.
const keptLegs = 1 << 12

func (m *legMemory) keep(legs []model.Leg) []model.Leg {
	if cap(*m)-len(*m) < len(legs) {
		*m = make(legMemory, 0, max(keptLegs, len(legs)))
	}
	first := len(*m)
	*m = append(*m, legs...)
	return (*m)[first:len(*m):len(*m)]
}
