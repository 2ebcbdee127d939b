package synthesis

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/lightpath-net/lightpath/units"
)

// maxExactNodes is the number of nodes up to which Exact works: sets of nodes are words
// of 64 bits. What can be proven in reasonable time is far below.
const maxExactNodes = 64

// Exact finds the optimal topology and proves it, or, when the context ends before, the
// best one found and a bound.
func Exact(ctx context.Context, p Problem, opt Options) (*Result, error) {
	iv, err := newInterval(p)
	if err != nil {
		return nil, err
	}
	if iv.Nodes > maxExactNodes {
		return nil, fmt.Errorf("%w: %d nodes, Exact takes at most %d", ErrProblem, iv.Nodes, maxExactNodes)
	}
	x := newExact(ctx, iv, opt)
	if err := x.warmUp(); err != nil {
		return nil, err
	}
	x.prove()
	return x.result()
}

// warmEffort is the number of topologies that are tried before the search tree: a good
// one cuts most of it off.
const warmEffort = 200

// exact is a run of Exact.
type exact struct {
	*tree
	ctx     context.Context
	opt     Options
	auts    [][]int
	count   counted
	bound   units.Time
	tried   int
	elapsed bool
}

func newExact(ctx context.Context, iv *interval, opt Options) *exact {
	x := &exact{ctx: ctx, opt: opt, count: iv.count()}
	identity := make([]int, iv.Nodes)
	for u := range identity {
		identity[u] = u
	}
	automorphisms := [][]int{identity}
	if iv.monotone() { // otherwise routers may treat images differently
		automorphisms = iv.automorphisms()
	}
	x.bound = x.count.time
	x.auts = automorphisms
	x.tree = newTree(ctx, iv, x.count.bytes, automorphisms)
	x.tree.report = x.progress
	return x
}

// progress tells the caller.
func (x *exact) progress() {
	if x.opt.Progress != nil {
		p := Progress{Cost: units.Time(inf), Bound: x.bound, Evaluations: x.tried + x.visited}
		if x.best != nil {
			p.Cost = x.best.cost
		}
		x.opt.Progress(p)
	}
}

// warmUp finds a good topology, solves the relaxation, and learns the cuts of both.
func (x *exact) warmUp() error {
	iv := x.iv
	if iv.Ports > 1 {
		r := newRelaxation(iv, arcsUnder(iv.Nodes, x.auts), x.count.bytes)
		r.run(x.ctx)
		x.bound = max(x.bound, x.count.over(iv, r.bound))
		for _, l := range x.levels {
			solver := newConcurrent(r.arcs, r.arcs.commodities(iv.classes[l.class].all()), l.to)
			if len(solver.demands) == 0 {
				continue
			}
			for _, point := range r.points {
				_, tight, ok := solver.solve(point)
				if !ok {
					continue
				}
				length := make([]float64, x.n*x.n)
				for e, o := range r.arcs.class {
					if o >= 0 {
						length[e] = tight.length[o]
					}
				}
				l.add(iv, length, nil)
			}
		}
	}
	s := newSeeker(x.ctx, iv, Options{Effort: warmEffort}, x.bound)
	if err := s.run(nil); err != nil {
		return err
	}
	x.tried = s.tried
	if s.best != nil {
		x.keep(s.best)
		for _, e := range s.kept {
			if iv.Ports > 1 {
				x.learnFrom(e)
			}
		}
	}
	return nil
}

// learnFrom adds the cuts of a topology.
func (x *exact) learnFrom(e *priced) {
	capacity := make([]float64, 0, x.n*x.n)
	for u := range x.n {
		for v := range x.n {
			if u != v {
				capacity = append(capacity, float64(e.graph.Count(u, v)))
			}
		}
	}
	for _, l := range x.levels {
		if len(l.solver.demands) > 0 {
			x.learn(l, capacity)
		}
	}
}

// frontier is how many beginnings of topologies are put in order of their bounds before
// any is followed to the end, so that the bound rises while the search goes on.
const frontier = 256

// beginning is the first circuits of topologies.
type beginning struct {
	guide []int
	bound units.Time
}

// prove walks the tree: first down to where it has enough branches, and then along these
// in the order of their bounds.
func (x *exact) prove() {
	list := []beginning{{}}
	for depth := 1; len(list) > 0 && len(list) < frontier && depth <= x.n*x.ports && !x.stopped; depth++ {
		var deeper []beginning
		for _, b := range list {
			x.walk(b.guide, depth, func(bound units.Time) {
				guide := make([]int, len(x.laid))
				for k, c := range x.laid {
					guide[k] = c[1]
				}
				deeper = append(deeper, beginning{guide, bound})
			})
		}
		list = deeper
	}
	slices.SortStableFunc(list, func(a, b beginning) int { return cmp.Compare(a.bound, b.bound) })
	for _, b := range list {
		if b.bound >= x.limit {
			break
		}
		x.bound = max(x.bound, b.bound)
		x.walk(b.guide, -1, nil)
		if x.stopped {
			return
		}
	}
	if x.stopped {
		return
	}
	x.bound = units.Time(inf)
}

// result sums up.
func (x *exact) result() (*Result, error) {
	switch {
	case x.err != nil:
		return nil, x.err
	case x.best == nil && x.stopped:
		return nil, x.ctx.Err()
	case x.best == nil:
		return nil, ErrInfeasible
	}
	return newResult(x.iv, x.best, x.bound, x.tried+x.visited), nil
}
