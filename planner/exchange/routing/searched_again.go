package routing

import "math"

// searches finds the cheapest ways from every node again and again, under prices that change
// little between two searches from a node. It remembers the order in which the last search
// reached the states. The new order is nearly the same, so that costs are found without a heap:
// a state that is visited too early is visited again. Costs and ways are those of cheapestFrom,
// in whatever order the states are visited.
type searches struct {
	*Router
	next    [][]int32 // by stage, where the circuits of all ports of a node lead, node by node; or -1
	order   [][]int32 // by source, states that it reaches, stage by stage, nearly by cost
	again   []bool    // states whose circuits have not been looked at since they got cheaper
	several []bool    // states to which several circuits lead that cost nothing
	unused  *cheapest // tree of a search for costs

	sorted []int32 // working memory of sort
	part   []uint8 // working memory of sort
}

func newSearches(r *Router) *searches {
	states := len(r.cost)
	x := &searches{Router: r, order: make([][]int32, r.nodes), again: make([]bool, states), several: make([]bool, states), unused: r.newCheapest()}
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
	t := x.newCheapest()
	x.search(u, t)
	if !x.settle(u, t) {
		return x.cheapestFrom(u)
	}
	x.ends(t)
	return t
}

// costs leaves the costs of all states in r.cost.
func (x *searches) costs(u int) { x.search(u, x.unused) }

// mostAgain is the share of the states of a stage that may be visited again before its states are
// sorted anew.
const mostAgain = 1.0 / 4

// search leaves the costs of all states in r.cost and, for every state that a circuit makes
// cheapest, the circuit in the tree: of several that cost the same, the one from the cheapest
// state, and the first of equals.
func (x *searches) search(u int, t *cheapest) {
	if x.order[u] == nil {
		x.order[u] = x.reach(u)
	}
	for s := range x.cost {
		x.cost[s] = math.Inf(1)
	}
	x.cost[u], x.again[u] = 0, true
	pending := 1
	var before []int32 // states of the last stage
	for stage, here := range x.byStage(u) {
		for _, s := range here {
			t.circuit[s] = none
		}
		for _, s := range before {
			if x.relay || int(s) == (stage-1)*x.nodes+u {
				x.cost[int(s)+x.nodes], x.again[int(s)+x.nodes] = x.cost[s], true
				pending++
			}
		}
		visits := 0
		for pending > 0 {
			visited, cheaper := x.sweep(t, stage, here)
			visits += visited
			pending += cheaper - visited
		}
		if float64(visits) > (1+mostAgain)*float64(len(here)) {
			x.sort(here)
		}
		before = here
	}
}

// reach returns the states that a source reaches: stage by stage, those that are reached by
// waiting before those that circuits lead to.
func (x *searches) reach(u int) []int32 {
	var all []int32
	seen := make([]bool, len(x.cost))
	first := 0 // of the last stage
	for stage := range x.stages {
		begin := len(all)
		for _, s := range all[first:begin] {
			if x.relay || int(s) == (stage-1)*x.nodes+u {
				all = append(all, s+int32(x.nodes))
				seen[int(s)+x.nodes] = true
			}
		}
		if stage == 0 {
			all = append(all, int32(u))
			seen[u] = true
		}
		ports := len(x.stages[stage])
		for i := begin; i < len(all); i++ {
			at := int(all[i]) - stage*x.nodes
			for _, to := range x.next[stage][at*ports : at*ports+ports] {
				if s := stage*x.nodes + int(to); to >= 0 && !seen[s] {
					seen[s] = true
					all = append(all, int32(s))
				}
			}
		}
		first = begin
	}
	return all
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

// sweep looks at the circuits of all states of a stage that got cheaper, in order. It returns how
// many there were, and how many more there are since.
func (x *searches) sweep(t *cheapest, stage int, here []int32) (visited, cheaper int) {
	first, ports := stage*x.nodes, len(x.stages[stage])
	next, prices := x.next[stage], x.prices[stage]
	cost, again, several := x.cost[first:first+x.nodes], x.again[first:first+x.nodes], x.several[first:first+x.nodes]
	circuit, before := t.circuit[first:first+x.nodes], t.before[first:first+x.nodes]
	for _, s := range here {
		at := int(s) - first
		if !again[at] {
			continue
		}
		again[at] = false
		visited++
		own, c := cost[at], at
		for _, to := range next[at*ports : at*ports+ports] {
			if to >= 0 {
				if by := own + prices[c]; by < cost[to] {
					if !again[to] {
						again[to] = true
						cheaper++
					}
					cost[to], several[to] = by, false
					circuit[to], before[to] = int32(c), s
				} else if by == cost[to] {
					x.asCheap(t, first, int(to), s, int32(c))
				}
			}
			c += x.nodes
		}
	}
	return visited, cheaper
}

// asCheap decides between the circuit by which a state is reached and another one from state s at
// the same cost. A state that gets cheaper later is looked at again, and then decides again.
func (x *searches) asCheap(t *cheapest, first, to int, s, c int32) {
	to += first
	known := t.circuit[to]
	if known == none {
		t.circuit[to], t.before[to], x.several[to] = c, s, false
		return
	}
	last := t.before[to]
	switch {
	case x.cost[s] == x.cost[to] && x.cost[last] == x.cost[to]:
		x.several[to] = x.several[to] || last != s || known != c
	case (visit{s, x.cost[s]}).before(visit{last, x.cost[last]}) || last == s && c < known:
		t.circuit[to], t.before[to] = c, s
	}
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

// settle completes the tree of a search. A state is reached by waiting if no circuit leads to it
// at its cost, or none that costs anything and waiting costs the same. A circuit may cost so little
// that it adds nothing to the sum. It is taken if there is no other way. If there are several such
// circuits, it is not known which comes first, and settle reports false.
func (x *searches) settle(u int, t *cheapest) bool {
	for _, s := range x.order[u] {
		if c := t.circuit[s]; c != none && x.cost[t.before[s]] < x.cost[s] {
			continue
		}
		if last := int(s) - x.nodes; t.circuit[s] == none || last >= 0 && x.cost[last] == x.cost[s] && (x.relay || last%x.nodes == u) {
			t.circuit[s], t.before[s] = -1, int32(last)
		} else if x.several[s] {
			return false
		}
	}
	t.before[u] = -1
	return true
}

// none marks a state to which no circuit leads at its cost.
const none = -2
