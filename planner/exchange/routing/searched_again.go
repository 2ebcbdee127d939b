package routing

import (
	"math"
	"slices"
)

// searches finds the cheapest ways from every node again and again, under prices that change
// little between two searches from a node. It remembers the order in which the last search
// reached the states. The new order is nearly the same, so that costs are found without a heap:
// a state that is visited too early is visited again. Costs and ways are those of cheapestFrom.
type searches struct {
	*Router
	next  [][]int32 // by stage, where the circuits of all ports of a node lead, node by node; or -1
	order [][]int32 // by source, states that it reaches, stage by stage, nearly by cost
	again []bool    // states whose circuits have not been looked at since they got cheaper

	sorted []int32 // working memory of sort
	part   []uint8 // working memory of sort
}

func newSearches(r *Router) *searches {
	x := &searches{Router: r, order: make([][]int32, r.nodes), again: make([]bool, len(r.cost))}
	for _, circuits := range r.stages {
		next := make([]int32, 0, len(circuits)*r.nodes)
		for u := range r.nodes {
			for _, to := range circuits {
				next = append(next, int32(to[u]))
			}
		}
		x.next = append(x.next, next)
	}
	return x
}

// from is cheapestFrom by the remembered order.
func (x *searches) from(u int) *cheapest {
	if x.order[u] != nil {
		x.costs(u)
		if t, ok := x.tree(u); ok {
			return t
		}
	}
	t := x.cheapestFrom(u)
	x.order[u] = append(x.order[u][:0], x.reached...)
	return t
}

// costs leaves the costs of all states in r.cost.
func (x *searches) costs(u int) {
	if x.order[u] == nil {
		x.cheapestFrom(u)
		x.order[u] = slices.Clone(x.reached)
		return
	}
	for s := range x.cost {
		x.cost[s] = math.Inf(1)
	}
	x.cost[u], x.again[u] = 0, true
	var before []int32 // states of the last stage
	for stage, here := range x.byStage(u) {
		for _, s := range before {
			if x.relay || int(s) == (stage-1)*x.nodes+u {
				x.cost[int(s)+x.nodes], x.again[int(s)+x.nodes] = x.cost[s], true
			}
		}
		for x.sweep(stage, here) {
		}
		x.sort(here)
		before = here
	}
}

// byStage yields the stages and the states that a source reaches in each.
func (x *searches) byStage(u int) func(yield func(int, []int32) bool) {
	return func(yield func(int, []int32) bool) {
		rest := x.order[u]
		for stage := range x.stages {
			end := 0
			for end < len(rest) && int(rest[end]) < (stage+1)*x.nodes {
				end++
			}
			if !yield(stage, rest[:end]) {
				return
			}
			rest = rest[end:]
		}
	}
}

// sweep looks at the circuits of all states of a stage that got cheaper, in order, and reports
// whether any other state got cheaper.
func (x *searches) sweep(stage int, here []int32) (more bool) {
	first, ports := stage*x.nodes, len(x.stages[stage])
	next, prices := x.next[stage], x.prices[stage]
	cost, again := x.cost[first:first+x.nodes], x.again[first:first+x.nodes]
	for _, s := range here {
		at := int(s) - first
		if !again[at] {
			continue
		}
		again[at] = false
		c := at
		for _, to := range next[at*ports : at*ports+ports] {
			if to >= 0 {
				if by := cost[at] + prices[c]; by < cost[to] {
					cost[to], again[to], more = by, true, true
				}
			}
			c += x.nodes
		}
	}
	return more
}

// costBuckets is the number of ranges of costs by which states are sorted.
const costBuckets = 256

// sort sorts states nearly by cost: by equal ranges up to the largest cost.
func (x *searches) sort(here []int32) {
	most := 0.0
	for _, s := range here {
		if x.cost[s] > most {
			most = x.cost[s]
		}
	}
	scale := 0.0
	if most > 0 {
		scale = (costBuckets - 1) / most
	}
	var end [costBuckets + 1]int32 // of the states of each range; first counts
	x.part = x.part[:0]
	for _, s := range here {
		part := uint8(x.cost[s] * scale)
		x.part = append(x.part, part)
		end[int(part)+1]++
	}
	for part := range costBuckets {
		end[part+1] += end[part]
	}
	x.sorted = append(x.sorted[:0], here...)
	for i, s := range x.sorted {
		here[end[x.part[i]]] = s
		end[x.part[i]]++
	}
}

// tree makes the tree of cheapest ways from the costs. A state is reached over a circuit that
// leads to it at its cost: of several, the one from the cheapest state, and the first of
// equals. If there is no such circuit, the state is reached by waiting. A circuit may cost so
// little that it adds nothing to the sum. It is taken if there is no other way. If there are
// several such circuits, it is not known which comes first, and tree reports false.
func (x *searches) tree(u int) (*cheapest, bool) {
	t := x.newCheapest()
	for stage, here := range x.byStage(u) {
		x.over(t, stage, here)
		for _, s := range here {
			several := x.again[s]
			x.again[s] = false
			if c := t.circuit[s]; c != none && x.cost[t.before[s]] < x.cost[s] {
				continue
			}
			if last := int(s) - x.nodes; t.circuit[s] == none || last >= 0 && x.cost[last] == x.cost[s] && (x.relay || last%x.nodes == u) {
				t.circuit[s], t.before[s] = -1, int32(last)
			} else if several {
				for _, s := range here {
					x.again[s] = false
				}
				return nil, false
			}
		}
	}
	t.before[u] = -1
	x.ends(t)
	return t, true
}

// none marks a state to which no circuit leads at its cost.
const none = -2

// over finds the circuits over which the states of a stage are reached at their costs. In
// x.again it marks the states to which several circuits lead that cost nothing.
func (x *searches) over(t *cheapest, stage int, here []int32) {
	for _, s := range here {
		t.circuit[s] = none
	}
	first, ports := stage*x.nodes, len(x.stages[stage])
	next, prices := x.next[stage], x.prices[stage]
	cost, circuit, before := x.cost[first:first+x.nodes], t.circuit[first:first+x.nodes], t.before[first:first+x.nodes]
	for _, s := range here {
		at := int(s) - first
		c := at
		for _, to := range next[at*ports : at*ports+ports] {
			if to >= 0 && cost[at]+prices[c] == cost[to] {
				known := visit{before[to], 0}
				if circuit[to] != none {
					known.cost = cost[int(known.state)-first]
				}
				switch {
				case circuit[to] == none:
					circuit[to], before[to] = int32(c), s
				case cost[at] == cost[to] && known.cost == cost[to]:
					x.again[first+int(to)] = true
				case (visit{s, cost[at]}).before(known):
					circuit[to], before[to] = int32(c), s
				}
			}
			c += x.nodes
		}
	}
}
