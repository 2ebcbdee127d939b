package column

import (
	"context"
	"errors"
	"math/bits"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/units"
)

// pieces plans with the best number of pieces, which depends on the delay and the size, unless it
// cannot improve on the known answers. The time for every number is a concave function of the
// wait, and so is the least of them. Static's initial set-up costs the same for every number of
// pieces, so one number is best for every delay and one question answers the column.
func (m *method) pieces(ctx context.Context, best []Answer) error {
	switch circuits := planner.TraitsOf(m.by).Circuits; {
	case !circuits.Fixed():
		return m.envelope(ctx, m.Open.Plan(m.by), best)
	case circuits == planner.CircuitsStay && m.column.Fabric.Ports > 1:
		return m.staticPieces(ctx, best)
	}
	return m.fixedPieces(ctx, best)
}

// free returns a request with changes that take no delay, limited to the longest known time of a
// cell.
func (m *method) free(best []Answer) planner.Request {
	loosest := units.Time(0)
	for i := range best {
		loosest = max(loosest, best[i].Total)
	}
	r := m.within(0, loosest)
	r.Fabric.Reconfig.Base = 0
	return r
}

// staticPieces is pieces for static on several ports: steps take linear programs, and a limit
// rules out most of them.
func (m *method) staticPieces(ctx context.Context, best []Answer) error {
	made, err := m.Open.Plan(m.by).Plan(ctx, m.free(best))
	if err != nil {
		return err
	}
	line := fixedLine{made.Cost.Total() - made.Cost.Reconfiguration, made.Reconfigurations}
	for i := range best {
		best[i].improve(m.fixedAnswer(made.Collective.Algorithm, line, i))
	}
	return nil
}

// fixedPieces is pieces for every-step, and for static on one port. The time for a number of
// pieces is a line in the wait that is found once for all columns, and usually for all sizes too.
func (m *method) fixedPieces(ctx context.Context, best []Answer) error {
	lines := map[int]fixedLine{}
	line := func(pieces int) (fixedLine, error) {
		known, ok := lines[pieces]
		if ok {
			return known, nil
		}
		times := m.s.fixedTimes(m, m.Open.Name(pieces), bits.Len(uint(pieces-1)))
		found, err := times.line(ctx, m, 0, func() (*collective.Collective, error) { return m.Open.Sketch(m.Open.Known, pieces) })
		if err == nil {
			lines[pieces] = found
		}
		return found, err
	}
	fastest := func(r planner.Request) (int, error) {
		wait := r.Fabric.LeastBarrier()
		pieces, _, err := m.Open.Fastest(ctx, m.by, r, func(pieces int) (units.Time, error) {
			found, err := line(pieces)
			return found.at(wait), err
		})
		return pieces, err
	}
	result := func(pieces, i int) Answer { return m.fixedAnswer(m.Open.Name(pieces), lines[pieces], i) }
	if planner.TraitsOf(m.by).Circuits == planner.CircuitsEveryStep {
		wait := func(i int) float64 { return float64(m.waits[i]) }
		return m.concave(best, wait, func(i int, limit units.Time) (Answer, units.Time, error) {
			pieces, err := fastest(m.within(i, limit))
			a := result(pieces, i)
			return a, a.Total - units.Time(float64(a.Changes)*wait(i)), err
		})
	}
	pieces, err := fastest(m.free(best))
	switch {
	case errors.Is(err, planner.ErrBeyond):
		return nil
	case err != nil:
		return err
	}
	for i := range best {
		best[i].improve(result(pieces, i))
	}
	return nil
}
