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

// Way is a family of plans, such as those of an algorithm by a planner, as a function of
// what a change of circuits takes beyond its barrier, in ns.
type Way struct {
	// Bound is a time that no plan of the family beats; nil: none is known. A second, better
	// one that takes longer to compute is asked for only if the first does not say enough.
	Bound, Closer func(wait float64) float64
	// Best is the fastest plan: its names, its number of changes and its time without them. If
	// limit is above 0, a plan that takes longer is not needed: the error may then wrap
	// planner.ErrBeyond.
	Best func(ctx context.Context, wait float64, limit units.Time) (Point, error)
}

// far is a wait, in multiples of the time without any, at which no plan has a change that it
// could do without.
const far = 1e6

// MaxWait is the longest wait that is asked for, in ns: a delay in whole picoseconds is
// below what 64 bits hold.
const MaxWait = math.MaxInt64 / 4 / 1000

// Longest is the longest wait worth asking for, in ns, where the fastest plan takes fastest ns
// without any.
func Longest(fastest float64) float64 { return min(MaxWait, far*fastest) }

// Over returns the plans of several families that are the fastest of them all for some
// delay. Every way's best time is a concave function of the wait, the least of lines, and so
// is the least of them; envelope.Trace finds its corners by asking for the best plan at few
// waits, at most two for every line. For one wait the ways are asked in the order of their
// bounds, and those whose bound is not below a plan that is known already not at all: a
// bound of their own, or the chord between two waits that they were asked for before, below
// which a concave function does not go. Asked, if not nil, is called before every question
// with the number so far.
//
// A planner that does not find its best plan for some wait is believed there: the frontier
// then has plans that are real, but another may be faster.
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

// contest asks for the best of all ways.
type contest struct {
	ways   []family
	reason error   // why the first way without a plan has none
	found  []Point // all plans so far, which lines are of
}

// family is a way with what it has answered.
type family struct {
	Way
	none  bool // it has no plan, whatever the wait
	known []answer
}

// answer is a time that no plan of a way beats for a wait.
type answer struct{ wait, least float64 }

// same is the relative difference of times that are the same except for rounding: waits are
// whole picoseconds for planners.
const same = 1e-10

// best returns the line of the fastest plan of all for a wait.
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
			if c.reason == nil {
				c.reason = err
			}
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

// chord returns a time that the best plan of a way does not beat for a wait, by what it takes
// for others: its time as a function of the wait is concave and does not fall.
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

// at is the time of a plan for a wait.
func (p *Point) at(wait float64) float64 {
	return float64(p.CommunicationNs) + float64(p.Reconfigurations)*wait
}
