package sweep

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/lightpath-net/lightpath/bound"
	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/collective/algorithms"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/idle"
	"github.com/lightpath-net/lightpath/planner/portfolio"
	"github.com/lightpath-net/lightpath/planner/staged"
	"github.com/lightpath-net/lightpath/units"
)

// The names of planners that cells are compared with, and of all together.
const (
	auto      = collective.Auto
	static    = string(plan.Static)
	everyStep = string(plan.EveryStep)
)

var inf = math.Inf(1)

// Columns is the Solver: it plans a column with one frontier for each algorithm where the
// delay does not depend on what changes, and cell by cell where it does or where a planner
// has no frontier.
type Columns struct {
	// FewSizes says that requests have so few sizes that planning each is less work than
	// finding the lines that many lie on. Times then differ in their last bits.
	FewSizes bool

	planners planner.Registry
	simulate func(ctx context.Context, p *plan.Plan, packet units.Bytes) (units.Time, error)

	mutex sync.Mutex
	fixed map[fixedKey]*fixedTimes
	laid  map[layoutKey]*layout
	kept  *planner.Memory // of planners that make their own steps
}

// NewColumns returns a solver with the given planners. Simulate replays a plan with
// packets of a size; it may be nil if no request asks for it.
func NewColumns(planners planner.Registry, simulate func(ctx context.Context, p *plan.Plan, packet units.Bytes) (units.Time, error)) *Columns {
	return &Columns{planners: planners, simulate: simulate, fixed: map[fixedKey]*fixedTimes{}, laid: map[layoutKey]*layout{}, kept: planner.NewMemory()}
}

// Solve implements Solver. Cells whose fabrics differ in more than the constant part of the
// delay have nothing in common: they are columns of their own.
func (c *Columns) Solve(ctx context.Context, column []Request) ([]Outcome, error) {
	kinds := map[fabric.Key][]int{}
	var order []fabric.Key
	for i := range column {
		free := column[i].Fabric
		free.Reconfig.Base = 0
		key := free.Key()
		if kinds[key] == nil {
			order = append(order, key)
		}
		kinds[key] = append(kinds[key], i)
	}
	if len(order) == 1 {
		return c.solve(ctx, column)
	}
	out := make([]Outcome, len(column))
	for _, key := range order {
		part := make([]Request, len(kinds[key]))
		for k, i := range kinds[key] {
			part[k] = column[i]
		}
		answers, err := c.solve(ctx, part)
		if err != nil {
			return nil, err
		}
		for k, i := range kinds[key] {
			out[i] = answers[k]
		}
	}
	return out, nil
}

// solve answers cells that differ in the constant part of the delay only.
func (c *Columns) solve(ctx context.Context, column []Request) ([]Outcome, error) {
	out := make([]Outcome, len(column))
	first := column[0]
	if err := first.Fabric.Validate(); err != nil {
		return reasons(out, err), nil
	}
	ways, err := c.ways(&first)
	if err != nil {
		return reasons(out, err), nil
	}
	best := newWinners(len(column))
	var reason error
	for _, w := range c.promising(ways, column) {
		own := best.against(w.index)
		if len(ways) > 1 && !w.mayWin(column, own) {
			continue
		}
		err := w.solve(ctx, column, own)
		best.take(own, w.index)
		switch {
		case errors.Is(err, planner.ErrInfeasible):
			if reason == nil {
				reason = err
			}
		case err != nil:
			return nil, err
		}
	}
	if err := c.complete(ctx, column, best.answers, reason, out); err != nil {
		return nil, err
	}
	return out, nil
}

func reasons(out []Outcome, err error) []Outcome {
	for i := range out {
		out[i].Reason = err.Error()
	}
	return out
}

// answer is a plan's time and where it is from.
type answer struct {
	algorithm, planner string
	total              float64
	changes            int
	asked              string     // the algorithm as it was asked for, with its number of pieces open
	less               *idle.Less // that it has of the fabric; nil: all
}

// improve keeps the faster, of equals the earlier.
func (a *answer) improve(b answer) {
	if b.total < a.total {
		*a = b
	}
}

// way is a method to answer a whole column with one algorithm. It improves what is
// known of each cell.
type way struct {
	solve func(ctx context.Context, column []Request, best []answer) error
	// bound is a time that it cannot beat for a request; nil where none is known.
	bound func(r *Request) float64
	// pieced says that it looks for a number of pieces.
	pieced bool
	// composed says that its planner makes its own steps.
	composed bool
	index    int // in the order in which planning tries them
}

// promising orders ways: those without a bound, which make their own steps and are quick,
// then those with the lowest bounds.
func (c *Columns) promising(ways []way, column []Request) []way {
	if len(ways) == 1 {
		return ways
	}
	bounds := make([]float64, len(ways))
	order := make([]int, len(ways))
	for i := range ways {
		order[i] = i
		if ways[i].bound != nil {
			bounds[i] = ways[i].bound(&column[len(column)/2])
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(bounds[a], bounds[b]) })
	sorted := make([]way, len(ways))
	for i, k := range order {
		sorted[i] = ways[k]
	}
	return sorted
}

// mayWin reports whether some cell may become faster: its bound is below what is known.
func (w *way) mayWin(column []Request, best []answer) bool {
	if w.bound == nil {
		return true
	}
	for i := range column {
		if math.IsInf(best[i].total, 1) || w.bound(&column[i]) < best[i].total {
			return true
		}
	}
	return false
}

// ways lists the methods for a request, as planning with it would try them: those that leave
// ports unused last.
func (c *Columns) ways(r *Request) ([]way, error) {
	ways, reason := c.waysOn(r)
	for _, less := range idle.Of(&r.Fabric) {
		narrow := leave(less, *r)
		more, err := c.waysOn(&narrow)
		if err != nil {
			continue // they are not for fabrics that allow so little
		}
		for _, w := range more {
			ways = append(ways, w.leaving(less))
		}
	}
	if len(ways) == 0 {
		return nil, reason
	}
	for i := range ways {
		ways[i].index = i
	}
	return ways, nil
}

// waysOn is ways for all ports.
func (c *Columns) waysOn(r *Request) ([]way, error) {
	p, err := c.planners.Lookup(r.Planner)
	if err != nil {
		return nil, err
	}
	if planner.TraitsOf(p).Composes != nil {
		return c.composed(r, p)
	}
	open := r.Algorithm == auto
	names := []string{r.Algorithm}
	if open {
		names = c.algorithms(r)
	} else if composer := c.planners.Composing(r.Algorithm); composer != nil {
		if r.Planner != auto {
			return nil, fmt.Errorf("algorithm %s is made by planner %s, not by %s", r.Algorithm, composer.Name(), r.Planner)
		}
		return c.composed(r, composer)
	}
	var ways []way
	for _, name := range names {
		for _, p := range portfolio.Expand(p, c.planners, &r.Fabric) {
			w := c.way(p, name)
			_, w.pieced = c.openPieces(r, name)
			ways = append(ways, w)
		}
	}
	if r.Planner == auto && open {
		for _, p := range c.planners {
			if planner.TraitsOf(p).Composes != nil {
				if more, err := c.composed(r, p); err == nil {
					ways = append(ways, more...)
				}
			}
		}
	}
	if len(ways) == 0 {
		return nil, fmt.Errorf("no algorithm does %s on %d nodes", r.Op, r.Fabric.Nodes)
	}
	return ways, nil
}

// way returns the fastest exact method for a planner.
func (c *Columns) way(p planner.Planner, algorithm string) way {
	bound := func(r *Request) float64 {
		if l, ok := c.openPieces(r, algorithm); ok {
			return c.piecesBound(l, r, algorithm)
		}
		laid, err := c.layout(r, algorithm)
		if err != nil {
			return 0
		}
		return float64(bound.OfAlgorithm(&r.Fabric, laid, r.Size).Schedule)
	}
	return way{bound: bound, solve: func(ctx context.Context, column []Request, best []answer) error {
		if l, ok := c.openPieces(&column[0], algorithm); ok {
			return c.piecesWay(ctx, p, l, algorithm, column, best)
		}
		laid, err := c.layout(&column[0], algorithm)
		if err != nil {
			return fmt.Errorf("%w: %v", planner.ErrInfeasible, err)
		}
		if _, uniform := column[0].Fabric.UniformWait(); uniform {
			switch circuits := planner.TraitsOf(p).Circuits; {
			case staged.Asks(p):
				return c.askedWay(ctx, p, laid, column, best, bound)
			case circuits.Fixed():
				return c.fixedWay(ctx, p, algorithm, column, best)
			case circuits == planner.CircuitsBest:
				return c.envelopeWay(ctx, p, laid, column, best)
			}
		}
		return c.eachWay(ctx, p, laid, column, best)
	}}
}

// composed is the way of a planner that makes its own steps.
func (c *Columns) composed(r *Request, p planner.Planner) ([]way, error) {
	composer := planner.TraitsOf(p).Composes
	if r.Algorithm != auto && r.Algorithm != composer.Algorithm {
		return nil, fmt.Errorf("planner %s makes its own steps, algorithm %s, not %s", p.Name(), composer.Algorithm, r.Algorithm)
	}
	task := unlaid(r, composer.Algorithm)
	if err := composer.Supports(task, &r.Fabric); err != nil {
		return nil, err
	}
	return []way{{composed: true, solve: func(ctx context.Context, column []Request, best []answer) error {
		if _, uniform := column[0].Fabric.UniformWait(); uniform {
			return c.envelopeWay(ctx, p, task, column, best)
		}
		return c.eachWay(ctx, p, task, column, best)
	}}}, nil
}

// askedWay asks for the best plan of a planner with a staged.Asker where the concave function of the wait is not
// known and the bound does not say that it has lost.
func (c *Columns) askedWay(ctx context.Context, p planner.Planner, laid *collective.Collective, column []Request, best []answer, bound func(*Request) float64) error {
	asker := staged.NewAsker(c.request(&column[0], laid))
	var times concave
	for _, i := range outsideIn(column) {
		f := &column[i].Fabric
		wait := max(0, float64(f.Reconfig.Base.Time()-f.Overlap.Compute.Time()))
		t, known := times.lookup(wait)
		if !known {
			limited := c.within(&column[i], laid, &best[i])
			if limited.Limit > 0 && bound(&column[i]) >= best[i].total {
				continue
			}
			line, err := asker.Best(ctx, wait, limited.Limit)
			if errors.Is(err, planner.ErrBeyond) {
				continue
			}
			if err != nil {
				return err
			}
			t = tangent{x: wait, at0: line.Fixed, slope: line.Slope}
			times.add(t)
		}
		best[i].improve(answer{laid.Algorithm, p.Name(), t.at(wait), int(t.slope), laid.Algorithm, nil})
	}
	return nil
}

// envelopeWay plans where the concave function of the wait is not known: at the ends
// first, then where two lines disagree.
func (c *Columns) envelopeWay(ctx context.Context, p planner.Planner, laid *collective.Collective, column []Request, best []answer) error {
	return concaveWay(column, best, func(i int) (answer, error) {
		made, err := p.Plan(ctx, c.within(&column[i], laid, &best[i]))
		if err != nil {
			return answer{}, err
		}
		return answer{made.Collective.Algorithm, p.Name(), float64(made.Cost.Total()), made.Reconfigurations, laid.Algorithm, nil}, nil
	})
}

// concaveWay is envelopeWay with plans that are known otherwise.
func concaveWay(column []Request, best []answer, ask func(i int) (answer, error)) error {
	var times concave
	var answers []answer
	for _, i := range outsideIn(column) {
		wait := float64(column[i].Fabric.LeastBarrier())
		t, known := times.lookup(wait)
		if !known {
			a, err := ask(i)
			if errors.Is(err, planner.ErrBeyond) {
				continue
			}
			if err != nil {
				return err
			}
			k := float64(a.changes)
			t = tangent{x: wait, at0: a.total - k*wait, slope: k, index: len(answers)}
			answers = append(answers, a)
			times.add(t)
		}
		a := answers[t.index]
		a.total = t.at(wait)
		best[i].improve(a)
	}
	return nil
}

// outsideIn orders the cells of a column: the shortest delay, the longest, and then always
// the middle between two, so that what lies between equals need not be planned.
func outsideIn(column []Request) []int {
	order := make([]int, len(column))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return int(min(max(column[a].Fabric.Reconfig.Base-column[b].Fabric.Reconfig.Base, -1), 1))
	})
	var out []int
	var between func(from, to int)
	between = func(from, to int) {
		if mid := (from + to) / 2; mid > from && mid < to {
			out = append(out, order[mid])
			between(from, mid)
			between(mid, to)
		}
	}
	out = append(out, order[0])
	if last := len(order) - 1; last > 0 {
		out = append(out, order[last])
		between(0, last)
	}
	return out
}

// eachWay plans every cell.
func (c *Columns) eachWay(ctx context.Context, p planner.Planner, laid *collective.Collective, column []Request, best []answer) error {
	for i := range column {
		made, err := p.Plan(ctx, c.within(&column[i], laid, &best[i]))
		if errors.Is(err, planner.ErrBeyond) {
			continue
		}
		if err != nil {
			return err
		}
		best[i].improve(answer{made.Collective.Algorithm, made.Planner, float64(made.Cost.Total()), made.Reconfigurations, laid.Algorithm, nil})
	}
	return nil
}

func (c *Columns) request(r *Request, laid *collective.Collective) planner.Request {
	return planner.Request{Fabric: r.Fabric, Collective: laid, Size: r.Size, Bare: true, Kept: c.kept}
}

// within is the request with the limit that a faster plan is known.
func (c *Columns) within(r *Request, laid *collective.Collective, best *answer) planner.Request {
	limited := c.request(r, laid)
	if !math.IsInf(best.total, 1) {
		limited.Limit = units.Time(best.total)
	}
	return limited
}

// shapeOf returns what algorithms are laid out for.
func shapeOf(f *fabric.Fabric) collective.Shape {
	s := collective.Shape{Nodes: f.Nodes, Ports: f.Ports}
	if alive := f.Alive(); alive != nil {
		s.Nodes = len(alive)
	}
	return s
}

// algorithms lists those that can do the operation.
func (c *Columns) algorithms(r *Request) []string {
	var names []string
	for _, a := range algorithms.For(r.Op, shapeOf(&r.Fabric)) {
		names = append(names, a.Name)
	}
	return names
}
