package flow

import (
	"context"
	"errors"
	"fmt"
	"math"
)

// ErrSlower marks a step that was given up because every routing takes longer than asked
// for. The error is a *Slower, which says more.
var ErrSlower = errors.New("flow: every routing takes longer")

// Slower says how long every routing takes at least.
type Slower struct{ Least float64 }

func (s *Slower) Error() string { return fmt.Sprintf("%v: %v at least", ErrSlower, s.Least) }

// Unwrap returns ErrSlower.
func (s *Slower) Unwrap() error { return ErrSlower }

// Fastest returns the routes that take the least time, where time grows with each part of a
// load. With a policy other than Optimal they are the policy's routes.
//
// A maximum concurrent flow may use long detours for a little bandwidth, which does not pay for
// small messages. So Fastest finds the smallest peak for each number of hops that could still win.
// If Solve is exact and time does not depend on the dilation, the result is the fastest of all
// routings. Mostly it also is for a step with one root that Solve would approximate (one_root.go),
// where Result.Method is MethodMaxFlow.
func Fastest(ctx context.Context, p Problem, policy Policy, time func(Load) float64) (*Result, error) {
	return FastestWithin(ctx, p, policy, time, math.Inf(1))
}

// FastestWithin is Fastest with a time limit: if all routes take longer, the error may wrap
// ErrSlower. Routes that it returns are those of Fastest.
//
// It abandons a linear program as soon as its bound shows that nothing within its hops is faster
// than what is known. Large programs are solved for few hops first: these are quick, and show
// beyond how many hops nothing can win.
func FastestWithin(ctx context.Context, p Problem, policy Policy, time func(Load) float64, limit float64) (*Result, error) {
	return fastestWithin(ctx, p, policy, time, limit, Recall{})
}

func fastestWithin(ctx context.Context, p Problem, policy Policy, time func(Load) float64, limit float64, known Recall) (*Result, error) {
	l, err := ladderFor(ctx, p, policy)
	if err != nil {
		return nil, err
	}
	l.known = known
	if policy != Optimal || l.unique != nil {
		r, err := l.solve(ctx, policy, p.MaxHops, math.Inf(1))
		return r.signed(&p, 0), err
	}
	if r, err := l.oneRoot(ctx, time); r != nil || err != nil {
		if err == nil && time(r.Load) > limit*(1+limitTolerance) {
			return nil, &Slower{time(r.Load)}
		}
		return r.signed(&p, 0), err
	}
	few, spread, err := l.fewer(ctx, time)
	if err != nil {
		return nil, err
	}
	f := &fastest{ladder: few, time: time, limit: limit, least: math.Inf(1), bound: math.Inf(1)}
	if err := f.run(ctx); err != nil {
		return nil, err
	}
	if err := f.settleEvenly(ctx); err != nil {
		return nil, err
	}
	if f.least > limit*(1+limitTolerance) {
		return nil, &Slower{min(f.bound, f.least)}
	}
	few.forget()
	if f.best, err = spread(ctx, f.best); err != nil {
		return nil, err
	}
	return f.best.signed(&p, f.work), nil
}

// signed is a copy of a result that says how it was found.
func (r *Result) signed(p *Problem, work int64) *Result {
	if r == nil {
		return nil
	}
	c := *r
	c.Work = max(work, c.Work)
	if c.Symmetry == 0 {
		c.Symmetry = p.Group.Order()
	}
	return &c
}

// fastest looks for the routes of one step that take the least time.
type fastest struct {
	*ladder
	time  func(Load) float64
	limit float64
	best  *Result
	least float64 // its time
	bound float64 // of those that were given up
	open  float64 // peak below which no routing is, however many its hops
	work  int64

	evenly bool // least is that of demands divided over their shortest paths, which are not listed
}

// run tries what can still win.
func (f *fastest) run(ctx context.Context) error {
	frugal, err := f.frugal(ctx)
	if err != nil {
		return err
	}
	fewest, most := 0, 0 // hops that have been tried, and that may be of use
	if frugal {
		if _, err := f.try(ctx, Shortest, 0, 0); err != nil {
			return err
		}
		if err := f.tryEvenly(ctx); err != nil {
			return err
		}
		f.open = f.short.Bound
		for fewest = f.short.Load.Hops; ; fewest++ {
			if f.hopeless(fewest) {
				return nil
			}
			if f.time(Load{Peak: f.open, Hops: fewest}) < f.least*(1-f.noise()) {
				if _, err := f.try(ctx, Optimal, fewest, fewest); err != nil {
					return err
				}
			}
			if most = f.mostHops(fewest); most == fewest {
				return nil
			}
			if f.fold != nil && fewest >= hopsOfFold*f.short.Load.Hops {
				return nil
			}
			if f.fold == nil && fewest-f.short.Load.Hops == oneByOne {
				break
			}
		}
	}
	if !frugal {
		if done, err := f.fewestHops(ctx); done || err != nil {
			return err
		}
	}
	widest, err := f.try(ctx, Optimal, most, fewest+1)
	if err != nil || widest == nil {
		return err
	}
	least := f.time(widest.Load)
	// Nothing has a smaller peak, nor fewer hops than one.
	if f.time(Load{Peak: widest.Load.Peak, Hops: 1}) >= least {
		return nil
	}
	// Nor has anything fewer hops than shortest paths.
	shortestPaths := widest.Method == MethodShortest || widest.Method == MethodBalanced
	if shortestPaths && f.time(Load{Peak: widest.Load.Peak, Hops: widest.Load.Hops}) >= least {
		return nil
	}
	if !frugal {
		if err := f.shortestPaths(ctx); err != nil {
			return err
		}
		fewest = f.short.Load.Hops - 1
	}
	return f.between(ctx, fewest+1, widest.Load.Hops-1, widest.Load.Peak)
}

// shortestPaths tries the two ways over shortest paths. It does not where programs divide demands
// over such paths at less cost than the paths take to be listed, as the best routes of as few
// hops are no slower.
func (f *fastest) shortestPaths(ctx context.Context) error {
	if f.whole() && f.exact() && !dilates(f.time) {
		_, err := f.shortest(ctx)
		return err
	}
	for _, policy := range []Policy{ShortestSplit, Shortest} {
		if _, err := f.try(ctx, policy, 0, 0); err != nil {
			return err
		}
	}
	return nil
}

// tryEvenly is try for demands that are divided over their shortest paths. Where they are many
// orbits, the paths are listed only if nothing is faster in the end (settleEvenly).
func (f *fastest) tryEvenly(ctx context.Context) error {
	if !f.many() {
		_, err := f.try(ctx, ShortestSplit, 0, 0)
		return err
	}
	peak, err := f.evenPeak(ctx)
	if err != nil {
		return err
	}
	if time := f.time(Load{Peak: peak, Hops: f.short.Load.Hops}); time < f.least {
		f.evenly, f.least = true, time
	}
	return nil
}

// settleEvenly lists the paths that tryEvenly found to be the fastest, if they still are.
func (f *fastest) settleEvenly(ctx context.Context) error {
	if !f.evenly {
		return nil
	}
	r, err := f.ladder.evenly(ctx)
	if err == nil {
		f.best, f.least = r, f.time(r.Load)
	}
	return err
}

// between tries the limits on hops from fewest to most that can still win, where no routing
// has a peak below least. More hops never make the smallest peak larger, so a bound within
// some hops holds within fewer, too, and one program rules out many limits. Those of few hops
// come first, as they are given up soon and what they find is of use: the first stride one by
// one, and then in steps that double until one finds something.
func (f *fastest) between(ctx context.Context, fewest, most int, least float64) error {
	type limit struct {
		hops int
		peak float64 // that no routing within the hops is below
	}
	var open []limit
	for hops := fewest; hops <= most; hops++ {
		open = append(open, limit{hops, least})
	}
	within := 0 // the limit that the best routes are from; 0: none of these
	for tried := 0; ; tried++ {
		goal := min(f.least, f.limit*(1+limitTolerance))
		kept := open[:0]
		for _, l := range open {
			if time := f.time(Load{Peak: l.peak, Hops: l.hops}); time < goal {
				kept = append(kept, l)
			} else {
				f.bound = min(f.bound, time)
			}
		}
		if open = kept; len(open) == 0 {
			return f.tighten(ctx, within)
		}
		at := min(1<<max(0, tried-stride)-1, len(open)-1)
		bound, found, err := f.bounding(ctx, open[at].hops)
		if err != nil {
			return err
		}
		if found != nil {
			tried = 0
			if found == f.best {
				within = open[at].hops
			}
		}
		for i := range open[:at] {
			open[i].peak = max(open[i].peak, bound)
		}
		open = append(open[:at], open[at+1:]...)
	}
}

// stride is how many limits on hops are tried one after the other before steps double.
const stride = 2

// bounding tries a limit on hops. It returns a peak that no routing within it is below, and
// the routes if there are some.
func (f *fastest) bounding(ctx context.Context, hops int) (bound float64, found *Result, err error) {
	r, over, err := f.attempt(ctx, Optimal, hops, hops)
	switch {
	case err != nil:
		return 0, nil, err
	case over != nil:
		return over.bound, nil, nil
	}
	return r.Bound, r, nil
}

// tighten takes, where the best routes have fewer hops than the limit that they are from, those
// of that many hops, which are as fast: so the answer does not depend on the limits that were
// tried.
func (f *fastest) tighten(ctx context.Context, within int) error {
	if within == 0 || f.best.Load.Hops == within {
		return nil
	}
	r, err := f.solve(ctx, Optimal, f.best.Load.Hops, math.Inf(1))
	if err != nil {
		return err
	}
	f.work += r.Work
	if f.time(r.Load) <= f.least*(1+limitTolerance) {
		f.best, f.least = r, f.time(r.Load)
	}
	return nil
}

// frugal reports whether to begin with few hops: where programs are large and a hop takes
// more than a part of the gap that they are solved to. All programs of a fold begin so: two with
// few hops take a third of the time of one without a limit, and find as small a peak.
func (f *fastest) frugal(ctx context.Context) (bool, error) {
	large, err := f.large()
	if err != nil || !large {
		return false, err
	}
	short, err := f.shortest(ctx)
	if err != nil {
		return false, err
	}
	if f.fold != nil {
		return true, nil
	}
	within := f.time(Load{Peak: short.Bound, Hops: short.Load.Hops})
	return f.time(Load{Peak: short.Bound, Hops: short.Load.Hops + 1}) > within*(1+hopShows*approximateGap), nil
}

// noise is the part of the best time so far that a limit on hops must be able to save to be
// tried. The programs of a fold are solved to a gap each: what could save less than that is no
// better known to be faster than what was found.
func (f *fastest) noise() float64 {
	if f.fold == nil {
		return 0
	}
	return f.gap()
}

// goal is the time that a program must stay below to be of use: that of the best so far or the
// limit. What an approximation finds depends on where it begins, and so on which programs were
// given up before it. Those of a fold do not look at the limit, so that their routes are the same
// whatever it is.
func (f *fastest) goal() float64 {
	if f.fold != nil {
		return f.least
	}
	return min(f.least, f.limit*(1+limitTolerance))
}

// hopeless reports whether nothing that was found keeps to the limit, nor anything of so many hops
// or more. It is for the programs of a fold, which do not look at the limit themselves.
func (f *fastest) hopeless(hops int) bool {
	most := f.limit * (1 + limitTolerance)
	least := f.time(Load{Peak: f.open, Hops: hops})
	if f.fold == nil || f.least <= most || least <= most {
		return false
	}
	f.bound = min(f.bound, least)
	return true
}

// hopShows is the part of the gap that a hop must take to begin with few of them. Where it
// takes less than the gap, a search that has no limit on hops may still find a time that is as
// short; but it takes several times as long.
const hopShows = 0.25

// mostHops returns the hops beyond which no routing is faster than the best so far, as even
// the bound on its peak would make it slower; 0 where these are so many that a
// search without a limit is less work.
func (f *fastest) mostHops(fewest int) int {
	goal := f.goal() * (1 - f.noise())
	for hops := fewest; hops <= 2*fewest+hopLimitPays; hops++ {
		if f.time(Load{Peak: f.open, Hops: hops + 1}) >= goal {
			return hops
		}
	}
	return 0
}

// oneByOne is how many hops beyond the longest distance are tried one after the other before
// all that are left are tried at once: each makes the next ones fewer.
const oneByOne = 3

// hopsOfFold limits the hops that are tried for a fold, in longest distances. They are never that
// many but where an approximation stays far from its bound.
const hopsOfFold = 3

// hopLimitPays is the number of hops beyond twice the longest distance up to which a search
// with a limit on them is less work than one without.
const hopLimitPays = 16

// try solves by a policy within so many hops and keeps what is faster. It returns nil for
// what was given up, because it can be no faster if it has at least the given hops.
func (f *fastest) try(ctx context.Context, policy Policy, maxHops, hops int) (*Result, error) {
	r, _, err := f.attempt(ctx, policy, maxHops, hops)
	return r, err
}

// attempt is try that says by which bound it gave up.
func (f *fastest) attempt(ctx context.Context, policy Policy, maxHops, hops int) (*Result, *beyond, error) {
	r, err := f.solve(ctx, policy, maxHops, f.peakWithin(hops))
	var over *beyond
	switch {
	case errors.As(err, &over):
		f.bound = min(f.bound, f.time(Load{Peak: over.bound, Hops: max(1, hops)}))
		f.open = max(f.open, over.open)
		return nil, over, nil
	case err != nil:
		return nil, nil, err
	}
	f.work += r.Work
	f.open = max(f.open, r.open)
	f.keep(r)
	return r, nil, nil
}

func (f *fastest) keep(r *Result) {
	if time := f.time(r.Load); time < f.least {
		f.best, f.least, f.evenly = r, time, false
	}
}

// limitTolerance is how far beyond the limit a time must be to count as beyond it: sums of
// the same times in another order differ by much less.
const limitTolerance = 1e-9

// peakWithin returns a peak with which a routing of so many hops takes as long as the best
// so far, or as the limit: a larger one cannot win.
func (f *fastest) peakWithin(hops int) float64 {
	goal := f.goal()
	if math.IsInf(goal, 1) {
		return goal
	}
	slower := func(peak float64) bool { return f.time(Load{Peak: peak, Hops: hops}) >= goal }
	low, high := 0.0, 1.0
	for !slower(high) {
		if low, high = high, high*2; math.IsInf(high, 1) {
			return high
		}
	}
	for range bisections {
		if mid := (low + high) / 2; slower(mid) {
			high = mid
		} else {
			low = mid
		}
	}
	return high
}

// bisections finds a peak to the last bit, about.
const bisections = 60
