package sweep

import (
	"context"
	"errors"

	"github.com/lightpath-net/lightpath/bound"
	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/portfolio"
)

// fastestStaying improves the times of static by those of any other planner's plans that do
// not rewire: what is best where a change takes for ever, as what does not change takes the
// same whatever a change would take. A fabric that is dark at the start sets circuits up once;
// where what that takes depends on the circuits, the plan is made to know it.
// Pipelines with an open number of pieces are tried on the base only, which is where static
// has them: on all of harvest's topologies they would take most of the time of a sweep. So are
// the steps of algorithms for all-to-alls of many GPUs (portfolio.RoutesSteps).
func (c *Columns) fastestStaying(ctx context.Context, column []Request, times []float64) error {
	if portfolio.OnlyRing(column[0].Op, &column[0].Fabric) {
		return nil
	}
	_, uniform := column[0].Fabric.UniformWait()
	depends := column[0].Fabric.Initial == fabric.InitialDark && !uniform
	still := column[0]
	still.Planner, still.Algorithm = auto, auto
	still.Fabric = portfolio.Still(still.Fabric)
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
	routes := portfolio.RoutesSteps(still.Op, &still.Fabric)
	ways, err := c.ways(&still)
	if err != nil {
		return nil // what there is is the best
	}
	for _, w := range c.promising(ways, alone) {
		if w.pieced || !w.composed && !routes || !w.mayWin(alone, best) {
			continue
		}
		if err := w.solve(ctx, alone, best); err != nil && !errors.Is(err, planner.ErrInfeasible) {
			return err
		}
	}
	if best[0].total >= float64(portfolio.Forbidding.Time()) {
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
