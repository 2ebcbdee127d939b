package sweep

import (
	"context"
	"errors"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/pieces"
)

// openPieces returns the layouts of an algorithm that leaves its number of pieces open. The best
// number depends on the delay and the size, so that such an algorithm is planned cell by
// cell.
func openPieces(r *Request, algorithm string) (pieces.Layouts, bool) {
	s := shapeOf(&r.Fabric)
	p, err := (*collective.Registry)(nil).Pieces(r.Op, algorithm, s.Ports, r.Fabric.Alive(), r.Fabric.Nodes)
	return pieces.Layouts{Pieces: p}, p != nil && err == nil
}

// unlaid is what such an algorithm is asked with.
func unlaid(r *Request, algorithm string) *collective.Collective {
	space := collective.SpaceOf(r.Op, r.Fabric.Nodes, 1)
	space.Members = r.Fabric.Alive()
	return &collective.Collective{Op: r.Op, Algorithm: algorithm, Nodes: r.Fabric.Nodes, Space: space}
}

// piecesBound is a time that no number of pieces beats.
func piecesBound(l pieces.Layouts, r *Request, algorithm string) float64 {
	bound, _, err := l.Plan(nil).Bound(context.Background(), request(r, unlaid(r, algorithm)))
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
		l, free := openPieces(&column[0], algorithm)
		if !free {
			continue
		}
		if err := piecesWay(ctx, p, l, algorithm, column, best); err != nil && !errors.Is(err, planner.ErrInfeasible) {
			return err
		}
	}
	for i := range best {
		times[i] = best[i].total
	}
	return nil
}

// piecesWay plans every cell with the best number of pieces, unless it cannot be better than
// what is known.
func piecesWay(ctx context.Context, p planner.Planner, l pieces.Layouts, algorithm string, column []Request, best []answer) error {
	if _, uniform := column[0].Fabric.UniformWait(); uniform && p.Name() == static {
		return staticPieces(ctx, p, l, algorithm, column, best)
	}
	tuned := l.Plan(p)
	for i := range column {
		made, err := tuned.Plan(ctx, within(&column[i], unlaid(&column[i], algorithm), &best[i]))
		switch {
		case errors.Is(err, planner.ErrBeyond):
			continue
		case err != nil:
			return err
		}
		best[i].improve(answer{made.Collective.Algorithm, made.Planner, float64(made.Cost.Total()), made.Reconfigurations, algorithm})
	}
	return nil
}

// staticPieces is piecesWay for static where a change takes the same whatever changes: what
// is set up at the start then costs the same for every number of pieces, so that one number is
// the best for every delay, and one question answers the column.
func staticPieces(ctx context.Context, p planner.Planner, l pieces.Layouts, algorithm string, column []Request, best []answer) error {
	free := column[0]
	free.Fabric.Reconfig.Base = 0
	loosest := answer{} // beyond it no cell gets better
	for i := range best {
		loosest.total = max(loosest.total, best[i].total)
	}
	made, err := l.Plan(p).Plan(ctx, within(&free, unlaid(&free, algorithm), &loosest))
	switch {
	case errors.Is(err, planner.ErrBeyond):
		return nil
	case err != nil:
		return err
	}
	line := fixedLine{float64(made.Cost.Total() - made.Cost.Reconfiguration), made.Reconfigurations}
	for i := range column {
		best[i].improve(answer{made.Collective.Algorithm, made.Planner, line.at(column[i].Fabric.LeastBarrier()), line.changes, algorithm})
	}
	return nil
}
