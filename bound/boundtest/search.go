package boundtest

import (
	"math"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/units"
)

// Problem is an operation among all GPUs of a fabric.
type Problem struct {
	Fabric *fabric.Fabric // cut-through, equal circuits, no islands
	Op     collective.Op
	Size   units.Bytes
}

// Answer is what was proven about the fastest plan.
type Answer struct {
	// No plan takes less than Lower. If Upper is finite, some plan takes that.
	Lower, Upper units.Time
	Steps        []int    // hops of each step
	Circuits     [][2]int // circuits that the plan uses
	Tried        int      // linear programs solved
}

// Ops lists the operations that Find supports.
var Ops = []collective.Op{
	collective.AllReduce, collective.AllGather, collective.ReduceScatter, collective.AllToAll, collective.Broadcast, collective.RootReduce,
}

// Find looks for the fastest plan below a limit: the time of a known plan, or +Inf. If none is
// below it, Lower is the limit and Upper +Inf: the known plan is the fastest.
//
// A reduce-scatter is an allgather on the reversed circuits in reversed order of steps, and a
// reduction likewise a broadcast. For an allreduce see sums.
func Find(p Problem, limit units.Time) Answer {
	if p.Op == collective.AllReduce {
		return findSum(p, limit)
	}
	s := search{
		alpha: float64(p.Fabric.Alpha.Time()), delta: float64(p.Fabric.Delta.Time()),
		whole: float64(p.Fabric.Bandwidth.Transmit(float64(p.Size))),
		best:  Answer{Lower: limit, Upper: units.Time(math.Inf(1))},
	}
	n := p.Fabric.Nodes
	for _, g := range graphs(n, p.Fabric.Ports, p.Fabric.Duplex) {
		if p.Op == collective.ReduceScatter || p.Op == collective.RootReduce {
			g = g.reversed()
		}
		for _, demands := range demandsOf(p.Op, n) {
			s.on(g, demands)
		}
	}
	if p.Op == collective.ReduceScatter || p.Op == collective.RootReduce {
		s.best.reverse()
	}
	return s.best
}

func (a *Answer) reverse() {
	for i, j := 0, len(a.Steps)-1; i < j; i, j = i+1, j-1 {
		a.Steps[i], a.Steps[j] = a.Steps[j], a.Steps[i]
	}
	for i, c := range a.Circuits {
		a.Circuits[i] = [2]int{c[1], c[0]}
	}
}

// demandsOf returns what must be spread, for each GPU that may be the root if the operation has
// one.
func demandsOf(op collective.Op, n int) [][]demand {
	all := uint(1)<<n - 1
	var list [][]demand
	switch op {
	case collective.Broadcast, collective.RootReduce:
		for u := range n {
			list = append(list, []demand{{u, all &^ (1 << u), 1}})
		}
	case collective.AllToAll:
		var pairs []demand
		for u := range n {
			for v := range n {
				if u != v {
					pairs = append(pairs, demand{u, 1 << v, 1 / float64(n)})
				}
			}
		}
		list = append(list, pairs)
	default:
		var shards []demand
		for u := range n {
			shards = append(shards, demand{u, all &^ (1 << u), 1 / float64(n)})
		}
		list = append(list, shards)
	}
	return list
}

// search goes through graphs and shapes.
type search struct {
	alpha, delta, whole float64
	best                Answer
}

// worth is the fraction of a time by which another must be below it to count as less.
const worth = 1e-6

// on tries all shapes on a graph: the hops of every step. It skips a shape if its start-ups and
// hops, and a lower bound on its load by some prices, take as long as the best so far.
func (s *search) on(g *graph, demands []demand) {
	bytes := leastBytes(g, demands)
	far := g.distances()
	need := 0
	for _, d := range demands {
		for v := range g.nodes {
			if d.targets>>v&1 == 1 {
				need = max(need, far[d.from][v])
			}
		}
	}
	var visit func(shape []int, sum int, latency float64)
	visit = func(shape []int, sum int, latency float64) {
		if latency+s.whole*bytes >= s.limit() {
			return
		}
		if sum >= need {
			s.try(&spreads{g: g, demands: demands, hops: shape}, latency)
		}
		if copies := demands[0].targets&(demands[0].targets-1) != 0; len(shape) > 0 && !copies {
			return // these steps merged have fewer start-ups, and no more on the busiest circuit
		}
		for h := 1; h < g.nodes; h++ {
			next := latency + s.alpha + s.delta*float64(h)
			if next+s.delta*float64(max(0, need-sum-h))+s.whole*bytes >= s.limit() {
				break
			}
			visit(append(shape[:len(shape):len(shape)], h), sum+h, next)
		}
	}
	visit(nil, 0, 0)
}

func (s *search) limit() float64 { return float64(s.best.Lower) * (1 - worth) }

// leastBytes returns what some GPU must send or receive, over its circuits.
func leastBytes(g *graph, demands []demand) float64 {
	most := 0.0
	for u := range g.nodes {
		out, in, sent, got := 0, 0, 0.0, 0.0
		for _, a := range g.arcs {
			if a.from == u {
				out += a.count
			}
			if a.to == u {
				in += a.count
			}
		}
		for _, d := range demands {
			if d.from == u {
				sent += d.amount
			} else if d.targets>>u&1 == 1 {
				got += d.amount
			}
		}
		most = max(most, sent/float64(out), got/float64(in))
	}
	return most
}

func (s *search) try(x *spreads, latency float64) {
	if latency+s.whole*x.floor(x.even()) >= s.limit() {
		return
	}
	for _, at := range x.sloped() {
		if latency+s.whole*x.floor(at) >= s.limit() {
			return
		}
	}
	s.best.Tried++
	lower, upper := x.load()
	if latency+s.whole*lower >= s.limit() {
		return
	}
	// Rounding and the program's perturbation separate the two by far less than worth.
	s.best.Lower, s.best.Upper = units.Time(latency+s.whole*lower), units.Time(latency+s.whole*upper)
	s.best.Steps = append([]int(nil), x.hops...)
	s.best.Circuits = nil
	for _, a := range x.g.arcs {
		for range a.count {
			s.best.Circuits = append(s.best.Circuits, [2]int{a.from, a.to})
		}
	}
}

// sloped returns prices that prove much if one GPU has all data: the root's circuits are
// expensive at first, those into the others at the end.
func (s *spreads) sloped() []prices {
	if len(s.demands) > 1 || len(s.hops) < 2 {
		return nil
	}
	root := s.demands[0].from
	var list []prices
	for _, kappa := range [...]float64{0.5, 0.8, 1} {
		at := make(prices, len(s.hops))
		for t := range at {
			q := kappa * float64(t) / float64(len(s.hops)-1)
			at[t] = make([]float64, len(s.g.arcs))
			for i, a := range s.g.arcs {
				if a.from == root {
					at[t][i] += 1 - q
				}
				if a.to != root {
					at[t][i] += q / float64(s.g.nodes-1)
				}
			}
		}
		list = append(list, at)
	}
	return list
}
