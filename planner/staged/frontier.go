package staged

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/units"
)

// FrontierPoint is a schedule that is the best for some delays of a reconfiguration.
type FrontierPoint struct {
	Reconfigurations int        // that are charged
	Communication    units.Time // all time but the part of the delay that is the same for every change
	From, To         units.Time // it is the best for delays in this range; To is +Inf for the last
}

// Frontier returns the best schedules of planner harvest for all delays of a
// reconfiguration at once. A schedule with k changes takes communication + k*delay,
// a line in the delay, so the best time is the lower envelope of lines, one for each k that
// is worth it, fewest changes last. What the request says of the delay is not used, except
// what depends on the circuits that change, which counts as communication.
//
// The breakpoints are exact: two neighbouring lines meet at a delay for which the search
// finds nothing better than both (Eisner and Severance 1976), so it runs at most twice
// per line, on costs of steps that are computed once.
func Frontier(ctx context.Context, r planner.Request) ([]FrontierPoint, error) {
	if err := r.Validate(); err != nil {
		return nil, err
	}
	switch r.Fabric.Overlap.Kind {
	case fabric.OverlapPorts, fabric.OverlapCircuits:
		return nil, fmt.Errorf("a frontier needs delays that add up, not overlap %s", r.Fabric.Overlap)
	}
	if closedFormApplies(&r) {
		d := NewRecursiveDoubling(r.Collective.Op, r.Fabric.Nodes)
		lines := d.Frontier(r.Fabric.Alpha, r.Fabric.Delta, r.Fabric.Bandwidth, r.Size)
		points := slices.Clone(lines)
		if r.Fabric.Initial == fabric.InitialDark {
			for i := range points {
				points[i].Reconfigurations++
			}
		}
		return shifted(points, &r.Fabric), nil
	}
	e := &envelope{request: r, v: newVariants(&r)}
	e.request.Fabric.Overlap, e.request.Fabric.Sync = fabric.Overlap{}, 0
	if err := e.trace(ctx); err != nil {
		return nil, err
	}
	return shifted(appendRanges(nil, e.lines), &r.Fabric), nil
}

// shifted turns points for the wait of a change into points for its delay. Communication
// then contains the barriers.
func shifted(points []FrontierPoint, f *fabric.Fabric) []FrontierPoint {
	barrier := f.WaitFor(0)
	var kept []FrontierPoint
	for _, p := range points {
		if p.To <= barrier {
			continue // a wait is never that short
		}
		p.Communication += units.Time(p.Reconfigurations) * barrier
		p.From, p.To = f.DelaysFor(p.From, p.To)
		kept = append(kept, p)
	}
	return kept
}

// line is a schedule's time as a function of the delay: time + changes*delay.
type line struct {
	changes int
	time    float64
}

func (l line) at(delay float64) float64 { return l.time + float64(l.changes)*delay }

// envelope finds the lines that are lowest somewhere.
type envelope struct {
	request planner.Request
	v       *variants
	lines   []line
}

// far is a delay, in multiples of the time without any, at which no schedule has a change
// that it could do without.
const far = 1e6

func (e *envelope) trace(ctx context.Context) error {
	first, err := e.solve(ctx, 0)
	if err != nil {
		return err
	}
	last, err := e.solve(ctx, far*first.time)
	if err != nil {
		return err
	}
	e.lines = append(e.lines, first, last)
	if err := e.between(ctx, first, last); err != nil {
		return err
	}
	slices.SortFunc(e.lines, func(a, b line) int {
		return cmp.Or(cmp.Compare(b.changes, a.changes), cmp.Compare(a.time, b.time))
	})
	e.lines = slices.CompactFunc(e.lines, func(a, b line) bool { return a.changes == b.changes })
	return nil
}

// between finds the lines between two that meet.
func (e *envelope) between(ctx context.Context, a, b line) error {
	if a.changes <= b.changes {
		return nil
	}
	delay := (b.time - a.time) / float64(a.changes-b.changes)
	found, err := e.solve(ctx, delay)
	if err != nil {
		return err
	}
	if found.at(delay) >= a.at(delay)*(1-frontierTolerance) || found.changes == a.changes || found.changes == b.changes {
		return nil
	}
	e.lines = append(e.lines, found)
	if err := e.between(ctx, a, found); err != nil {
		return err
	}
	return e.between(ctx, found, b)
}

// frontierTolerance is the relative rounding of a total.
const frontierTolerance = 1e-10

// solve finds the best schedule for a delay in ns. It need not be a whole number of
// picoseconds.
func (e *envelope) solve(ctx context.Context, delay float64) (line, error) {
	e.request.Fabric.Reconfig.Base = 0
	s, err := e.v.each(func(w *workload) (*schedule, error) {
		p, err := harvestPool(&e.request, w)
		if err != nil {
			return nil, err
		}
		w.fabric, w.extra = &e.request.Fabric, delay
		return search(ctx, &e.request, w, p.candidates, anyCandidate)
	})
	if err != nil {
		return line{}, err
	}
	changes, err := s.charged()
	return line{changes, s.total - float64(changes)*delay}, err
}

// charged counts the changes of a schedule that are charged.
func (s *schedule) charged() (int, error) {
	up, err := s.work.fabric.InitialTopology()
	if err != nil {
		return 0, err
	}
	count := 0
	if up != nil && !graphCandidate(up).same(s.choice[0]) {
		count++
	}
	for i := 1; i < len(s.choice); i++ {
		if !s.choice[i].same(s.choice[i-1]) {
			count++
		}
	}
	return count, nil
}

// appendRanges turns the lines of an envelope, most changes first, into points.
func appendRanges(points []FrontierPoint, lines []line) []FrontierPoint {
	from := units.Time(0)
	for i, l := range lines {
		to := units.Time(math.Inf(1))
		if i+1 < len(lines) {
			next := lines[i+1]
			to = units.Time((next.time - l.time) / float64(l.changes-next.changes))
		}
		points = append(points, FrontierPoint{l.changes, units.Time(l.time), from, to})
		from = to
	}
	return points
}
