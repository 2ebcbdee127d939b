package column

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/lightpath-net/lightpath/bound"
	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/envelope"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/field"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/auto"
	"github.com/lightpath-net/lightpath/planner/portfolio"
	"github.com/lightpath-net/lightpath/units"
)

// fastest returns the fastest plan of every cell, and the reason of the first way that has no
// plan. It returns no answers if the question makes no sense. Times count as equal if they differ
// by no more than same, relatively.
func (s *Search) fastest(ctx context.Context, c *Column, p planner.Planner, search *portfolio.Search, same units.Time) (answers []Answer, reason, err error) {
	best := newWinners(len(c.Delays), same)
	ways, err := c.request(0).Ways(ctx, p, search)
	if err == nil && !c.apart() && planner.TraitsOf(p).Best {
		err = c.settle(ctx, search, best)
	}
	switch {
	case err != nil:
	case c.apart():
		reason, err = each(ctx, c, p, ways, search, best)
	default:
		reason, err = s.contest(ctx, s.methods(ctx, c, ways), best)
	}
	if named, ok := err.(*field.Error); ok {
		if reason, err = s.reason(ctx, c, p, named), nil; !errors.Is(reason, planner.ErrInfeasible) {
			return nil, reason, nil
		}
	}
	return best.answers, reason, err
}

// settle starts with the plan that does not reconfigure, if the request has one such plan
// whatever the delay (portfolio.Request.Settled). No other plan without reconfigurations is
// better.
func (c *Column) settle(ctx context.Context, search *portfolio.Search, best *winners) error {
	r := c.request(0)
	if !r.Settled(search) {
		return nil
	}
	static, err := r.Staying(ctx, nil, search)
	switch {
	case errors.Is(err, planner.ErrInfeasible):
		return nil
	case err != nil:
		return err
	}
	for i := range best.answers {
		best.answers[i], best.methods[i] = answerOf(static, static.Collective.Algorithm), -1
	}
	return nil
}

// each plans every cell of a column separately, except cells between two whose plans are on the
// same line in the delay (concave).
func each(ctx context.Context, c *Column, p planner.Planner, ways []portfolio.Way, search *portfolio.Search, best *winners) (reason, err error) {
	var times concave
	for _, i := range outsideIn(c.Delays) {
		wait := float64(c.Delays[i].Time())
		if line, known := times.lookup(wait); known {
			best.answers[i] = best.answers[line.Of]
			best.answers[i].Total = units.Time(line.At(wait))
			continue
		}
		made, err := c.request(i).Fastest(ctx, p, search)
		switch {
		case errors.Is(err, planner.ErrInfeasible):
			reason = cmp.Or(reason, err)
			continue
		case err != nil:
			return nil, err
		}
		best.answers[i] = answerOf(made, made.Collective.Algorithm)
		for _, w := range ways {
			if w.Open != nil && strings.HasPrefix(made.Collective.Algorithm, w.Algorithm+":") {
				best.answers[i].asked = w.Algorithm
			}
		}
		if c.linear() {
			waits := float64(made.Reconfigurations) * wait
			times.add(wait, envelope.Line{Fixed: float64(made.Cost.Total()) - waits, Slope: float64(made.Reconfigurations), Of: i})
		}
	}
	return reason, nil
}

// linear reports whether every change adds exactly the delay to the time of a plan, and planners
// optimise that time.
func (c *Column) linear() bool {
	_, uniform := c.Fabric.Reconfig.Uniform()
	return uniform && c.Fabric.Overlap == (fabric.Overlap{}) && c.Fabric.Charge == fabric.ChargeChanges
}

func answerOf(made *plan.Plan, asked string) Answer {
	return Answer{Algorithm: made.Collective.Algorithm, Planner: made.Planner, Total: made.Cost.Total(), Changes: made.Reconfigurations, asked: asked}
}

// method is a way to answer a whole column with one planner, if every change takes the same time.
type method struct {
	portfolio.Way
	s      *Search
	column *Column         // on the fabric that the way may use
	by     planner.Planner // one of the planners that Way.By stands for
	laid   collective.Sized
	none   error // why the method has no plan
	waits  []units.Time
	index  int // position in the order in which planning tries methods
	// sure is a lower and an upper bound on the method's time, as lines in the wait; nil if they
	// are not known.
	sure *[2]envelope.Line
}

// methods lists the methods for a column in the order in which planning would try them.
func (s *Search) methods(ctx context.Context, c *Column, ways []portfolio.Way) []*method {
	var all []*method
	waits := c.waits()
	for _, w := range ways {
		narrow := c
		if w.Less != nil {
			less := *c
			less.Fabric = w.Less.On(c.Fabric)
			narrow = &less
		}
		laid, err := w.Lay(ctx)
		for _, p := range portfolio.Expand(w.By, s.search.Planners(), &narrow.Fabric) {
			all = append(all, &method{Way: w, s: s, column: narrow, by: p, laid: laid, none: unlaid(err), waits: waits, index: len(all)})
		}
	}
	return all
}

// contest lets methods improve the best answers: first the quick ones that make their own steps,
// then those with the lowest bounds. It skips a method whose bound is above the known times, and
// planning stops as soon as it exceeds them: on several ports, a static plan of a dense step
// takes a large linear program.
func (s *Search) contest(ctx context.Context, methods []*method, best *winners) (reason, err error) {
	ceilings := make([]units.Time, len(best.answers))
	for i := range ceilings {
		ceilings[i] = inf
	}
	if len(methods) > 1 {
		if methods, err = promising(ctx, methods, ceilings); err != nil {
			return nil, err
		}
	}
	for _, m := range methods {
		own := best.against(m.index)
		if len(methods) > 1 && !m.mayWin(own, ceilings) {
			continue
		}
		err := m.solve(ctx, own, ceilings)
		best.take(own, m.index)
		switch {
		case errors.Is(err, planner.ErrBeyond):
		case errors.Is(err, planner.ErrInfeasible):
			reason = cmp.Or(reason, err)
		case err != nil:
			return nil, err
		}
	}
	return reason, nil
}

// promising orders methods by their bounds, and sets ceilings to times that some method is sure
// not to exceed.
func promising(ctx context.Context, methods []*method, ceilings []units.Time) ([]*method, error) {
	middle := len(ceilings) / 2
	for _, m := range methods {
		if err := m.estimate(ctx); err != nil {
			return nil, err
		}
		for i := range ceilings {
			if m.sure != nil {
				ceilings[i] = min(ceilings[i], units.Time(m.sure[1].At(float64(m.waits[i]))))
			}
		}
	}
	methods = slices.Clone(methods)
	auto.Order(methods, func(m *method) auto.Bounds {
		b := auto.Bounds{Least: inf, Most: inf}
		if !m.late() && !planner.TraitsOf(m.by).Last {
			b.Least = m.least(middle)
		}
		if m.sure != nil {
			b.Most = units.Time(m.sure[1].At(float64(m.waits[middle])))
		}
		return b
	})
	return methods, nil
}

// estimate bounds the time of a method whose circuits do not depend on the delay.
func (m *method) estimate(ctx context.Context) error {
	bounds := planner.TraitsOf(m.by).BoundLine
	if m.none != nil || m.Open != nil || !m.forced() || m.sure != nil || bounds == nil {
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
	}
	return nil
}

// least returns a lower bound on the method's time in a cell; 0 if none is known.
func (m *method) least(i int) units.Time {
	switch {
	case m.sure != nil:
		return units.Time(m.sure[0].At(float64(m.waits[i])))
	case m.Open != nil:
		least, _, err := planner.TraitsOf(m.Open.Plan(nil)).Bound(context.Background(), m.request(i))
		if err != nil {
			return 0
		}
		return least
	case m.none != nil:
		return 0
	case len(m.laid.Steps) == 0:
		bound := planner.TraitsOf(m.by).Bound
		if bound == nil {
			return 0
		}
		least, _, err := bound(context.Background(), m.request(i))
		if err != nil {
			return 0
		}
		return least
	}
	f := m.column.Cell(i)
	return bound.OfAlgorithm(&f, m.laid.Collective, m.laid.Size).Schedule
}

// late reports whether a method runs after those with bounds. Finding the number of pieces of a
// fixed schedule within a limit is as quick as bounding its time.
func (m *method) late() bool { return m.Open != nil && m.forced() }

// forced reports whether the algorithm's steps and the planner leave no choice of circuits.
func (m *method) forced() bool {
	traits := planner.TraitsOf(m.by)
	return traits.Composes == nil && traits.Circuits.Fixed()
}

// mayWin reports whether the method may improve some cell: its bound there is below the known
// time.
func (m *method) mayWin(best []Answer, ceilings []units.Time) bool {
	if m.late() {
		return true
	}
	for i := range best {
		if least := m.least(i); least < best[i].Total && !planner.Above(least, ceilings[i]) {
			return true
		}
	}
	return false
}

// solve improves the answers of all cells. Ceilings are times that some method does not exceed.
func (m *method) solve(ctx context.Context, best []Answer, ceilings []units.Time) error {
	if m.none != nil {
		return m.none
	}
	traits := planner.TraitsOf(m.by)
	switch {
	case m.Open != nil:
		return m.pieces(ctx, best)
	case m.forced():
		return m.fixed(ctx, best, ceilings)
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

// request returns the planner request for a cell.
func (m *method) request(i int) planner.Request {
	r := m.s.search.Ask(m.column.Cell(i))
	r.Collective, r.Size = m.laid.Collective, m.laid.Size
	return r
}

// within is request limited to the best known time, if there is one.
func (m *method) within(i int, best units.Time) planner.Request {
	r := m.request(i)
	if best < inf {
		r.Limit = best
	}
	return r
}
