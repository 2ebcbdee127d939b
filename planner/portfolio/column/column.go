// Package column answers one operation on one fabric for many reconfiguration delays at once, and
// finds the delays at which each plan is best. Package portfolio says which ways and baselines are
// tried, and package auto in which order and which wins. This package only finds the times of a
// way in all cells of a column. A cell has the answer that planning the cell alone would find.
//
// If the delay does not depend on what changes, the time of a plan is a line in the delay and the
// time of the fastest plan is concave, so few plans answer a column. Otherwise every cell is
// planned.
package column

import (
	"context"
	"math"
	"sync"

	"github.com/lightpath-net/lightpath/bound"
	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/auto"
	"github.com/lightpath-net/lightpath/planner/idle"
	"github.com/lightpath-net/lightpath/planner/portfolio"
	"github.com/lightpath-net/lightpath/units"
)

// Column is an operation on fabrics that differ only in the constant part of the delay.
type Column struct {
	Operation collective.Operation
	Planner   string // a name, or auto
	Fabric    fabric.Fabric
	Delays    []units.Duration // the constant part of the delay, cell by cell
}

// Cell returns the fabric of a cell.
func (c *Column) Cell(i int) fabric.Fabric {
	f := c.Fabric
	f.Reconfig.Base = c.Delays[i]
	return f
}

// request asks for a plan of a cell.
func (c *Column) request(i int) *portfolio.Request {
	return &portfolio.Request{Operations: []collective.Operation{c.Operation}, Fabric: c.Cell(i)}
}

// by returns the column for an algorithm.
func (c *Column) by(algorithm string) *Column {
	other := *c
	other.Operation.Algorithm = algorithm
	return &other
}

// waits returns the least time of a change in every cell.
func (c *Column) waits() []units.Time {
	waits := make([]units.Time, len(c.Delays))
	f := c.Fabric
	for i, delay := range c.Delays {
		f.Reconfig.Base = delay
		waits[i] = f.LeastBarrier()
	}
	return waits
}

// apart reports whether cells are planned one by one: the time of a plan is not a line in the
// delay, there are so many GPUs that planning omits most ways, or planning tries more than the
// ways of a contest.
func (s *Search) apart(c *Column) bool {
	_, uniform := c.Fabric.UniformWait()
	return !uniform || c.Fabric.Nodes > portfolio.MostWhole || !c.request(0).OnlyContest(s.search)
}

// Answer is the fastest plan of a cell.
type Answer struct {
	Algorithm, Planner string
	Total              units.Time // +Inf if there is no plan
	Changes            int
	asked              string     // the algorithm as asked for, number of pieces open
	less               *idle.Less // the restriction of the fabric; nil: none
}

var inf = units.Time(math.Inf(1))

// improve keeps the faster answer; of equals, the earlier.
func (a *Answer) improve(b Answer) {
	if b.Total < a.Total {
		*a = b
	}
}

// Outcome is the fastest plan of a cell, with its baselines and bound.
type Outcome struct {
	Answer
	Baselines      plan.Baselines // of any algorithm; 0 if there is none
	Same           plan.Baselines // of the same algorithm; none if a planner makes its own steps
	OperationBound units.Time     // no plan for the operation is faster
	Reason         error          // why there is no plan
}

// Options say how columns are answered.
type Options struct {
	// FewSizes says that columns have so few sizes that planning each is less work than finding
	// the lines on which many sizes lie. Times then differ in their last bits.
	FewSizes bool
	// OnlyFastest says that outcomes need no baselines.
	OnlyFastest bool
}

// Search answers columns and reuses what it learns from one for the others. It is safe for
// concurrent use. NewSearch makes one.
type Search struct {
	options Options
	search  *portfolio.Search
	mutex   sync.Mutex
	fixed   map[fixedKey]*fixedTimes
}

// NewSearch returns a search for columns with the planners of s.
func NewSearch(s *portfolio.Search, o Options) *Search {
	return &Search{options: o, search: s.Quiet().Unseen().Lasting(), fixed: map[fixedKey]*fixedTimes{}}
}

// Solve answers the cells of a column. If a cell makes no sense, its outcome has a reason.
func (s *Search) Solve(ctx context.Context, c *Column) ([]Outcome, error) {
	out := make([]Outcome, len(c.Delays))
	first := c.Cell(0)
	if err := first.Validate(); err != nil {
		return hopeless(out, err), nil
	}
	p, err := s.search.Planners().Lookup(c.Planner)
	if err != nil {
		return hopeless(out, err), nil
	}
	best, reason, err := s.fastest(ctx, c, p, s.search, auto.SameTime)
	switch {
	case err != nil:
		return nil, err
	case best == nil:
		return hopeless(out, reason), nil
	}
	fastest := make([]plan.Baselines, len(best))
	if !s.options.OnlyFastest {
		if fastest, err = s.extremes(ctx, c); err != nil {
			return nil, err
		}
	}
	known := map[string][]plan.Baselines{}
	space := collective.SpaceOf(c.Operation.Op, c.Fabric.Nodes, 1)
	space.Members = c.Fabric.Alive()
	for i, a := range best {
		o := &out[i]
		o.Answer, o.Baselines = a, fastest[i]
		f := c.Cell(i)
		o.OperationBound = bound.OfOperation(&f, &collective.Section{Op: c.Operation.Op, Size: c.Operation.Size, Space: space}).Total()
		if a.Total == inf {
			if o.Reason = reason; reason == nil {
				o.Reason = planner.ErrInfeasible
			}
			continue
		}
		if s.options.OnlyFastest {
			continue
		}
		if static := &o.Baselines.Static; a.Changes == f.SetUps() && (*static == 0 || a.Total < *static) {
			*static = a.Total // it does not reconfigure either
		}
		if known[a.asked] == nil {
			if known[a.asked], err = s.same(ctx, c, a.asked); err != nil {
				return nil, err
			}
		}
		o.Same = known[a.asked][i]
	}
	return out, nil
}

// hopeless gives all outcomes a reason for having no plan.
func hopeless(out []Outcome, reason error) []Outcome {
	for i := range out {
		out[i].Total, out[i].Reason = inf, reason
	}
	return out
}

// Plan makes the plan of an answer.
func (s *Search) Plan(ctx context.Context, c *Column, i int, a Answer) (*plan.Plan, error) {
	whole, name := s.search, c.Planner
	if !s.apart(c) {
		c, name, whole = c.by(a.Algorithm), a.Planner, whole.WithAllPorts()
	}
	p, err := whole.Planners().Lookup(name)
	if err != nil {
		return nil, err
	}
	r := c.request(i)
	asked := r.Fabric
	if a.less != nil {
		r.Fabric = a.less.On(r.Fabric)
	}
	made, err := r.Fastest(ctx, p, whole)
	if err == nil && a.less != nil {
		err = idle.Widen(ctx, made, &asked)
	}
	return made, err
}
