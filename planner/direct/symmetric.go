package direct

import (
	"context"
	"errors"
	"fmt"

	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/direct/bfb"
	"github.com/lightpath-net/lightpath/planner/direct/finder"
	"github.com/lightpath-net/lightpath/units"
)

// alike plans on a circulant, where every GPU does the same: a step lists what one GPU
// receives, or sends to be reduced, and the translations of the circulant give the transfers of
// the others. With n GPUs and d ports the schedule has about n^(1/d) steps, more than on other
// topologies, but the plan is only as large as one GPU's part in it.
func alike(ctx context.Context, r planner.Request) (*plan.Plan, error) {
	f := &r.Fabric
	op, _ := Schedulable(r.Collective.Op)
	machine := finder.Machine{Alpha: f.Alpha + f.Delta, NodeBandwidth: f.Bandwidth * units.Bandwidth(f.Ports)}
	options := finder.Options{Op: op, Bidirectional: f.Duplex, Circulant: true}
	choice, err := machine.Fastest(ctx, f.Nodes, f.Ports, options, []finder.Weighted{{Size: r.Size, Weight: 1}})
	if err != nil {
		if errors.Is(err, finder.ErrNone) {
			err = fmt.Errorf("%w: %w", planner.ErrInfeasible, err)
		}
		return nil, err
	}
	g, err := choice.Point.Expr.Build()
	if err != nil {
		return nil, err
	}
	group, ok := g.Symmetry()
	if !ok {
		return nil, fmt.Errorf("%w: %s has no translations", planner.ErrInfeasible, g.Name())
	}
	solve := func(chunks int) ([]plan.Step, int, error) {
		s, err := bfb.Solve(ctx, g, bfb.Options{Op: op, Chunks: chunks, Progress: r.Progress})
		if err != nil {
			return nil, 0, err
		}
		first := source{steps: s.Steps, time: s.Time, of: s.Of}
		if err := r.Beyond(first.least(&r)); err != nil {
			return nil, 0, err
		}
		return filledBy(ctx, first, f.Nodes, chunks, 1)
	}
	steps, parts, err := solve(0)
	if most := mostParts(&r); err == nil && (parts == 0 || parts > most) {
		steps, parts, err = solve(min(wholeChunks, most))
	}
	if err != nil {
		return nil, err
	}
	for i := range steps {
		steps[i].Group = group
	}
	return laid(ctx, &r, g, steps, parts)
}
