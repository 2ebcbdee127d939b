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

// Fastest returns the routes that take the least time, where time grows with each part of
// a load. With a policy other than Optimal these are those of the policy.
//
// A maximum concurrent flow may use long ways round for a little bandwidth, which small
// messages do not repay. So for each number of hops that could still win, the smallest
// peak within that many hops is found. Where Solve is exact and time does not depend on
// the dilation, the result is the fastest of all routings.
func Fastest(ctx context.Context, p Problem, policy Policy, time func(Load) float64) (*Result, error) {
	return FastestWithin(ctx, p, policy, time, math.Inf(1))
}

// FastestWithin is Fastest where routes that take longer than a limit are of no use: the
// error then may wrap ErrSlower. Routes that it returns are those of Fastest.
//
// Linear programs are given up as soon as their bound says that nothing within their hops
// is faster than what is known. Where they are large, those of few hops come first: they are
// quick, and say beyond how many hops nothing is of use.
func FastestWithin(ctx context.Context, p Problem, policy Policy, time func(Load) float64, limit float64) (*Result, error) {
	return fastestWithin(ctx, p, policy, time, limit, recall{})
}

func fastestWithin(ctx context.Context, p Problem, policy Policy, time func(Load) float64, limit float64, known recall) (*Result, error) {
	if _, err := ParsePolicy(string(policy)); err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	l, err := newLadder(p)
	if err != nil {
		return nil, err
	}
	l.known = known
	if policy != Optimal || l.unique != nil {
		r, err := l.solve(ctx, policy, p.MaxHops, math.Inf(1))
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
	if f.least > limit*(1+limitTolerance) {
		return nil, &Slower{min(f.bound, f.least)}
	}
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
}

// run tries what can still win.
func (f *fastest) run(ctx context.Context) error {
	frugal, err := f.frugal(ctx)
	if err != nil {
		return err
	}
	fewest, most := 0, 0 // hops that have been tried, and that may be of use
	if frugal {
		for _, policy := range []Policy{Shortest, ShortestSplit} {
			if _, err := f.try(ctx, policy, 0, 0); err != nil {
				return err
			}
		}
		f.open = f.short.Bound
		for fewest = f.short.Load.Hops; ; fewest++ {
			if f.time(Load{Peak: f.open, Hops: fewest}) < f.least {
				if _, err := f.try(ctx, Optimal, fewest, fewest); err != nil {
					return err
				}
			}
			if most = f.mostHops(fewest); most == fewest {
				return nil
			}
			if fewest-f.short.Load.Hops == oneByOne {
				break
			}
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
		if _, err := f.try(ctx, ShortestSplit, 0, 0); err != nil {
			return err
		}
		if _, err := f.try(ctx, Shortest, 0, 0); err != nil {
			return err
		}
		fewest = f.short.Load.Hops - 1
	}
	for hops := fewest + 1; hops < widest.Load.Hops; hops++ {
		if f.time(Load{Peak: widest.Load.Peak, Hops: hops}) >= f.least {
			break // more hops can only be slower
		}
		if _, err := f.try(ctx, Optimal, hops, hops); err != nil {
			return err
		}
	}
	return nil
}

// frugal reports whether to begin with few hops: where programs are large and a hop takes
// more than a part of the gap that they are solved to.
func (f *fastest) frugal(ctx context.Context) (bool, error) {
	large, err := f.large()
	if err != nil || !large {
		return false, err
	}
	short, err := f.shortest(ctx)
	if err != nil {
		return false, err
	}
	within := f.time(Load{Peak: short.Bound, Hops: short.Load.Hops})
	return f.time(Load{Peak: short.Bound, Hops: short.Load.Hops + 1}) > within*(1+hopShows*approximateGap), nil
}

// hopShows is the part of the gap that a hop must take to begin with few of them. Where it
// takes less than the gap, a search that has no limit on hops may still find a time that is as
// short; but it takes several times as long.
const hopShows = 0.25

// mostHops returns the hops beyond which no routing is faster than the best so far, as even
// the bound on its peak would make it slower; 0 where these are so many that a
// search without a limit is less work.
func (f *fastest) mostHops(fewest int) int {
	goal := min(f.least, f.limit*(1+limitTolerance))
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

// hopLimitPays is the number of hops beyond twice the longest distance up to which a search
// with a limit on them is less work than one without.
const hopLimitPays = 16

// try solves by a policy within so many hops and keeps what is faster. It returns nil for
// what was given up, because it can be no faster if it has at least the given hops.
func (f *fastest) try(ctx context.Context, policy Policy, maxHops, hops int) (*Result, error) {
	r, err := f.solve(ctx, policy, maxHops, f.peakWithin(hops))
	var over *beyond
	switch {
	case errors.As(err, &over):
		f.bound = min(f.bound, f.time(Load{Peak: over.bound, Hops: max(1, hops)}))
		return nil, nil
	case err != nil:
		return nil, err
	}
	f.work += r.Work
	f.open = max(f.open, r.open)
	f.keep(r)
	return r, nil
}

func (f *fastest) keep(r *Result) {
	if time := f.time(r.Load); time < f.least {
		f.best, f.least = r, time
	}
}

// limitTolerance is how far beyond the limit a time must be to count as beyond it: sums of
// the same times in another order differ by much less.
const limitTolerance = 1e-9

// peakWithin returns a peak with which a routing of so many hops takes as long as the best
// so far, or as the limit: a larger one is of no use.
func (f *fastest) peakWithin(hops int) float64 {
	goal := min(f.least, f.limit*(1+limitTolerance))
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
