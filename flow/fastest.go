package flow

import (
	"context"
	"errors"
	"fmt"
	"math"
)

// ErrSlower says that a step was abandoned because every routing takes longer than the limit.
// The error is a *Slower, which has a bound.
var ErrSlower = errors.New("every routing takes longer")

// Slower has a lower bound on the time of every routing. Approximate is as in a Result: some
// routing may keep to the limit after all.
type Slower struct {
	Least       float64
	Approximate bool
}

func (s *Slower) Error() string { return fmt.Sprintf("%v: %v at least", ErrSlower, s.Least) }

// Unwrap returns ErrSlower.
func (s *Slower) Unwrap() error { return ErrSlower }

// Fastest returns the routes that take the least time, where time must grow with each part of a
// load. With a policy other than Optimal they are the policy's routes.
//
// A maximum concurrent flow may use long detours for a little bandwidth, which does not pay for
// small messages. So Fastest finds the smallest peak for each number of hops that could still
// win. If Solve is exact and time does not depend on the dilation, the result is the fastest of
// all routings. It mostly is so, too, for a step with one root that Solve would approximate
// (one_root.go); Result.Method is then MethodMaxFlow.
func Fastest(ctx context.Context, p Problem, policy Policy, time func(Load) float64) (*Result, error) {
	return FastestWithin(ctx, p, policy, time, math.Inf(1))
}

// FastestWithin is Fastest with a time limit: if all routes take longer, the error may wrap
// ErrSlower. Any routes that it returns are those of Fastest.
//
// It abandons a linear program as soon as its bound shows that nothing within its hops is
// faster than the best known routes. Large programs are solved for few hops first: these are
// quick, and show from how many hops on nothing can win.
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
			return nil, &Slower{Least: time(r.Load)}
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
	approximate, err := f.approximate()
	if err != nil {
		return nil, err
	}
	if f.least > limit*(1+limitTolerance) {
		return nil, &Slower{min(f.bound, f.least), approximate}
	}
	few.forget()
	if f.best, err = spread(ctx, f.best); err != nil {
		return nil, err
	}
	r := f.best.signed(&p, f.work)
	r.Approximate = approximate
	return r, nil
}

// signed returns a copy of a result with the method by which it was found.
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
	least float64 // time of best
	bound float64 // lower bound on the time of what was abandoned
	open  float64 // lower bound on every peak, for any number of hops
	work  int64

	evenly bool // least is for demands divided over their shortest paths, which are not listed
}

// run tries what can still win.
func (f *fastest) run(ctx context.Context) error {
	frugal, err := f.frugal(ctx)
	if err != nil {
		return err
	}
	fewest, most := 0, 0 // hops that have been tried, and most hops that may help
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
	// No routing has a smaller peak, nor fewer than one hop.
	if f.time(Load{Peak: widest.Load.Peak, Hops: 1}) >= least {
		return nil
	}
	// No routing has fewer hops than shortest paths.
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
	if f.reps == nil { // routes of orbits are not kept
		f.widest = widest
	}
	return f.between(ctx, fewest+1, widest.Load.Hops-1, widest.Load.Peak)
}

// approximate reports whether routes faster than the best may exist: some program may have been
// approximated, and the bound does not exclude it.
func (f *fastest) approximate() (bool, error) {
	large, err := f.large()
	if err != nil || !large || f.short == nil {
		return large, err
	}
	least := f.time(Load{Peak: max(f.open, f.short.Bound), Hops: f.short.Load.Hops})
	return !meets(f.least, least), nil
}

// shortestPaths tries the two ways over shortest paths. It does nothing if programs can divide
// demands over such paths at less cost than listing them, because the best routes with as few
// hops are no slower.
func (f *fastest) shortestPaths(ctx context.Context) error {
	if f.whole() && f.exact() && !dilates(f.time) {
		_, err := f.shortest(ctx)
		return err
	}
	if err := f.tryEvenly(ctx); err != nil {
		return err
	}
	_, err := f.try(ctx, Shortest, 0, 0)
	return err
}

// tryEvenly is try for demands divided over their shortest paths. If programs do not need the
// paths, nor the time their dilation, they are listed only if nothing is faster in the end
// (settleEvenly).
func (f *fastest) tryEvenly(ctx context.Context) error {
	if f.divides() || dilates(f.time) {
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

// between tries the limits on hops from fewest to most that can still win, where least is a
// lower bound on every peak. More hops never make the smallest peak larger, so a bound within
// some hops also holds within fewer, and one program rules out many limits. Small limits come
// first, because they are abandoned soon and their results help: the first stride one by one,
// then in steps that double until one finds something.
//
// Nothing but luck lowers the dilation once the peak is the least. So if the time depends on the
// dilation, larger limits are given up after a few in a row that reached that peak in vain.
func (f *fastest) between(ctx context.Context, fewest, most int, least float64) error {
	type limit struct {
		hops int
		peak float64 // lower bound on the peak within these hops
	}
	var open []limit
	for hops := fewest; hops <= most; hops++ {
		open = append(open, limit{hops, least})
	}
	within := 0 // limit for which the best routes were found; 0: none of these
	vain := 0   // limits in a row that lowered neither the time nor, by more than the gap, the peak
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
		switch {
		case found == nil || found.Load.Peak > least*(1+f.margin()):
		case found == f.best:
			vain = 0
		default:
			vain++
		}
		if vain == mostVain && dilates(f.time) {
			open = open[:at]
			continue
		}
		open = append(open[:at], open[at+1:]...)
	}
}

// stride is how many limits on hops are tried one by one before steps double.
const stride = 2

// mostVain is how many limits in a row may lower neither the peak nor the time before larger ones
// are given up, if the time depends on the dilation.
const mostVain = 3

// margin is the distance of a peak from the least one that counts as none.
func (f *fastest) margin() float64 {
	if f.exact() {
		return optimalityGap
	}
	return f.gap()
}

// bounding tries a limit on hops. It returns a lower bound on the peak within it, and the
// routes if it found any.
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

// tighten makes the answer independent of the limits that were tried: if the best routes have
// fewer hops than the limit under which they were found, it solves again with that number of
// hops, which is as fast.
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

// frugal reports whether to begin with few hops: if programs are large and a hop takes more
// than a fraction of their gap. All programs of a fold begin so: two with few hops take a third
// of the time of one without a limit, and find as small a peak.
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

// noise is the fraction of the best time so far that a limit on hops must be able to save to be
// worth trying. Each program of a fold is solved only to a gap: a saving below it would not be
// known to be one.
func (f *fastest) noise() float64 {
	if f.fold == nil {
		return 0
	}
	return f.gap()
}

// goal returns the time that a program must beat to be of use: the best time so far, or the
// limit. The result of an approximation depends on where it begins, and so on which programs
// were abandoned before it. So programs of a fold ignore the limit, to make their routes
// independent of it.
func (f *fastest) goal() float64 {
	if f.fold != nil {
		return f.least
	}
	return min(f.least, f.limit*(1+limitTolerance))
}

// hopeless reports whether neither the best so far nor anything with at least the given hops
// keeps to the limit. It is for programs of a fold, which ignore the limit themselves.
func (f *fastest) hopeless(hops int) bool {
	most := f.limit * (1 + limitTolerance)
	least := f.time(Load{Peak: f.open, Hops: hops})
	if f.fold == nil || f.least <= most || least <= most {
		return false
	}
	f.bound = min(f.bound, least)
	return true
}

// hopShows is the fraction of the gap that a hop must take to begin with few hops. Below it, a
// search without a limit on hops may still find a time that is as short; but it takes several
// times as long.
const hopShows = 0.25

// mostHops returns the number of hops beyond which no routing beats the best so far, because
// even the bound on its peak would make it slower; 0 if there are so many that a search without
// a limit is less work.
func (f *fastest) mostHops(fewest int) int {
	goal := f.goal() * (1 - f.noise())
	for hops := fewest; hops <= 2*fewest+hopLimitPays; hops++ {
		if f.time(Load{Peak: f.open, Hops: hops + 1}) >= goal {
			return hops
		}
	}
	return 0
}

// oneByOne is how many hops beyond the longest distance are tried one by one before all that
// are left are tried at once: each makes the next ones fewer.
const oneByOne = 3

// hopsOfFold limits the hops that are tried for a fold, in longest distances. It matters only
// if an approximation stays far from its bound.
const hopsOfFold = 3

// hopLimitPays is the number of hops beyond twice the longest distance up to which a search
// with a hop limit is less work than one without.
const hopLimitPays = 16

// try solves by a policy within maxHops and keeps the result if it is faster. It returns nil if
// the program was abandoned because, with at least the given hops, it can be no faster.
func (f *fastest) try(ctx context.Context, policy Policy, maxHops, hops int) (*Result, error) {
	r, _, err := f.attempt(ctx, policy, maxHops, hops)
	return r, err
}

// attempt is try that also returns the bound at which it gave up.
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

// limitTolerance is how far, relatively, a time must exceed the limit to count as beyond it:
// sums of the same times in another order differ by much less.
const limitTolerance = 1e-9

// peakWithin returns the peak at which a routing with the given hops takes as long as the best
// so far, or as the limit: one with a larger peak cannot win.
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

// bisections finds a peak to about the last bit.
const bisections = 60
