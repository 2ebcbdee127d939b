package sweep

import (
	"context"
	"errors"

	"github.com/lightpath-net/lightpath/bound"
	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/units"
)

// forbidding is a delay that no plan pays that need not: a million seconds.
const forbidding = 1_000_000 * units.Second

// mostRouted is the number of GPUs up to which an all-to-all that does not rewire is routed on
// other circuits than the base, too: where they have no symmetry that takes a linear program
// over all pairs, a minute for 1024 GPUs.
const mostRouted = 128

// StaysElsewhere reports whether plans that do not rewire are looked for on circuits other than
// the base.
func StaysElsewhere(op collective.Op, f *fabric.Fabric) bool {
	return op != collective.AllToAll || f.Nodes <= mostRouted
}

// fastestStaying improves the times of static by those of any other planner's plans that do
// not rewire: what is best where a change takes for ever, as what does not change takes the
// same whatever a change would take. A fabric that is dark at the start sets circuits up once;
// where what that takes depends on the circuits, the plan is made to know it.
// Pipelines with an open number of pieces are tried on the base only, which is where static
// has them: on all of harvest's topologies they would take most of the time of a sweep.
func (c *Columns) fastestStaying(ctx context.Context, column []Request, times []float64) error {
	if !StaysElsewhere(column[0].Op, &column[0].Fabric) {
		return nil
	}
	_, uniform := column[0].Fabric.UniformWait()
	depends := column[0].Fabric.Initial == fabric.InitialDark && !uniform
	still := column[0]
	still.Planner, still.Algorithm = auto, auto
	still.Fabric.Reconfig = fabric.Reconfig{Model: fabric.Constant, Base: forbidding}
	still.Fabric.Overlap, still.Fabric.Sync = fabric.Overlap{}, 0
	if still.Fabric.Initial == fabric.InitialDark {
		still.Fabric.Initial = fabric.InitialFree
	}
	before := func(i int) float64 { // the first step
		return float64(bound.PerStep(&column[i].Fabric, &collective.Collective{}, column[i].Size))
	}
	best := []answer{{total: inf}}
	for i, t := range times {
		if !depends {
			best[0].total = min(best[0].total, t-before(i))
		}
	}
	alone := []Request{still}
	ways, err := c.ways(&still)
	if err != nil {
		return nil // what there is is the best
	}
	for _, w := range c.promising(ways, alone) {
		if w.pieced || !w.mayWin(alone, best) {
			continue
		}
		if err := w.solve(ctx, alone, best); err != nil && !errors.Is(err, planner.ErrInfeasible) {
			return err
		}
	}
	if best[0].total >= float64(forbidding.Time()) {
		return nil
	}
	if depends {
		return c.setUp(ctx, &still, best[0], column, times)
	}
	for i := range times {
		times[i] = min(times[i], best[0].total+before(i))
	}
	return nil
}

// setUp improves times by those of a plan that stays, with what its circuits take to be set up
// at the start of each cell.
func (c *Columns) setUp(ctx context.Context, still *Request, stays answer, column []Request, times []float64) error {
	p, err := c.planned(ctx, still, stays)
	if err != nil {
		return err
	}
	for i := range column {
		p.Fabric = column[i].Fabric
		if err := p.Price(); err != nil {
			return err
		}
		times[i] = min(times[i], float64(p.Cost.Total()))
	}
	return nil
}
