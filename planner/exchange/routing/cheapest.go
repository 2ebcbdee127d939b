package routing

import "math"

// cheapest is a tree of cheapest ways from one node. A state is a stage and a node.
type cheapest struct {
	before  []int32 // state before, or -1
	circuit []int32 // of the hop from there, or -1 for waiting
	best    []int32 // cheapest state of each node, the earliest stage of equals, or -1
}

// cheapestFrom finds the cheapest ways from a node by Dijkstra's algorithm. It leaves the costs
// of states in r.cost, and the states that it reaches in r.reached. With relay a chunk may pass
// to the next stage at any node, otherwise only at its source.
//
// Stages are searched one after the other, because no way leads back. A stage begins with the
// costs of the stage before, in ascending order, so that only nodes that a circuit makes
// cheaper go through the heap. Of ways that cost the same, one that ends with a circuit is
// preferred to one that ends with waiting: a search of all stages at once would find it first.
func (r *Router) cheapestFrom(u int) *cheapest {
	t := r.newCheapest()
	r.reached = r.reached[:0]
	for s := range r.cost {
		r.cost[s] = math.Inf(1)
	}
	r.order = append(r.order[:0], visit{state: int32(u)})
	r.cost[u], t.before[u], t.circuit[u] = 0, -1, -1
	for stage := range r.stages {
		if stage > 0 {
			r.wait(t, stage, u)
		}
		r.searchStage(t, stage)
		for _, v := range r.order {
			r.reached = append(r.reached, v.state)
		}
	}
	r.ends(t)
	return t
}

// newCheapest returns an empty tree.
func (r *Router) newCheapest() *cheapest {
	states := len(r.cost)
	numbers := make([]int32, 2*states+r.nodes)
	return &cheapest{before: numbers[:states:states], circuit: numbers[states : 2*states : 2*states], best: numbers[2*states:]}
}

// ends finds the cheapest state of every node.
func (r *Router) ends(t *cheapest) {
	for v := range t.best {
		t.best[v] = -1
		least := math.Inf(1)
		for s := v; s < len(r.cost); s += r.nodes {
			if r.cost[s] < least {
				t.best[v], least = int32(s), r.cost[s]
			}
		}
	}
}

// wait derives the initial costs of a stage from the costs of the stage before, whose nodes are
// in r.order by cost.
func (r *Router) wait(t *cheapest, stage, u int) {
	n, kept := r.nodes, r.order[:0]
	for _, v := range r.order {
		if !r.relay && int(v.state) != (stage-1)*n+u {
			continue
		}
		s := int(v.state) + n
		r.cost[s], t.before[s], t.circuit[s] = v.cost, v.state, -1
		kept = append(kept, visit{state: int32(s), cost: v.cost})
	}
	r.order = kept
}

// searchStage finds the cheapest ways within a stage from the nodes in r.order, and leaves all
// nodes that it reaches in r.order, by cost.
func (r *Router) searchStage(t *cheapest, stage int) {
	first := stage * r.nodes
	prices := r.prices[stage]
	q, done := r.queue[:0], r.done[:0]
	for next := 0; next < len(r.order) || len(q) > 0; {
		var v visit
		if len(q) == 0 || next < len(r.order) && r.order[next].before(q[0]) {
			v = r.order[next]
			next++
		} else {
			v = q.pop()
		}
		if v.cost > r.cost[v.state] {
			continue // a cheaper way was found, and done
		}
		done = append(done, v)
		at := int(v.state) - first
		for p, circuits := range r.stages[stage] {
			to := circuits[at]
			if to < 0 {
				continue
			}
			c := p*r.nodes + at
			s, cost := first+to, v.cost+prices[c]
			if cost < r.cost[s] || cost == r.cost[s] && cost > v.cost && t.circuit[s] < 0 && t.before[s] >= 0 {
				fresh := cost < r.cost[s]
				r.cost[s], t.before[s], t.circuit[s] = cost, v.state, int32(c)
				if fresh {
					q.push(visit{state: int32(s), cost: cost})
				}
			}
		}
	}
	r.queue, r.order, r.done = q, done, r.order
}

// visit is a state with the cost at which it was reached.
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
