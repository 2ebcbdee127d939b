package column

import (
	"cmp"
	"context"
	"errors"
	"strings"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/envelope"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/field"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/portfolio"
	"github.com/lightpath-net/lightpath/units"
)

// fastest returns the fastest plan of every cell, and the reason of the first way that has no
// plan. It returns no answers if the question makes no sense. Times count as equal if they differ
// by no more than same, relatively.
func (s *Search) fastest(ctx context.Context, c *Column, p planner.Planner, search *portfolio.Search, same units.Time) (answers []Answer, reason, err error) {
	best := newResults(len(c.Delays), same)
	ways, err := c.request(0).Ways(ctx, p, search)
	if err == nil && !s.apart(c) && planner.TraitsOf(p).Best {
		err = c.settle(ctx, search, best)
	}
	switch {
	case err != nil:
	case s.apart(c):
		reason, err = each(ctx, c, p, ways, search, best)
	default:
		reason, err = best.run(ctx, s.methods(ctx, c, ways))
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
func (c *Column) settle(ctx context.Context, search *portfolio.Search, best *results) error {
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
		best.begin(i, answerOf(static, static.Collective.Algorithm))
	}
	return nil
}

// each plans every cell of a column separately, except cells between two whose plans are on the
// same line in the delay (concave).
func each(ctx context.Context, c *Column, p planner.Planner, ways []portfolio.Way, search *portfolio.Search, best *results) (reason, err error) {
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

	into    *results     // of the contest that it takes part in
	bounded bool         // its bounds have been asked for
	lower   []units.Time // its known lower bounds, cell by cell; 0: not known
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

// forced reports whether the algorithm's steps and the planner leave no choice of circuits.
func (m *method) forced() bool {
	traits := planner.TraitsOf(m.by)
	return traits.Composes == nil && traits.Circuits.Fixed()
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
