package staged

import (
	"context"
	"fmt"

	"github.com/lightpath-net/lightpath/envelope"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/staged/pass"
	"github.com/lightpath-net/lightpath/planner/staged/pricing"
	"github.com/lightpath-net/lightpath/units"
)

// FrontierPoint is a schedule that is the best for some reconfiguration delays.
type FrontierPoint struct {
	Reconfigurations int        // charged ones only
	Communication    units.Time // all but the part of the delay common to all changes
	From, To         units.Time // delays for which it is best; To is +Inf for the last
}

// Frontier returns the best schedules of planner harvest for all reconfiguration delays at once.
// A schedule with k changes takes communication + k*delay, a line in the delay, so the best time
// is the lower envelope of lines, one for each useful k; the fewest changes come last. Frontier
// ignores the delay of the request, except for the part that depends on the circuits that change,
// which counts as communication.
//
// The breakpoints are exact (envelope.Trace): the search runs at most twice per line, and the
// costs of steps are computed once.
func Frontier(ctx context.Context, r planner.Request) ([]FrontierPoint, error) {
	if err := r.Validate(); err != nil {
		return nil, err
	}
	switch r.Fabric.Overlap.Kind {
	case fabric.OverlapPorts, fabric.OverlapCircuits:
		return nil, fmt.Errorf("a frontier needs delays that add up, not overlap %s", r.Fabric.Overlap)
	}
	e := newAnyDelay(r)
	at0, err := e.solve(ctx, 0, 0)
	if err != nil {
		return nil, err
	}
	hull, err := envelope.Trace(0, far*at0.Fixed, func(delay float64) (envelope.Line, error) { return e.solve(ctx, delay, 0) })
	if err != nil {
		return nil, err
	}
	return shifted(appendPoints(nil, envelope.Segments(nil, hull)), &r.Fabric), nil
}

// anyDelays is planner.Traits.AnyDelay of harvest without topology search.
func anyDelays(r planner.Request) planner.BestAt {
	sync := float64(r.Fabric.Sync.Time())
	e := newAnyDelay(r)
	return func(ctx context.Context, wait float64, limit units.Time) (envelope.Line, error) {
		best, err := e.solve(ctx, wait+sync, limit)
		best.Fixed += best.Slope * sync
		return best, err
	}
}

// shifted turns points over the wait of a change into points over its delay. Communication then
// includes the barriers.
func shifted(points []FrontierPoint, f *fabric.Fabric) []FrontierPoint {
	barrier := f.WaitFor(0)
	var kept []FrontierPoint
	for _, p := range points {
		if p.To <= barrier {
			continue // waits are never that short
		}
		p.Communication += units.Time(p.Reconfigurations) * barrier
		p.From, p.To = f.DelaysFor(p.From, p.To)
		kept = append(kept, p)
	}
	return kept
}

// anyDelay finds the best schedule for any delay.
type anyDelay struct {
	request planner.Request
	v       *variants
}

func newAnyDelay(r planner.Request) *anyDelay {
	e := &anyDelay{request: r, v: newVariants(&r)}
	e.request.Fabric.Overlap, e.request.Fabric.Sync = fabric.Overlap{}, 0
	return e
}

// far is a delay, in multiples of the best time without delays, at which no schedule has a change
// that it could do without.
const far = 1e6

// solve finds the best schedule for a delay in ns. The delay need not be a whole number of
// picoseconds. limit is planner.Request.Limit.
func (e *anyDelay) solve(ctx context.Context, delay float64, limit units.Time) (envelope.Line, error) {
	e.request.Fabric.Reconfig.Base, e.request.Limit = 0, limit
	s, err := e.v.each(ctx, func(w *pricing.Workload) (*pass.Schedule, error) {
		p, err := e.v.tailored(ctx, &e.request, w)
		if err != nil {
			return nil, err
		}
		w.Fabric, w.Extra = &e.request.Fabric, delay
		return pass.Search(ctx, &e.request, pass.Problem{Work: w, Pool: p.Candidates})
	})
	if err != nil {
		return envelope.Line{}, err
	}
	changes, err := s.Charged()
	return envelope.Line{Fixed: s.Total - float64(changes)*delay, Slope: float64(changes)}, err
}

// appendPoints turns the segments of a lower envelope into points.
func appendPoints(points []FrontierPoint, segments []envelope.Segment) []FrontierPoint {
	for _, s := range segments {
		points = append(points, FrontierPoint{
			Reconfigurations: int(s.Slope), Communication: units.Time(s.Fixed), From: units.Time(s.From), To: units.Time(s.To),
		})
	}
	return points
}
