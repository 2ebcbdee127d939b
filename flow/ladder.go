package flow

import (
	"context"
	"fmt"
	"math"
)

// ladder is a problem with what is known about it so far, so that it can be solved for several
// policies and limits on hops.
type ladder struct {
	p            Problem
	cl           *classes
	unique       *Successor // if no node has a choice
	short, split *Result    // the routings over shortest paths, once computed
	even         float64    // the peak of split, once computed without its paths
	ways         int        // upper bound on the paths of split, known with even
	known        Recall     // of linear programs
	lengths      []float64  // of the program without a hop limit, once solved
	widest       *Result    // that programs within fewer hops begin near; nil: none
	balanced     *Result    // over two shortest paths each, once computed
	proven       bool       // balanced is optimal
	last         *Result    // result of the last program of many orbits
	paths        pathMemory // memory of such programs

	detected bool
	found    *orbits // a symmetry, once searched for; nil: none
	reps     *ladder // the problem under that symmetry

	fold *fold // the demands are its orbits; nil: they are the step's own
}

// beyond says that no routing has a peak as small as requested.
type beyond struct {
	bound float64
	open  float64 // lower bound on the peak for any number of hops; 0: unknown
}

func (b *beyond) Error() string { return fmt.Sprintf("flow: no routing has a peak below %v", b.bound) }

func newLadder(p Problem) (*ladder, error) {
	if err := checkDemands(p.Graph, p.Demands); err != nil {
		return nil, err
	}
	cl, err := newClasses(p.Graph, p.Group)
	if err != nil {
		return nil, err
	}
	l := &ladder{p: p, cl: cl}
	if s, ok := NewSuccessor(p.Graph); ok {
		l.unique = s
	}
	return l, nil
}

// solve routes by a policy; the optimal one within maxHops, 0 for any number. The error is a
// *beyond if that takes a linear program and every routing has a peak above within.
func (l *ladder) solve(ctx context.Context, policy Policy, maxHops int, within float64) (*Result, error) {
	if l.unique != nil {
		res, err := solveUnique(l.p, l.cl, l.unique)
		if err == nil && policy == Optimal && maxHops > 0 && res.Load.Hops > maxHops {
			return nil, fmt.Errorf("%w within %d hops", ErrUnreachable, maxHops)
		}
		return res, err
	}
	if policy == Optimal {
		if reps, err := l.orbits(); err != nil {
			return nil, err
		} else if reps != nil {
			res, err := reps.solve(ctx, Optimal, maxHops, within)
			if err != nil {
				return nil, err
			}
			spread := *res // routes may be shared with those of another policy
			spread.Routes, spread.Symmetry = l.found.spreadRoutes(res.Routes), reps.p.Group.Order()
			return &spread, nil
		}
	}
	short, err := l.shortest(ctx)
	if err != nil {
		return nil, err
	}
	if policy == Optimal && maxHops > 0 && short.Load.Hops > maxHops {
		return nil, fmt.Errorf("%w within %d hops", ErrUnreachable, maxHops)
	}
	if policy == Shortest || policy == Optimal && meets(short.Load.Peak, short.Bound) {
		return short, nil
	}
	if policy == Optimal && !l.p.Group.Trivial() {
		if err := l.balance(ctx, short); err != nil || l.proven {
			return l.balanced, err
		}
	}
	peak, err := l.evenPeak(ctx)
	if err != nil {
		return nil, err
	}
	if policy == ShortestSplit || meets(peak, short.Bound) {
		return l.evenly(ctx)
	}
	p := l.p
	p.MaxHops = maxHops
	if short.Bound > within {
		return nil, &beyond{bound: short.Bound}
	}
	res, err := l.known.solve(maxHops, l.near(maxHops) != nil, within, func() (*Result, error) { return l.program(ctx, p, short, within) })
	if err == nil && maxHops == 0 {
		l.lengths = res.lengths
	}
	if err == nil && l.many() {
		l.last = res
	}
	return res, err
}

// program solves the linear program. The error is a *beyond if every routing has a peak above
// within.
func (l *ladder) program(ctx context.Context, p Problem, short *Result, within float64) (*Result, error) {
	if p.MaxHops > 0 && l.lengths != nil && !math.IsInf(within, 1) {
		// The lengths that are best without a hop limit may be enough with one.
		least, err := newLengthBound(p, l.cl).of(ctx, l.lengths)
		if err != nil {
			return nil, err
		}
		if least > within {
			return nil, &beyond{bound: least}
		}
	}
	if l.exact() {
		if err := ruledOut(ctx, p, l.cl, beginning{short, short.Bound, nil, false}, within); err != nil {
			return nil, err
		}
	}
	if l.exact() && l.whole() {
		return solveColumns(ctx, p, l.cl, short, nil, within)
	}
	split := short
	if l.divides() {
		var err error
		if split, err = l.evenly(ctx); err != nil {
			return nil, err
		}
	}
	if !l.exact() {
		begun := beginning{lower(short, split), short.Bound, nil, l.fold != nil}
		if l.many() {
			begun.Result, begun.memory = l.nearest(p.MaxHops), &l.paths
		}
		return approximate(ctx, p, l.cl, begun, l.gap(), within)
	}
	if l.fold == nil && interiorPays(p, l.cl) {
		if res, ok, err := solveInterior(ctx, p, l.cl, short, split, within); ok || err != nil {
			return res, err
		}
	}
	return solveColumnsFrom(ctx, p, l.cl, begins{short, split, l.near(p.MaxHops)}, within)
}

// exact reports whether to solve the linear program exactly.
func (l *ladder) exact() bool {
	rows, demands := len(l.cl.circuits)+1, len(l.p.Demands)
	if l.fold != nil {
		return l.p.Exact || rows*demands <= exactFold
	}
	if !l.p.Group.Trivial() && rows*demands > exactSize {
		return l.p.Exact
	}
	return l.p.Exact || exactPays(rows, demands)
}

// gap returns the gap at which an approximation stops.
func (l *ladder) gap() float64 {
	switch {
	case l.fold == nil:
		return approximateGap
	case len(l.p.Demands) <= fewFolded:
		return fewFoldedGap
	case len(l.p.Demands) <= foldedDemands:
		return foldedGap
	case len(l.p.Demands) <= manyFolded:
		return manyFoldedGap
	}
	return mostFoldedGap
}

// large reports whether the optimal policy may have to approximate.
func (l *ladder) large() (bool, error) {
	if l.unique != nil {
		return false, nil
	}
	if reps, err := l.orbits(); err != nil || reps != nil {
		return err == nil && !reps.exact(), err
	}
	return !l.exact(), nil
}

// orbits searches for a symmetry, once, and returns the problem under it; nil if there is none.
func (l *ladder) orbits() (*ladder, error) {
	if !l.detected {
		l.detected = true
		if found, ok := detect(l.p); ok {
			p := l.p
			p.Demands, p.Group = found.reps, found.group
			reps, err := newLadder(p)
			if err != nil {
				return nil, err
			}
			reps.known = l.known
			l.found, l.reps = found, reps
		}
	}
	return l.reps, nil
}

// shortest sends every demand over one shortest path.
func (l *ladder) shortest(ctx context.Context) (*Result, error) {
	if l.short == nil {
		routes, err := shortestRoutes(ctx, l.p.Graph, l.p.Demands)
		if err != nil {
			return nil, err
		}
		res := &Result{Routes: routes, Method: MethodShortest}
		if res.Load, err = loadOf(l.p.Graph, l.cl, l.p.Demands, routes); err != nil {
			return nil, err
		}
		work := workOf(l.p.Demands, routes)
		if l.fold != nil {
			res.Bound = min(l.fold.countingBound(l.p.Graph, work), res.Load.Peak)
		} else {
			res.Bound = min(countingBound(l.p, l.cl, work), res.Load.Peak)
		}
		l.short = res
	}
	return l.short, nil
}

// balance sends every demand over two shortest paths, once.
func (l *ladder) balance(ctx context.Context, short *Result) (err error) {
	if l.balanced == nil {
		l.balanced, l.proven, err = solveBalanced(ctx, l.p, l.cl, short)
	}
	return err
}

// forget releases what only further programs need, which for many demands is larger than the
// routes.
func (l *ladder) forget() {
	l.short, l.split, l.balanced, l.last, l.widest, l.paths, l.lengths = nil, nil, nil, nil, nil, pathMemory{}, nil
}

// near returns the result with which an exact program within maxHops begins; nil: none. The best
// routes within a limit mostly differ little from those without.
func (l *ladder) near(maxHops int) *Result {
	if maxHops == 0 {
		return nil
	}
	return l.widest
}

// evenly divides every demand over its shortest paths.
func (l *ladder) evenly(ctx context.Context) (*Result, error) {
	if l.split == nil {
		short, err := l.shortest(ctx)
		if err != nil {
			return nil, err
		}
		res := &Result{Method: MethodSplit}
		if res.Routes, err = splitRoutes(ctx, l.p.Graph, l.p.Demands); err != nil {
			return nil, err
		}
		if res.Load, err = loadOf(l.p.Graph, l.cl, l.p.Demands, res.Routes); err != nil {
			return nil, err
		}
		res.Bound = min(short.Bound, res.Load.Peak)
		l.split = res
	}
	return l.split, nil
}

// many reports whether the demands are many orbits. Then they are divided over their shortest
// paths only if nothing is faster, and programs start from the results of others.
func (l *ladder) many() bool { return l.fold != nil && len(l.p.Demands) > foldedDemands }

// whole reports whether a program begins with whole routings, and so needs no paths for divided
// demands.
func (l *ladder) whole() bool { return l.fold == nil && wholePays(l.p, l.cl) }

// manyWays is the average number of shortest paths of a demand from which on approximations without
// symmetry begin with one path each. All pairs of a torus of 16 x 16 have 18, and take a quarter of
// the time without them.
const manyWays = 8

// divides reports whether programs begin with the paths of demands divided over shortest paths. For
// approximations without symmetry that is known after evenPeak.
func (l *ladder) divides() bool {
	switch {
	case l.exact():
		return !l.whole()
	case l.fold != nil:
		return !l.many()
	}
	return !l.p.Group.Trivial() || l.ways > 0 && l.ways <= manyWays*len(l.p.Demands)
}

// evenPeak returns the peak of evenly, without its paths if programs do not need them.
func (l *ladder) evenPeak(ctx context.Context) (float64, error) {
	if l.split != nil || l.divides() {
		split, err := l.evenly(ctx)
		if err != nil {
			return 0, err
		}
		return split.Load.Peak, nil
	}
	if _, err := l.shortest(ctx); err != nil {
		return 0, err
	}
	if l.even == 0 {
		peak, ways, err := splitPeak(ctx, l.p.Graph, l.cl, l.p.Demands)
		if err != nil {
			return 0, err
		}
		l.even, l.ways = peak, ways
	}
	return l.even, nil
}

// nearest returns the routes with which to begin a program of a fold within maxHops, 0 for any:
// those of the previous program, which mostly allowed fewer hops, or the shortest paths.
func (l *ladder) nearest(maxHops int) *Result {
	if l.last != nil && (maxHops == 0 || l.last.Load.Hops <= maxHops) {
		return lower(l.short, l.last)
	}
	return l.short
}

// lower returns the result with the smaller peak.
func lower(a, b *Result) *Result {
	if b.Load.Peak < a.Load.Peak {
		return b
	}
	return a
}
