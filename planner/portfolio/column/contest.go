package column

import (
	"context"
	"errors"

	"github.com/lightpath-net/lightpath/bound"
	"github.com/lightpath-net/lightpath/envelope"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/auto"
	"github.com/lightpath-net/lightpath/units"
)

// results are the best answers of a column so far, in a contest with a cell for every delay.
type results struct {
	*auto.Contest
	answers []Answer
}

// newResults begins a contest in which times are equal that differ by no more than same,
// relatively.
func newResults(cells int, same units.Time) *results {
	r := &results{auto.NewContest(cells, same, 0), make([]Answer, cells)}
	for i := range r.answers {
		r.answers[i].Total = inf
	}
	return r
}

// begin begins a cell with an answer that comes before those of all methods.
func (r *results) begin(cell int, a Answer) {
	r.answers[cell] = a
	r.Known(cell, a.Total)
}

// run lets methods compete, and returns the reason of the first that has no plan.
func (r *results) run(ctx context.Context, methods []*method) (reason, err error) {
	for _, m := range methods {
		m.into = r
	}
	err = auto.Run(ctx, r.Contest, methods)
	return r.Reason(), err
}

// Turn implements auto.Entrant.
func (m *method) Turn() auto.Turn {
	traits := planner.TraitsOf(m.by)
	switch {
	case m.none != nil:
		return auto.ByBound // it only says why
	case m.Open == nil:
		return auto.TurnOf(&traits, len(m.laid.Steps) > 0)
	case m.forced():
		return auto.Late
	}
	return auto.ByBound
}

// Index implements auto.Entrant.
func (m *method) Index() int { return m.index }

// Lighter implements auto.Entrant.
func (m *method) Lighter(*method) bool { return false }

// LayOut implements auto.Entrant: methods are laid out.
func (m *method) LayOut(context.Context) error { return nil }

// Bounds implements auto.Entrant. Before Bound, nothing is known.
func (m *method) Bounds(cell int) (least, most units.Time) {
	switch {
	case !m.bounded:
		return 0, inf
	case m.sure != nil:
		wait := float64(m.waits[cell])
		return units.Time(m.sure[0].At(wait)), units.Time(m.sure[1].At(wait))
	}
	return m.least(cell), inf
}

// Bound implements auto.Entrant. If the circuits of a method do not depend on the delay, its
// bounds are lines.
func (m *method) Bound(ctx context.Context, c *auto.Contest) error {
	m.bounded = true
	bounds := planner.TraitsOf(m.by).BoundLine
	if m.none != nil || m.Open != nil || !m.forced() || bounds == nil {
		return nil
	}
	least, most, ok, err := bounds(ctx, m.request(0))
	switch {
	case errors.Is(err, planner.ErrInfeasible):
		m.none = err
	case err != nil:
		return err
	case ok:
		m.sure = &[2]envelope.Line{least, most}
		for i, wait := range m.waits {
			c.Ceil(i, units.Time(most.At(float64(wait))))
		}
	}
	return nil
}

// least returns a lower bound on the method's time in a cell; 0 if none is known.
func (m *method) least(i int) units.Time {
	if m.sure != nil {
		return units.Time(m.sure[0].At(float64(m.waits[i])))
	}
	if m.none != nil {
		return 0
	}
	if m.lower == nil {
		m.lower = make([]units.Time, len(m.waits))
	}
	if m.lower[i] == 0 {
		m.lower[i] = m.bound(i)
	}
	return m.lower[i]
}

// bound computes least where it is not a line.
func (m *method) bound(i int) units.Time {
	within := planner.TraitsOf(m.by).Bound
	switch {
	case m.Open != nil:
		within = planner.TraitsOf(m.Open.Plan(nil)).Bound
	case len(m.laid.Steps) > 0:
		f := m.column.Cell(i)
		return bound.OfAlgorithm(&f, m.laid.Collective, m.laid.Size).Schedule
	}
	if within == nil {
		return 0
	}
	least, _, err := within(context.Background(), m.request(i))
	if err != nil {
		return 0
	}
	return least
}

// Plan implements auto.Entrant: it answers all cells that the method may win.
func (m *method) Plan(ctx context.Context, c *auto.Contest) error {
	own := make([]Answer, len(m.waits))
	for i := range own {
		own[i].Total = c.ToBeat(i, m.index)
	}
	err := m.solve(ctx, own, c)
	for i, a := range own {
		if a.Algorithm != "" && c.Offer(i, m.index, a.Total) { // improved
			m.into.answers[i] = a
		}
	}
	return err
}

// solve improves the answers of all cells.
func (m *method) solve(ctx context.Context, best []Answer, c *auto.Contest) error {
	if m.none != nil {
		return m.none
	}
	traits := planner.TraitsOf(m.by)
	switch {
	case m.Open != nil:
		return m.pieces(ctx, best)
	case m.forced():
		return m.fixed(ctx, best, c)
	case traits.Composes != nil || traits.AnyDelay != nil || traits.Circuits == planner.CircuitsBest:
		return m.envelope(ctx, m.by, best)
	}
	for i := range best {
		made, err := m.by.Plan(ctx, m.within(i, best[i].Total))
		if errors.Is(err, planner.ErrBeyond) {
			continue
		}
		if err != nil {
			return err
		}
		best[i].improve(m.answer(answerOf(made, m.laid.Algorithm)))
	}
	return nil
}

// answer marks an answer as one of this method.
func (m *method) answer(a Answer) Answer {
	a.asked, a.less = m.laid.Algorithm, m.Less
	return a
}
