package sweep

import (
	"context"
	"errors"
	"math/bits"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/collective/algorithms"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/pieces"
	"github.com/lightpath-net/lightpath/planner/portfolio"
	"github.com/lightpath-net/lightpath/units"
)

// openPieces returns the layouts of an algorithm that leaves its number of pieces open. The
// best number depends on the delay and the size.
func (c *Columns) openPieces(r *Request, algorithm string) (pieces.Layouts, bool) {
	l := c.layoutOf(r, algorithm)
	l.pieced.Do(func() {
		p, err := (*algorithms.Registry)(nil).Pieces(r.Op, algorithm, shapeOf(&r.Fabric).Ports, r.Fabric.Alive(), r.Fabric.Nodes)
		if err == nil {
			l.pieces = p
		}
	})
	return pieces.Layouts{Pieces: l.pieces}, l.pieces != nil
}

// unlaid is what such an algorithm is asked with, or a planner that makes its own steps.
func unlaid(r *Request, algorithm string) *collective.Collective {
	return portfolio.Unlaid(r.Op, algorithm, r.Fabric.Nodes, r.Fabric.Alive(), nil)
}

// piecesBound is a time that no number of pieces beats.
func (c *Columns) piecesBound(l pieces.Layouts, r *Request, algorithm string) float64 {
	bound, _, err := planner.TraitsOf(l.Plan(nil)).Bound(context.Background(), c.request(r, unlaid(r, algorithm)))
	if err != nil {
		return 0
	}
	return float64(bound)
}

// fastestPieces improves times by those of algorithms whose number of pieces is open.
func (c *Columns) fastestPieces(ctx context.Context, p planner.Planner, column []Request, times []float64) error {
	best := make([]answer, len(column))
	for i := range best {
		best[i].total = times[i]
	}
	for _, algorithm := range c.algorithms(&column[0]) {
		l, free := c.openPieces(&column[0], algorithm)
		if !free {
			continue
		}
		if err := c.piecesWay(ctx, p, l, algorithm, column, best); err != nil && !errors.Is(err, planner.ErrInfeasible) {
			return err
		}
	}
	for i := range best {
		times[i] = best[i].total
	}
	return nil
}

// piecesWay plans with the best number of pieces, unless it cannot be better than what is
// known. Where a change takes the same whatever changes, the time of every number is a
// concave function of the wait, and so is the least of them.
func (c *Columns) piecesWay(ctx context.Context, p planner.Planner, l pieces.Layouts, algorithm string, column []Request, best []answer) error {
	asked := unlaid(&column[0], algorithm)
	_, uniform := column[0].Fabric.UniformWait()
	switch {
	case !uniform:
		return c.eachWay(ctx, l.Plan(p), asked, column, best)
	case planner.TraitsOf(p).Circuits == planner.CircuitsStay && column[0].Fabric.Ports > 1:
		return c.staticPieces(ctx, p, l, asked, column, best)
	case planner.TraitsOf(p).Circuits.Fixed():
		return c.fixedPieces(ctx, p, l, asked, column, best)
	}
	return c.envelopeWay(ctx, l.Plan(p), asked, column, best)
}

// loosest is a time beyond which no cell gets better.
func loosest(best []answer) answer {
	all := answer{}
	for i := range best {
		all.total = max(all.total, best[i].total)
	}
	return all
}

// staticPieces is piecesWay for static on several ports, where steps take linear programs that
// a limit rules out: as what is set up at the start costs the same for every number of pieces,
// one is the best for every delay, and one question answers the column.
func (c *Columns) staticPieces(ctx context.Context, p planner.Planner, l pieces.Layouts, asked *collective.Collective, column []Request, best []answer) error {
	free, beyond := column[0], loosest(best)
	free.Fabric.Reconfig.Base = 0
	made, err := l.Plan(p).Plan(ctx, c.within(&free, asked, &beyond))
	switch {
	case errors.Is(err, planner.ErrBeyond):
		return nil
	case err != nil:
		return err
	}
	line := fixedLine{float64(made.Cost.Total() - made.Cost.Reconfiguration), made.Reconfigurations}
	for i := range column {
		best[i].improve(answer{made.Collective.Algorithm, made.Planner, line.at(column[i].Fabric.LeastBarrier()), line.changes, asked.Algorithm, nil})
	}
	return nil
}

// fixedPieces is piecesWay for every-step, and for static on one port: what a number of pieces
// takes is a line in the wait that is found once for all columns, most often for all sizes too.
// What static sets up at the start costs the same for every number of pieces, so that one number
// is the best for every delay, and one question answers the column.
func (c *Columns) fixedPieces(ctx context.Context, p planner.Planner, l pieces.Layouts, asked *collective.Collective, column []Request, best []answer) error {
	lines := map[int]fixedLine{}
	line := func(pieces int) (fixedLine, error) {
		known, ok := lines[pieces]
		if ok {
			return known, nil
		}
		times := c.fixedTimes(p, l.Name(pieces), &column[0], bits.Len(uint(pieces-1)))
		found, err := times.line(ctx, p, &column[0], 0, c.FewSizes, func() (*collective.Collective, error) { return l.Sketch(l.Known, pieces) })
		if err == nil {
			lines[pieces] = found
		}
		return found, err
	}
	fastest := func(r *Request, best *answer) (int, error) {
		wait := r.Fabric.LeastBarrier()
		pieces, _, err := l.Fastest(ctx, p, c.within(r, asked, best), func(pieces int) (units.Time, error) {
			found, err := line(pieces)
			return units.Time(found.at(wait)), err
		})
		return pieces, err
	}
	result := func(pieces int, r *Request) answer {
		return answer{l.Name(pieces), p.Name(), lines[pieces].at(r.Fabric.LeastBarrier()), lines[pieces].changes, asked.Algorithm, nil}
	}
	if planner.TraitsOf(p).Circuits == planner.CircuitsEveryStep {
		l.EveryStep = p
		return concaveWay(column, best, func(i int) (answer, error) {
			pieces, err := fastest(&column[i], &best[i])
			return result(pieces, &column[i]), err
		})
	}
	l.Static = p
	free, beyond := column[0], loosest(best)
	free.Fabric.Reconfig.Base = 0
	pieces, err := fastest(&free, &beyond)
	switch {
	case errors.Is(err, planner.ErrBeyond):
		return nil
	case err != nil:
		return err
	}
	for i := range column {
		best[i].improve(result(pieces, &column[i]))
	}
	return nil
}
