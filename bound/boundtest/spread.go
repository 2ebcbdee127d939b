package boundtest

import (
	"math"

	"github.com/lightpath-net/lightpath/lp"
)

// demand is data, in buffers, that one GPU has and a set of GPUs must get.
type demand struct {
	from    int
	targets uint // one bit each, without the GPU that has it
	amount  float64
}

// prices are prices of a unit of load, by step and arc.
type prices [][]float64

// journey is what a byte does: the arcs that it uses in each step, repeated as often as it uses
// them.
type journey [][]int

// spreads finds the fastest steps on one graph for given hops.
type spreads struct {
	g       *graph
	demands []demand
	hops    []int   // of the steps
	set     [][]int // by step and arc: the circuits that are up; nil: those of the graph in all steps
}

// circuits returns how many circuits of an arc are up in a step.
func (s *spreads) circuits(t, i int) float64 {
	if s.set == nil {
		return float64(s.g.arcs[i].count)
	}
	return float64(s.set[t][i])
}

// cheapest returns the least that a byte of a demand pays at these prices, and the journey with
// which it does.
//
// In a step, every GPU that gets the byte gets it by a separate path from a GPU that had it
// before the step, over no more arcs than the step has hops. So the cost of a step is a sum
// over the GPUs that get it, and the state between steps is the set of GPUs that have it:
// 2^(n-1) sets, and 3^(n-1) pairs of a set and a subset.
func (s *spreads) cheapest(d demand, at prices, how bool) (float64, journey) {
	n := s.g.nodes
	sets := 1 << n
	cost := make([]float64, sets)
	for i := range cost {
		cost[i] = math.Inf(1)
	}
	cost[1<<d.from] = 0
	came := make([][]int, len(s.hops)) // by step and set: the previous set
	ways := make([]nearest, len(s.hops))
	arrive := make([]float64, n)
	for t, h := range s.hops {
		ways[t] = s.ways(t, at[t], h)
		next := make([]float64, sets)
		came[t] = make([]int, sets)
		for i := range next {
			next[i] = math.Inf(1)
		}
		for set, paid := range cost {
			if math.IsInf(paid, 1) {
				continue
			}
			for v := range n {
				arrive[v] = math.Inf(1)
				for u := range n {
					if set>>u&1 == 1 {
						arrive[v] = min(arrive[v], ways[t].price[u][v])
					}
				}
			}
			rest := (sets - 1) &^ set
			for more := rest; ; more = (more - 1) & rest {
				sum := paid
				for v := range n {
					if more>>v&1 == 1 {
						sum += arrive[v]
					}
				}
				if to := set | more; sum < next[to] {
					next[to], came[t][to] = sum, set
				}
				if more == 0 {
					break
				}
			}
		}
		cost = next
	}
	best, end := math.Inf(1), 0
	for set, paid := range cost {
		if uint(set)&d.targets == d.targets && paid < best {
			best, end = paid, set
		}
	}
	if !how || math.IsInf(best, 1) {
		return best, nil
	}
	j := make(journey, len(s.hops))
	for t := len(s.hops) - 1; t >= 0; t-- {
		before := came[t][end]
		for v := range n {
			if (end&^before)>>v&1 == 0 {
				continue
			}
			source := -1
			for u := range n {
				if before>>u&1 == 1 && (source < 0 || ways[t].price[u][v] < ways[t].price[source][v]) {
					source = u
				}
			}
			j[t] = append(j[t], ways[t].arcs(s.g, source, v)...)
		}
		end = before
	}
	return best, j
}

// nearest has the cheapest paths of up to a number of hops between all nodes.
type nearest struct {
	price [][]float64 // of the paths with all hops
	last  [][][]int   // by hops, from and to: the last arc, -1 if the path has fewer hops
}

func (s *spreads) ways(t int, at []float64, hops int) nearest {
	n := s.g.nodes
	w := nearest{price: make([][]float64, n), last: make([][][]int, hops)}
	for u := range n {
		w.price[u] = make([]float64, n)
		for v := range n {
			if u != v {
				w.price[u][v] = math.Inf(1)
			}
		}
	}
	for h := range hops {
		w.last[h] = make([][]int, n)
		for u := range n {
			last, price := make([]int, n), append([]float64(nil), w.price[u]...)
			for v := range last {
				last[v] = -1
			}
			for i, a := range s.g.arcs {
				if sum := w.price[u][a.from] + at[i]; sum < price[a.to] && s.circuits(t, i) > 0 {
					price[a.to], last[a.to] = sum, i
				}
			}
			w.last[h][u], w.price[u] = last, price
		}
	}
	return w
}

func (w *nearest) arcs(g *graph, u, v int) []int {
	var list []int
	for h := len(w.last) - 1; h >= 0; h-- {
		if i := w.last[h][u][v]; i >= 0 {
			list = append(list, i)
			v = g.arcs[i].from
		}
	}
	return list
}

// floor returns a lower bound on the load of the steps at some prices. The prices of each step,
// weighted by circuits, are scaled to add up to 1, so that the load of the busiest circuit is
// at least what is paid.
func (s *spreads) floor(at prices) float64 {
	scaled := make(prices, len(at))
	for t := range at {
		sum := 0.0
		for i, p := range at[t] {
			sum += p * s.circuits(t, i)
		}
		scaled[t] = make([]float64, len(at[t]))
		for i, p := range at[t] {
			if sum > 0 {
				scaled[t][i] = max(0, p) / sum
			}
		}
	}
	total := 0.0
	for _, d := range s.demands {
		paid, _ := s.cheapest(d, scaled, false)
		total += paid * d.amount
	}
	return total
}

// even returns equal prices for all circuits.
func (s *spreads) even() prices {
	at := make(prices, len(s.hops))
	for t := range at {
		circuits := 0.0
		for i := range s.g.arcs {
			circuits += s.circuits(t, i)
		}
		at[t] = make([]float64, len(s.g.arcs))
		for i := range at[t] {
			at[t][i] = 1 / circuits
		}
	}
	return at
}

// tolerance is how far apart the two sides of a linear program may be: rounding and lp's
// perturbation are well below it.
const tolerance = 1e-7

// maxJourneys limits the journeys that a linear program tries.
const maxJourneys = 4000

// load returns the least sum, over the steps, of the busiest circuit's load, in buffers, as two
// numbers that differ by rounding: the first is proven by prices, the second reached by
// journeys.
//
// The linear program: journeys x of each demand add up to its amount. In each step, the
// journeys that use an arc add up to at most the load times its circuits. It is solved as a
// packing: how large a multiple of all demands fits into loads that add up to 1? Journeys are
// generated: the cheapest at the current prices enter until none gains.
func (s *spreads) load() (lower, upper float64) {
	steps, arcs := len(s.hops), len(s.g.arcs)
	row := func(t, i int) int { return t*arcs + i }
	budget := steps * arcs
	b := make([]float64, budget+1+len(s.demands))
	b[budget] = 1
	program := lp.NewPacking(b)
	var columns []lp.Column
	add := func(c lp.Column) *lp.Column {
		c.Number = len(columns)
		columns = append(columns, c)
		return &columns[len(columns)-1]
	}
	multiple := lp.Column{Weight: 1}
	for k, d := range s.demands {
		multiple.Add(budget+1+k, d.amount)
	}
	add(multiple)
	for t := range steps {
		c := lp.Column{}
		for i := range s.g.arcs {
			c.Add(row(t, i), -s.circuits(t, i))
		}
		c.Add(budget, 1)
		add(c)
	}
	at := s.even()
	lower, upper = s.floor(at), math.Inf(1)
	for len(columns) < maxJourneys && upper > lower*(1+tolerance) {
		entered := false
		for k, d := range s.demands {
			paid, j := s.cheapest(d, at, true)
			if math.IsInf(paid, 1) {
				return paid, paid
			}
			c := lp.Column{}
			c.Add(budget+1+k, -1)
			passes := map[int]float64{}
			for t := range j {
				for _, i := range j[t] {
					passes[row(t, i)]++
				}
			}
			for r := range budget {
				if passes[r] > 0 {
					c.Add(r, passes[r])
				}
			}
			if len(columns) <= steps+len(s.demands) || program.Gain(&c) > 1e-10 {
				add(c)
				entered = true
			}
		}
		if !entered {
			break
		}
		program.Optimise(columns)
		for number, value := range program.Values() {
			if number == 0 && value > 0 {
				upper = 1 / value
			}
		}
		at = make(prices, steps)
		for t := range at {
			at[t] = make([]float64, arcs)
			for i := range at[t] {
				at[t][i] = max(0, program.Prices[row(t, i)])
			}
		}
		// The budget's price is the value of a load of 1: that of each step's circuits together.
		worth := program.Prices[budget]
		if worth > 0 {
			for t := range at {
				for i := range at[t] {
					at[t][i] /= worth
				}
			}
			lower = max(lower, s.floor(at))
		}
	}
	return lower, upper
}
