package frontier

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"

	"github.com/lightpath-net/lightpath/envelope"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/units"
)

// Way is a family of plans, such as those that one planner makes for one algorithm, as a function
// of the wait: what a reconfiguration takes beyond its barrier, in ns.
type Way struct {
	// Bound returns a time that no plan of the family beats; nil: none is known. Closer returns a
	// better bound that takes longer to compute. It is called only if Bound does not decide.
	Bound, Closer func(wait float64) float64
	// Best returns the fastest plan: its names, its number of reconfigurations and its time
	// without them. If limit is above 0 and the plan takes longer, the error may wrap
	// planner.ErrBeyond.
	Best func(ctx context.Context, wait float64, limit units.Time) (Point, error)
}

// far is a wait, in multiples of the best time without waits, at which no plan makes a
// reconfiguration that it could do without.
const far = 1e6

// MaxWait is the longest wait to ask for, in ns. It keeps a delay in whole picoseconds within 64
// bits.
const MaxWait = math.MaxInt64 / 4 / 1000

// Longest returns the longest wait worth asking for, in ns, if the fastest plan takes fastest ns
// without waits.
func Longest(fastest float64) float64 { return min(MaxWait, far*fastest) }

// Over returns the plans that are the fastest of all families for some delay. The best time of a
// family is the least of lines and hence a concave function of the wait, and so is the least over
// all families. envelope.Trace finds its corners by asking for the best plan at few waits, at
// most two for every line.
//
// For one wait, Over asks the ways in the order of their lower bounds, and skips those whose
// bound is not below the time of a plan that is already known. The bound is the way's own or a
// chord between two waits at which the way was asked before: a concave function never goes below
// its chords. Asked, if not nil, is called before every question with the number of questions so
// far.
//
// If a planner misses its best plan for some wait, the plans on the frontier are still real, but
// another plan may be faster.
func Over(ctx context.Context, ways []Way, compute units.Time, asked func(count int)) ([]Point, error) {
	c := &contest{ways: make([]family, len(ways))}
	for i, w := range ways {
		c.ways[i].Way = w
	}
	count := 0
	ask := func(wait float64) (envelope.Line, error) {
		if asked != nil {
			asked(count)
		}
		count++
		return c.best(ctx, wait)
	}
	first, err := ask(0)
	if err != nil {
		return nil, err
	}
	hull, err := envelope.Trace(0, Longest(first.Fixed), func(wait float64) (envelope.Line, error) {
		if wait == 0 {
			return first, nil
		}
		return ask(wait)
	})
	if err != nil {
		return nil, err
	}
	lines := make([]Point, len(hull))
	for i, l := range hull {
		lines[i] = c.found[l.Of]
	}
	return Lowest(lines, compute), nil
}

// contest finds the best plan of all ways.
type contest struct {
	ways   []family
	reason error   // why the first way without a plan has none
	found  []Point // all plans so far, indexed by Line.Of
}

// family is a way with its answers so far.
type family struct {
	Way
	none  bool // the way has no plan, whatever the wait
	known []answer
}

// answer is a lower bound on the time of all plans of a way for a wait.
type answer struct{ wait, least float64 }

// same is the relative difference up to which two times are the same except for rounding:
// planners round waits to whole picoseconds.
const same = 1e-10

// best returns the line of the fastest plan of all ways for a wait.
func (c *contest) best(ctx context.Context, wait float64) (envelope.Line, error) {
	of, time := -1, math.Inf(1)
	for i := range c.found {
		if now := c.found[i].at(wait); now < time {
			of, time = i, now
		}
	}
	type entrant struct {
		*family
		bound float64
	}
	var entrants []entrant
	for i := range c.ways {
		w := &c.ways[i]
		if w.none {
			continue
		}
		bound := w.chord(wait)
		if w.Bound != nil && bound < time*(1-same) {
			bound = max(bound, w.Bound(wait))
		}
		entrants = append(entrants, entrant{w, bound})
	}
	slices.SortStableFunc(entrants, func(a, b entrant) int { return cmp.Compare(a.bound, b.bound) })
	for _, e := range entrants {
		if err := ctx.Err(); err != nil {
			return envelope.Line{}, err
		}
		if e.bound >= time*(1-same) || e.Closer != nil && of >= 0 && e.Closer(wait) >= time*(1-same) {
			continue
		}
		limit := units.Time(0)
		if of >= 0 {
			limit = units.Time(time)
		}
		p, err := e.Best(ctx, wait, limit)
		switch {
		case errors.Is(err, planner.ErrBeyond):
			e.known = append(e.known, answer{wait, time})
			continue
		case errors.Is(err, planner.ErrInfeasible):
			e.none = true
			c.reason = cmp.Or(c.reason, err)
			continue
		case err != nil:
			return envelope.Line{}, err
		}
		c.found = append(c.found, p)
		e.known = append(e.known, answer{wait, p.at(wait)})
		if now := p.at(wait); now < time {
			of, time = len(c.found)-1, now
		}
	}
	if of < 0 {
		return envelope.Line{}, c.reason
	}
	return envelope.Line{Fixed: float64(c.found[of].CommunicationNs), Slope: float64(c.found[of].Reconfigurations), Of: of}, nil
}

// chord returns a lower bound on the time of a way's best plan for a wait, from its times at
// other waits: as a function of the wait, that time is concave and never falls.
func (w *family) chord(wait float64) float64 {
	bound := 0.0
	for _, a := range w.known {
		if a.wait <= wait {
			bound = max(bound, a.least)
		}
		for _, b := range w.known {
			if a.wait < wait && wait < b.wait {
				part := (wait - a.wait) / (b.wait - a.wait)
				bound = max(bound, a.least+part*(b.least-a.least))
			}
		}
	}
	return bound
}

// at returns the time of a plan for a wait.
func (p *Point) at(wait float64) float64 {
	return float64(p.CommunicationNs) + float64(p.Reconfigurations)*wait
}
