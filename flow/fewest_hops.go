package flow

import (
	"context"
	"errors"
)

// fewestHopsPay is the number of demands times rows from which on fewestHops first checks
// whether more hops than shortest paths have can win at all: from there on the program without
// a hop limit takes tenths of a second or more.
const fewestHopsPay = 1 << 18

// fewestPromise is the expected limit on how far the peak of shortest paths, divided in the
// best way, is above the counting bound. If one more hop could not make up for that, shortest
// paths come first. On generalised Kautz graphs it is about a tenth.
const fewestPromise = 0.15

// fewestHops settles a step of small messages, in which one hop beyond the longest distance
// costs more than it can save. No routing has a peak below the counting bound. If that peak
// with one more hop takes no less time than the best routing within the longest distance, the
// latter is the fastest, and the program without a hop limit need not be solved: all pairs of a
// generalised Kautz graph of 200 nodes with 4 ports take 28000 pivots without a limit, and 5500
// within 4 hops. It reports whether it settled the step; if not, it changes nothing.
//
// It also settles steps of any size for which one more hop takes longer than the limit and no
// routing within the longest distance keeps to it. That is the usual end of a step that is routed
// again although its routes were near the bound.
func (f *fastest) fewestHops(ctx context.Context) (bool, error) {
	l, err := f.exactProgram()
	if l == nil || err != nil {
		return false, err
	}
	short, err := f.shortest(ctx)
	if err != nil {
		return false, err
	}
	hops := short.Load.Hops
	more := f.time(Load{Peak: short.Bound, Hops: hops + 1})
	late := more > f.limit*(1+limitTolerance)
	settles := l.fewestPay() && more >= f.time(Load{Peak: short.Bound * (1 + fewestPromise), Hops: hops})
	if !late && !settles {
		return false, nil
	}
	r, err := f.solve(ctx, Optimal, hops, f.peakWithin(hops))
	var over *beyond
	switch {
	case errors.As(err, &over):
		if more < f.limit*(1+limitTolerance) {
			return false, nil
		}
		f.bound = min(f.bound, more, f.time(Load{Peak: over.bound, Hops: hops}))
		return true, nil
	case err != nil:
		return false, err
	case late && f.time(r.Load) > f.limit*(1+limitTolerance):
		f.bound = min(f.bound, more, f.time(r.Load))
		return true, nil
	case !settles || more < f.time(r.Load):
		return false, nil // routes must not depend on the limit
	}
	f.work += r.Work
	f.bound = min(f.bound, more)
	if r.Method != MethodColumns {
		f.keep(r) // before any ties, as without a hop limit
	}
	if err := f.shortestPaths(ctx); err != nil {
		return false, err
	}
	f.keep(r)
	return true, nil
}

// exactProgram returns the ladder whose program is solved exactly, nil if none is: for a fold, for
// unique paths, or if programs are approximated.
func (l *ladder) exactProgram() (*ladder, error) {
	if l.unique != nil || l.fold != nil {
		return nil, nil
	}
	reps, err := l.orbits()
	if err != nil {
		return nil, err
	}
	if reps != nil {
		l = reps
	}
	if !l.exact() {
		return nil, nil
	}
	return l, nil
}

// fewestPay reports whether fewestHops should check although more hops may keep to the limit: for
// programs with many rows and demands, which list the paths for divided demands anyway.
func (l *ladder) fewestPay() bool {
	return float64(len(l.cl.circuits)+1)*float64(len(l.p.Demands)) >= fewestHopsPay && !l.whole()
}
