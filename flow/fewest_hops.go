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
func (f *fastest) fewestHops(ctx context.Context) (bool, error) {
	if pays, err := f.fewestPay(); err != nil || !pays {
		return false, err
	}
	short, err := f.shortest(ctx)
	if err != nil {
		return false, err
	}
	hops := short.Load.Hops
	more := f.time(Load{Peak: short.Bound, Hops: hops + 1})
	if more < f.time(Load{Peak: short.Bound * (1 + fewestPromise), Hops: hops}) {
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
	case err != nil || more < f.time(r.Load):
		return false, err
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

// fewestPay reports whether fewestHops should check: for exact programs with many rows and
// demands, which list the paths for divided demands anyway.
func (f *fastest) fewestPay() (bool, error) {
	l := f.ladder
	if l.unique != nil || l.fold != nil {
		return false, nil
	}
	if reps, err := l.orbits(); err != nil {
		return false, err
	} else if reps != nil {
		l = reps
	}
	size := float64(len(l.cl.circuits)+1) * float64(len(l.p.Demands))
	return size >= fewestHopsPay && l.exact() && !l.whole(), nil
}
