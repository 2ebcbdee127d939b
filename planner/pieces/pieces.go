package pieces

import (
	"context"
	"errors"
	"math"

	"github.com/lightpath-net/lightpath/collective/algorithms"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/flow"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/units"
)

// Algorithm has the layouts of an algorithm whose number of pieces is open.
type Algorithm struct {
	*algorithms.Pieces
	Known *algorithms.Registry
	// Static and EveryStep, if not nil, are the planners that plans are compared with.
	Static, EveryStep planner.Planner
}

// Plan returns a planner that plans with another planner, for the number of pieces with which
// that one takes the least time. The collective of its requests has no steps.
func (l Algorithm) Plan(with planner.Planner) planner.Planner { return tuned{with, l} }

type tuned struct {
	planner.Planner
	algorithm Algorithm
}

// Traits implements planner.Described.
func (t tuned) Traits() planner.Traits {
	return planner.Traits{Baseline: planner.TraitsOf(t.Planner).Baseline, Bound: t.bound, Time: t.time, Compare: t.compare}
}

// bound implements planner.Traits.Bound: it returns the least of the bounds for every number of
// pieces. How long the best number takes at most is not known before the search.
func (t tuned) bound(ctx context.Context, r planner.Request) (least, most units.Time, err error) {
	if err := r.Validate(); err != nil {
		return 0, 0, err
	}
	s, err := t.search(ctx, t.Planner, r)
	if err != nil {
		return 0, 0, err
	}
	_, lowest := s.lowest()
	return units.Time(lowest), units.Time(math.Inf(1)), nil
}

// Plan implements planner.Planner.
func (t tuned) Plan(ctx context.Context, r planner.Request) (*plan.Plan, error) {
	if err := r.Validate(); err != nil {
		return nil, err
	}
	s, err := t.search(ctx, t.Planner, r)
	if err != nil {
		return nil, err
	}
	if err := s.findWithin(ctx, &r); err != nil {
		return nil, err
	}
	r.Say("%s with %s: %d numbers of pieces were looked at", t.algorithm.Name(s.best), t.Name(), len(s.known))
	if r.Collective, err = t.algorithm.Lay(t.algorithm.Known, s.best); err != nil {
		return nil, err
	}
	compared := !r.Bare
	r.Bare = true
	p, err := t.Planner.Plan(ctx, r)
	if err == nil && compared {
		err = t.compare(ctx, r, p)
	}
	if err != nil {
		return nil, err
	}
	return p, nil
}

// time implements planner.Traits.Time.
func (t tuned) time(ctx context.Context, r planner.Request) (units.Time, error) {
	if err := r.Validate(); err != nil {
		return 0, err
	}
	s, err := t.search(ctx, t.Planner, r)
	if err != nil {
		return 0, err
	}
	err = s.findWithin(ctx, &r)
	return units.Time(s.time), err
}

// Fastest returns the number of pieces that takes the least time with a planner, for callers that
// know what each number takes. It fails as Plan does.
func (l Algorithm) Fastest(ctx context.Context, with planner.Planner, r planner.Request, time func(pieces int) (units.Time, error)) (pieces int, least units.Time, err error) {
	if err := r.Validate(); err != nil {
		return 0, 0, err
	}
	s, err := l.search(ctx, with, r, func(_ context.Context, pieces int, _ float64) (units.Time, error) { return time(pieces) })
	if err != nil {
		return 0, 0, err
	}
	err = s.findWithin(ctx, &r)
	return s.best, units.Time(s.time), err
}

// findWithin finds the best number of pieces, unless that is beyond the request's limit.
func (s *search) findWithin(ctx context.Context, r *planner.Request) error {
	first, lowest := s.lowest()
	if err := r.Beyond(units.Time(lowest)); err != nil {
		return err
	}
	if err := s.from(ctx, first, lowest); err != nil {
		return err
	}
	if !s.found {
		return s.given
	}
	return nil
}

// compare implements planner.Traits.Compare: static and every-step have their own best numbers of
// pieces.
func (t tuned) compare(ctx context.Context, r planner.Request, p *plan.Plan) error {
	r.Limit = 0
	for _, with := range []planner.Planner{t.algorithm.Static, t.algorithm.EveryStep} {
		if with == nil {
			continue
		}
		if with.Name() == p.Planner {
			p.SameAlgorithm.Set(planner.TraitsOf(with).Baseline, p.Cost.Total())
			continue
		}
		s, err := t.search(ctx, with, r)
		if errors.Is(err, planner.ErrInfeasible) {
			continue
		}
		if err != nil {
			return err
		}
		if err := s.run(ctx); err != nil {
			return err
		}
		if s.found {
			p.SameAlgorithm.Set(planner.TraitsOf(with).Baseline, units.Time(s.time))
		}
	}
	return nil
}

// The most pieces that are chosen. maxMoves limits the transfers of a pipeline, since a plan
// lists every one of them; beyond it, pieces are larger than would be best. If a step costs
// nothing but its bytes, more pieces are always better, by less and less: freePieces is where
// that ends.
const (
	maxMoves   = 1 << 22
	freePieces = 1 << 12
)

// most returns the most pieces that are chosen. No piece is below a byte, which cannot be
// divided.
func (l Algorithm) most(r *planner.Request) int {
	most := int64(min(l.Most, max(1<<8, maxMoves/r.Fabric.Nodes)))
	if freeSteps(&r.Fabric) {
		most = min(most, freePieces)
	}
	return max(l.Least, int(min(float64(most), float64(r.Size)*l.Piece(1))))
}

// freeSteps reports whether the steps of a fabric cost nothing but their bytes.
func freeSteps(f *fabric.Fabric) bool {
	ideal := f.Ideal()
	return ideal.Alpha+ideal.Delta == 0
}

// search prepares the search for the best number of pieces with a planner.
func (t tuned) search(ctx context.Context, with planner.Planner, r planner.Request) (*search, error) {
	l := t.algorithm
	asked := r
	asked.Progress, asked.Status, asked.Better, asked.Made, asked.Bare = nil, nil, nil, nil, true
	asked.Memory = flow.NewMemory() // numbers of pieces have most steps in common
	if asked.Kept == nil {
		asked.Kept = planner.NewMemory()
	}
	known := planner.TraitsOf(with).Time
	s, err := l.search(ctx, with, asked, func(ctx context.Context, pieces int, within float64) (units.Time, error) {
		var err error
		if asked.Limit = 0; !math.IsInf(within, 1) {
			asked.Limit = units.Time(within)
		}
		if known != nil {
			if asked.Collective, err = l.Sketch(l.Known, pieces); err != nil {
				return 0, err
			}
			return known(ctx, asked)
		}
		if asked.Collective, err = l.Lay(l.Known, pieces); err != nil {
			return 0, err
		}
		p, err := with.Plan(ctx, asked)
		if err != nil {
			return 0, err
		}
		return p.Cost.Total(), nil
	})
	if err == nil && l.attained(with, &r, s.charge) {
		s.ask = func(_ context.Context, pieces int, _ float64) (units.Time, error) {
			return units.Time(s.bound(pieces)), nil
		}
	}
	return s, err
}

// search prepares the search. ask returns the time of a number of pieces, if that is within the
// given time.
func (l Algorithm) search(ctx context.Context, with planner.Planner, r planner.Request, ask func(ctx context.Context, pieces int, within float64) (units.Time, error)) (*search, error) {
	charge, err := l.charge(ctx, with, r)
	if err != nil {
		return nil, err
	}
	ideal := r.Fabric.Ideal() // no circuit is better
	return &search{
		limit: float64(r.Limit), charge: charge, sketched: l.Sketched(), first: charge.changes != nil && l.Extends(),
		least: l.Least,
		most:  l.most(&r),
		turns: l.Turns(),
		free:  freeSteps(&r.Fabric),
		bounds: func(pieces int) (bound, rising float64) {
			bound, rising = l.bounds(ideal, r.Size, pieces)
			least, most := charge.of(pieces)
			return least + bound, most + rising
		},
		ask: ask,
	}, nil
}

// bounds returns a lower bound, in ns, on the time of any plan for a number of pieces: every step
// takes a start-up, a hop and what its busiest node sends or receives over all its ports, and the
// node with the most bytes takes the time of all of them. The second result leaves the bytes out,
// so it holds for all larger numbers as well.
func (l Algorithm) bounds(f *fabric.Fabric, size units.Bytes, pieces int) (bound, rising float64) {
	steps, buffers := l.AtLeast(pieces)
	bytes := float64(size) * max(float64(l.Busy(pieces))*l.Piece(pieces), buffers)
	rising = float64(steps) * float64(f.Alpha.Time()+f.Delta.Time())
	return rising + float64(f.Bandwidth.Transmit(bytes/float64(f.Ports))), rising
}
