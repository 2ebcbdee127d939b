package routing

import "math"

// cheapest is a tree of cheapest ways from one node. A state is a stage and a node.
type cheapest struct {
	before  []int32 // state before, or -1
	circuit []int32 // of the hop from there, or -1 for waiting
	best    []int32 // cheapest state of each node, the earliest stage of equals, or -1
}

// cheapestFrom finds the ways from a node by Dijkstra's algorithm, and leaves the costs of
// states in r.cost. With relay a chunk may pass to the next stage at any node, otherwise
// only at its source.
func (r *Router) cheapestFrom(u int) *cheapest {
	states := len(r.stages) * r.nodes
	t := &cheapest{before: make([]int32, states), circuit: make([]int32, states), best: make([]int32, r.nodes)}
	for s := range r.cost {
		r.cost[s] = math.Inf(1)
	}
	q := r.queue[:0]
	relax := func(to, from, circuit int, cost float64) {
		if cost < r.cost[to] {
			r.cost[to], t.before[to], t.circuit[to] = cost, int32(from), int32(circuit)
			q.push(visit{state: int32(to), cost: cost})
		}
	}
	relax(u, -1, -1, 0)
	for len(q) > 0 {
		v := q.pop()
		s := int(v.state)
		if v.cost > r.cost[s] {
			continue
		}
		stage, at := s/r.nodes, s%r.nodes
		if stage+1 < len(r.stages) && (r.relay || at == u) {
			relax(s+r.nodes, s, -1, v.cost)
		}
		for p, next := range r.stages[stage] {
			if to := next[at]; to >= 0 {
				c := p*r.nodes + at
				relax(stage*r.nodes+to, s, c, v.cost+r.prices[stage][c])
			}
		}
	}
	r.queue = q
	for v := range r.nodes {
		t.best[v] = -1
		least := math.Inf(1)
		for i := range r.stages {
			if s := i*r.nodes + v; r.cost[s] < least {
				t.best[v], least = int32(s), r.cost[s]
			}
		}
	}
	return t
}

// visit is a state with the cost with which it was reached.
type visit struct {
	state int32
	cost  float64
}

// before orders visits: the cheapest first, and the lower state among equals.
func (v visit) before(w visit) bool {
	return v.cost < w.cost || v.cost == w.cost && v.state < w.state
}

// visits is a binary heap with the first visit on top.
type visits []visit

func (q *visits) push(v visit) {
	*q = append(*q, v)
	list := *q
	for i := len(list) - 1; i > 0; {
		up := (i - 1) / 2
		if !list[i].before(list[up]) {
			return
		}
		list[i], list[up] = list[up], list[i]
		i = up
	}
}

func (q *visits) pop() visit {
	list := *q
	top, last := list[0], len(list)-1
	list[0] = list[last]
	list = list[:last]
	*q = list
	for i := 0; ; {
		down := 2*i + 1
		if down >= last {
			return top
		}
		if down+1 < last && list[down+1].before(list[down]) {
			down++
		}
		if !list[down].before(list[i]) {
			return top
		}
		list[i], list[down] = list[down], list[i]
		i = down
	}
}
