package staged

import (
	"context"
	"math"

	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/planner/staged/pool"
	"github.com/lightpath-net/lightpath/planner/staged/pricing"
	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/units"
)

// This file keeps exact synthesis exact if the cost of a reconfiguration depends on which
// circuits change. The best schedule may then use topologies that are best for no interval,
// because few circuits change between them. So all topologies are enumerated, those that could be
// part of a schedule as good as the best known are added to the pool, and the pool is searched.

// lowest holds lower bounds on parts of a schedule, from the bounds on the intervals of its
// steps.
type lowest struct {
	wait   float64   // of any reconfiguration, at least
	before []float64 // per step: all steps before it, without the reconfiguration for it
	after  []float64 // per step: it and all steps after it, without the reconfiguration for it
}

// lowest computes the bounds by a dynamic program over where stages end. It reports false if some
// interval was not searched, or its search was cut short.
func (x *synthesiser) lowest() (lowest, bool) {
	steps := len(x.work.Steps)
	l := lowest{wait: float64(x.work.Fabric.LeastWait()), before: make([]float64, steps+1), after: make([]float64, steps+1)}
	for i := range steps {
		l.before[i+1], l.after[i] = math.Inf(1), math.Inf(1)
	}
	bound := func(i, j int) (float64, bool) {
		kind := x.found.Kind(pool.Span{First: i, Last: j})
		r := x.found.Results[kind]
		switch {
		case !x.found.Looked[kind] || r == nil && x.report.Spent:
			return 0, false // no topology exists, or the search did not find one
		case r == nil:
			return math.Inf(1), true // no topology carries the interval
		}
		return float64(r.Bound), true
	}
	for length := 1; length <= steps; length++ {
		for i := 0; i+length <= steps; i++ {
			if _, ok := bound(i, i+length-1); !ok {
				return l, false
			}
		}
	}
	for j := range steps {
		for i := 0; i <= j; i++ {
			b, _ := bound(i, j)
			l.before[j+1] = min(l.before[j+1], l.before[i]+l.change(i)+b)
		}
	}
	for i := steps - 1; i >= 0; i-- {
		for j := i; j < steps; j++ {
			b, _ := bound(i, j)
			after := l.after[j+1]
			if j+1 < steps {
				after += l.wait
			}
			l.after[i] = min(l.after[i], b+after)
		}
	}
	return l, true
}

// change is the least cost of the reconfiguration before a step. It is 0 for the first step,
// whose circuits may be up already.
func (l *lowest) change(step int) float64 {
	if step == 0 {
		return 0
	}
	return l.wait
}

// within reports whether a topology on which the steps have the given costs could be part
// of a schedule that takes no longer than a total.
func (l *lowest) within(costs []float64, total float64) bool {
	for i := range costs {
		sum := l.before[i] + l.change(i)
		for j := i; j < len(costs); j++ {
			if sum += costs[j]; sum > total {
				break
			}
			rest := l.after[j+1]
			if j+1 < len(costs) {
				rest += l.wait
			}
			if sum+rest <= total {
				return true
			}
		}
	}
	return false
}

// Limits of everyTopology. Every pair of kept topologies is compared for the cost of the change
// between them.
const (
	maxKept       = 1000
	checkEvery    = 256 // topologies between checks of the context
	perTopology   = 400 // work counted for each, per node and class of steps
	maxExhaustive = 16  // nodes; anything that takes reasonable time is far below
)

// everyTopology enumerates all topologies and adds those to the pool that could be part of a
// schedule as good as the best known. It reports whether it reached the end. Their number is
// exponential in nodes times ports: with one port 4 GPUs have 108, 6 have 6600.
func (x *synthesiser) everyTopology(ctx context.Context, l lowest) (done bool, err error) {
	f, w := x.work.Fabric, x.work
	if f.Nodes > maxExhaustive || f.Overlap.Kind == fabric.OverlapPorts || f.Overlap.Kind == fabric.OverlapCircuits {
		return false, nil
	}
	total := math.Inf(1)
	if x.best != nil {
		total = x.best.Total * (1 + provenTolerance)
	}
	kept, seen := 0, 0
	costs := make([]float64, len(w.Steps))
	look := func(g *topology.Graph) (bool, error) {
		if seen++; seen%checkEvery == 0 && ctx.Err() != nil {
			return false, ctx.Err()
		}
		work := int64(perTopology * f.Nodes * len(w.Classes))
		x.left, x.report.Effort = x.left-work, x.report.Effort+work
		if x.spent() {
			return false, nil
		}
		if f.Fits(g) != nil {
			return true, nil
		}
		c := pricing.GraphCandidate(g)
		for i := range costs {
			cost, _, err := w.Cost(ctx, c, w.ClassOf[i])
			if err != nil {
				return false, err
			}
			costs[i] = cost
		}
		if !l.within(costs, total) {
			return true, nil
		}
		x.pool.Add(c)
		kept++
		return kept <= maxKept, nil
	}
	done, err = each(f, look)
	x.report.Evaluations += seen
	return done, err
}

// each calls look for all topologies that the ports of a fabric allow, until look returns false
// or an error. It reports whether look saw all of them.
func each(f *fabric.Fabric, look func(*topology.Graph) (bool, error)) (bool, error) {
	n := f.Nodes
	out, in := make([]int, n), make([]int, n)
	if f.Duplex {
		in = out
	}
	var edges []topology.Edge
	var lay func(pair int) (bool, error)
	lay = func(pair int) (bool, error) {
		if pair == n*n {
			return look(topology.New(n, synthesisedName, append([]topology.Edge(nil), edges...)))
		}
		u, v := pair/n, pair%n
		if u == v || f.Duplex && u > v {
			return lay(pair + 1)
		}
		room, had := min(f.Ports-out[u], f.Ports-in[v]), len(edges)
		for count := 0; count <= room; count++ {
			edges = edges[:had]
			if count > 0 {
				edges = append(edges, topology.Edge{From: u, To: v, Count: count})
				if f.Duplex {
					edges = append(edges, topology.Edge{From: v, To: u, Count: count})
				}
			}
			out[u] += count
			in[v] += count
			more, err := lay(pair + 1)
			out[u] -= count
			in[v] -= count
			if err != nil || !more {
				return false, err
			}
		}
		edges = edges[:had]
		return true, nil
	}
	return lay(0)
}

// synthesisedName is the name of topologies found by enumeration.
const synthesisedName = "synthesised"

// prove reports what is known of the best schedule. It enumerates all topologies if that can tell
// more.
func (x *synthesiser) prove(ctx context.Context) error {
	l, ok := x.lowest()
	if !ok {
		return nil
	}
	f := x.work.Fabric
	bound := l.after[0]
	if f.Initial == fabric.InitialDark {
		bound += l.wait
	}
	if x.best != nil && x.best.Total > bound*(1+provenTolerance) {
		done, err := x.everyTopology(ctx, l)
		if err != nil {
			return err
		}
		if err := x.again(ctx); err != nil {
			return err
		}
		if done {
			bound = x.best.Total
		}
	}
	if x.best != nil {
		x.report.Bound = min(units.Time(bound), units.Time(x.best.Total))
		x.report.Proven = x.best.Total <= bound*(1+provenTolerance)
	}
	return nil
}

// provenTolerance is the relative gap between time and bound up to which a plan counts as
// optimal.
const provenTolerance = 1e-7
