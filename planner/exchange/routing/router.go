package routing

import (
	"context"
	"math"
	"slices"

	"github.com/lightpath-net/lightpath/planner/exchange/model"
)

// Settings of the router.
const (
	routerParts  = 4       // chunks of a pair are divided among so many trees of paths
	routerPasses = 12      // times that all trees are found again, at most
	routerFewest = 3       // and at least
	routerVisits = 1 << 22 // states looked at, if that is more than the fewest passes need
	routerEta    = 4.0     // how much dearer a circuit with the average load is than an idle one, as a power of e
)

// Router finds ways for any demand over given topologies, one after the other. A chunk
// moves over the circuits of a stage or waits for the next one. The slots of a stage are at
// least the largest load of a circuit, so that the loads of a stage should be even: within
// each stage, a circuit's price grows exponentially with its load, prices add up to the
// number of circuits, and ways are cheapest ways (the multiplicative weights of Young,
// Randomized Rounding without Solving the Linear Program, 1995). Chunks of one source share
// a tree of paths; trees are found again and again under the loads of all others, and the
// best state that was seen is kept.
//
// A pass takes O(n * n*d*(k + log(n*d))).
type Router struct {
	nodes  int
	stages [][][]int // circuits of each stage and port
	demand model.Demand
	relay  bool // chunks may use several stages
	parts  int
	loads  [][]int     // chunks over each circuit, numbered port*nodes+node, of each stage
	prices [][]float64 // of the circuits
	trees  []*cheapest // by source and part
}

func NewRouter(stages [][][]int, demand model.Demand, relay bool) *Router {
	n := demand.Nodes()
	r := &Router{nodes: n, stages: stages, demand: demand, relay: relay, parts: 1}
	for u := range n {
		for v := range n {
			r.parts = max(r.parts, min(routerParts, demand.Count(u, v)))
		}
	}
	for _, circuits := range stages {
		r.loads = append(r.loads, make([]int, len(circuits)*n))
		r.prices = append(r.prices, make([]float64, len(circuits)*n))
	}
	r.trees = make([]*cheapest, n*r.parts)
	return r
}

// part returns how many chunks of a pair belong to a part: those whose number has that
// remainder.
func (r *Router) part(u, v, part int) int {
	return (r.demand.Count(u, v) + r.parts - 1 - part) / r.parts
}

// Solve finds ways. All chunks must be able to reach their destinations.
func (r *Router) Solve(ctx context.Context) error {
	best := math.MaxInt
	var kept []*cheapest
	visits := len(r.trees) * r.nodes * len(r.stages)
	for range max(routerFewest, min(routerPasses, routerVisits/visits)) {
		for u := range r.nodes {
			if err := ctx.Err(); err != nil {
				return err
			}
			for part := range r.parts {
				r.reroute(u, part)
			}
		}
		if slots := r.slots(); slots < best {
			best, kept = slots, append(kept[:0], r.trees...)
		}
	}
	r.restore(kept)
	return nil
}

// restore makes trees the current ones.
func (r *Router) restore(trees []*cheapest) {
	for i := range r.loads {
		clear(r.loads[i])
	}
	r.trees = trees
	for i, t := range trees {
		r.carry(t, i/r.parts, i%r.parts, 1)
	}
}

// LeastHops returns the hops of all chunks on shortest ways. It returns false if some
// chunk cannot reach its destination.
func (r *Router) LeastHops() (hops int, ok bool) {
	for _, prices := range r.prices {
		for c := range prices {
			prices[c] = 1
		}
	}
	for u := range r.nodes {
		t := newCheapest(r, u)
		for v := range r.nodes {
			count := r.demand.Count(u, v)
			if count == 0 {
				continue
			}
			end := t.end(v)
			if end < 0 {
				return 0, false
			}
			hops += count * int(t.cost[end])
		}
	}
	return hops, true
}

// reroute finds the tree of a source and part again.
func (r *Router) reroute(u, part int) {
	i := u*r.parts + part
	if old := r.trees[i]; old != nil {
		r.carry(old, u, part, -1)
	}
	r.price()
	r.trees[i] = newCheapest(r, u)
	r.carry(r.trees[i], u, part, 1)
}

// carry adds the chunks of a part to the loads along a tree, or takes them away.
func (r *Router) carry(t *cheapest, u, part, sign int) {
	for v := range r.nodes {
		count := r.part(u, v, part)
		if count == 0 || u == v {
			continue
		}
		for state := t.end(v); state >= 0; state = t.before[state] {
			if c := t.circuit[state]; c >= 0 {
				r.loads[int(state)/r.nodes][c] += sign * count
			}
		}
	}
}

// price sets the prices under the loads.
func (r *Router) price() {
	for i, loads := range r.loads {
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
		for c, l := range loads {
			r.prices[i][c] = math.Exp(rate * float64(l-most))
			total += r.prices[i][c]
		}
		for c := range loads {
			r.prices[i][c] *= float64(len(loads)) / total
		}
	}
}

// slots returns the sum over stages of the largest load.
func (r *Router) slots() int {
	sum := 0
	for _, loads := range r.loads {
		most := 0
		for _, l := range loads {
			most = max(most, l)
		}
		sum += most
	}
	return sum
}

// way returns the hops of a chunk: stage and circuit of each.
func (r *Router) way(u, v, index int) []model.Leg {
	t := r.trees[u*r.parts+index%r.parts]
	var legs []model.Leg
	for state := t.end(v); state >= 0; state = t.before[state] {
		if c := t.circuit[state]; c >= 0 {
			legs = append(legs, model.Leg{Stage: state / int32(r.nodes), Port: c, Hops: 1})
		}
	}
	slices.Reverse(legs)
	return legs
}
