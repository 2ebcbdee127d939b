package portfolio

import (
	"context"
	"slices"

	"github.com/lightpath-net/lightpath/bound"
	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/islands"
	"github.com/lightpath-net/lightpath/units"
)

// onCore is a search for a plan made from plans for a core.
type onCore struct {
	*onIslands
	of    *Request // on the core's own fabric with islands
	core  islands.Core
	tried []*plan.Plan // plans that have been lifted
	least units.Time   // time of the fastest on the core; 0: not known
	made  int          // number of plans lifted
}

// mostUnevenGPUs is the number of GPUs up to which cores of different islands are tried even if
// lifting their plans takes long and a repaired plan is known.
const mostUnevenGPUs = 1 << 7

// beaten reports whether no plan of the core can be useful.
func (c *onCore) beaten() bool {
	if c.core.Costly() && c.Fabric.Nodes > mostUnevenGPUs && c.repairedOne != nil {
		return true // nearly always true, and slow to find out
	}
	most := c.most()
	if most == 0 {
		return false
	}
	if planner.Above(c.core.Inside(&c.of.Fabric, c.of.first()), most) {
		return true
	}
	if c.best == nil || c.all() || c.of.Fabric.Equal(c.Fabric) {
		return false
	}
	least, ok := c.bounds[c.of]
	if !ok {
		least = bound.OfOperation(&c.of.Fabric, c.best.Collective.Section()).Total()
		c.bounds[c.of] = least
	}
	return least >= c.best.Cost.Total() // at best equally fast
}

// fastestPerDelay tries the fastest plan of the core for the fabric's delay and, if it has changes,
// the fastest without changes and the fastest for longer delays.
func (c *onCore) fastestPerDelay(ctx context.Context) {
	inner := c.of.onCore(c.core)
	made, err := c.liftable(ctx, inner, c.within()) // islands only add to the time on the core
	if err == nil {
		c.least = made.Cost.Total()
	}
	changes := c.lift(ctx, made, err)
	c.composed(ctx, inner)
	if !changes {
		return
	}
	still := *inner
	still.Fabric = Still(inner.Fabric)
	made, err = c.liftable(ctx, &still, c.search.within(c.mostStaying(collective.Sized{})))
	c.lift(ctx, made, err)
	for _, delay := range slowerChanges {
		if c.core.Fabric.Nodes <= mostDelays && delay > inner.Fabric.Reconfig.Base && !c.spares() {
			slower := *inner
			slower.Fabric.Reconfig.Base = delay
			made, err := c.liftable(ctx, &slower, c.search)
			c.lift(ctx, made, err)
		}
	}
}

// composed is for cores whose fastest plan is the only one that is lifted. It also tries plans
// that list every GPU's part, in few chunks or with all GPUs alike. Otherwise they may be too fine
// to be lifted, and their steps of single circuits take fewer hops within islands than other
// plans.
func (c *onCore) composed(ctx context.Context, inner *Request) {
	if c.core.Fabric.Nodes <= mostLifted || c.core.Uneven() || c.planner == nil || !planner.TraitsOf(c.planner).Best {
		return
	}
	for _, p := range c.search.Planners() {
		if t := planner.TraitsOf(p); !t.Listed || t.Composes == nil {
			continue
		}
		made, err := inner.Fastest(ctx, p, c.within().alike())
		c.lift(ctx, made, err)
		if parts := c.core.Parts(); parts > 0 && ctx.Err() == nil {
			made, err = inner.Fastest(ctx, p, c.within().cutInto(parts))
			c.lift(ctx, made, err)
		}
	}
}

// liftable asks for a plan on the core that can be lifted.
func (c *onCore) liftable(ctx context.Context, inner *Request, s *Search) (*plan.Plan, error) {
	made, err := c.fastest(ctx, inner, s)
	if err == nil && islands.SendsParts(made) {
		return c.fastest(ctx, inner, s.wholly())
	}
	return made, err
}

// everyWay tries the plan of every way if there are few nodes, but only one of them if lifting
// takes long.
func (c *onCore) everyWay(ctx context.Context) {
	if c.core.Fabric.Nodes > mostLifted || c.spares() && c.core.Fabric.Nodes > mostSlower || c.crowded() || c.core.Costly() && c.made > 0 {
		return
	}
	inner := c.of.onCore(c.core)
	p := c.planner
	if c.stays {
		if p = c.search.Planners().Best(); p == nil {
			return
		}
		inner.Fabric = Still(inner.Fabric)
	}
	ways, _, err := inner.waysOnAll(ctx, p, c.search)
	if err != nil {
		return
	}
	c.eachOf(ctx, inner, ways, false)
	if c.core.Fabric.Nodes <= mostDelays {
		c.eachOf(ctx, inner, ways, true)
	}
}

// planners returns the planners that a way stands for. With covered, it returns instead those
// that one of these is never slower than on the core: with the time that islands add, they may be
// faster.
func (c *onCore) planners(w Way, f *fabric.Fabric, covered bool) []planner.Planner {
	some := Expand(w.By, c.search.Planners(), f)
	if !covered {
		return some
	}
	return slices.DeleteFunc(expandAll(w.By, c.search.Planners(), f), func(p planner.Planner) bool {
		return slices.ContainsFunc(some, func(other planner.Planner) bool { return other.Name() == p.Name() })
	})
}

// eachOf lifts the plans of some ways.
func (c *onCore) eachOf(ctx context.Context, inner *Request, ways []Way, covered bool) {
	for _, w := range ways {
		few := c.core.Fabric.Nodes <= mostDelays
		if c.slowedInside() && w.Open != nil && !c.all() && !few {
			continue
		}
		for _, by := range c.planners(w, &inner.Fabric, covered) {
			if ctx.Err() != nil || c.core.Costly() && c.made > 0 {
				return
			}
			switch {
			case few && w.Less == nil && w.Open != nil:
				by = w.Open.Plan(by) // the time that islands add depends on the planner
			case w.Less != nil || w.Open != nil:
				by = w.Planner
			}
			laid, err := w.Lay(ctx)
			if err != nil || planner.TraitsOf(by).Composes == nil && c.tooMany(laid) {
				continue
			}
			request := c.search.Ask(inner.Fabric)
			request.Limit = c.most()
			if c.stays {
				request.Limit = c.mostStaying(laid)
			}
			request.Collective, request.Size = laid.Collective, laid.Size
			made, err := by.Plan(ctx, request)
			if err == nil && islands.SendsParts(made) {
				request.Whole = true
				made, err = by.Plan(ctx, request)
			}
			c.lift(ctx, made, err)
		}
	}
}

// tooMany reports whether a way has so many steps that no lifted plan with these steps can be
// useful (islands.Core.Least).
func (c *onCore) tooMany(laid collective.Sized) bool {
	most := c.most()
	if most == 0 || c.all() || laid.Collective == nil {
		return false
	}
	f, steps := &c.of.Fabric, units.Time(len(laid.Steps))
	start := plan.Cost{Startup: steps * f.Alpha.Time(), Propagation: steps * c.core.Fabric.Delta.Time()}
	return planner.Above(c.core.Least(start, f, c.of.first()), most)
}

// crowded reports whether islands are so large that lifting takes long and the core is not that
// of whole islands: every way is then tried only on that core.
func (c *onCore) crowded() bool {
	f := &c.of.Fabric
	whole := f.Equal(c.Fabric) && c.core.Span == f.Island.Size
	return f.Nodes*c.Fabric.Island.Size > mostSpread && !whole
}

// slowedInside reports whether sending within islands takes longer than the fastest plan of the
// core. Pipelines, which take long to plan, are then seldom useful: they only save start-ups on
// the core, and its circuits carry no less than with other ways. On few nodes they are tried
// nevertheless.
func (c *onCore) slowedInside() bool {
	return c.least > 0 && c.core.Inside(&c.of.Fabric, c.of.first()) > c.least
}

// mostStaying returns the longest useful time of a plan for a core with circuits that stay.
func (c *onCore) mostStaying(laid collective.Sized) units.Time {
	most := c.most()
	if most == 0 {
		return 0
	}
	return c.core.Most(most, laid, &c.of.Fabric, c.of.first())
}

// lift lifts a plan for the core, and reports whether it changes circuits.
func (c *onCore) lift(ctx context.Context, made *plan.Plan, err error) (changes bool) {
	if err == nil {
		made.Fabric = c.core.Fabric
		err = made.PriceContext(ctx)
	}
	changes = err == nil && made.Reconfigurations > c.core.Fabric.SetUps()
	if err == nil {
		most := c.most()
		if c.stays && changes || most > 0 && planner.Above(c.core.Least(made.Cost, &c.of.Fabric, c.of.first()), most) {
			return changes // it cannot win
		}
		if !c.all() && slices.ContainsFunc(c.tried, func(other *plan.Plan) bool { return islands.Alike(made, other) }) {
			return changes // nor can the same plan once more
		}
		c.tried = append(c.tried, made)
		core := made
		if !c.core.Uneven() {
			c.slower(ctx, core)
		}
		if made, err = islands.Lift(ctx, made, c.core, &c.of.Fabric, c.of.first().Size, most); err == nil {
			c.made++
		}
		if err == nil && c.core.Uneven() && (c.best == nil || made.Cost.Total() < nearBest*c.best.Cost.Total()) {
			c.slower(ctx, core) // for slower plans it takes too long
		}
	}
	c.take(ctx, made, err)
	return changes
}

// slowerCircuits are fractions of the bandwidth for which plans of small cores are lifted as
// well.
var slowerCircuits = []float64{0.97, 0.9, 0.8, 0.65}

// nearBest is how many times as long as the best a plan for different islands may take to be
// lifted for slower circuits, too.
const nearBest = 1.1

// mostSlower is the number of nodes of a core up to which plans are lifted for slower circuits.
const mostSlower = 8

// slower lifts a plan for the core as if circuits were slower. Islands spread whole chunks while
// circuits send, so a little more bandwidth may leave no time for one of the chunks. The plan for
// a little less bandwidth is then faster.
func (c *onCore) slower(ctx context.Context, made *plan.Plan) {
	if c.core.Fabric.Nodes > mostSlower || c.all() || c.spares() || c.core.Demand() {
		return // parcels of a demand are divided to fit the time
	}
	for _, share := range slowerCircuits {
		f, core, inner := c.of.Fabric, c.core, *made
		f.Bandwidth = units.Bandwidth(share * float64(f.Bandwidth))
		core.Fabric.Bandwidth = units.Bandwidth(share * float64(core.Fabric.Bandwidth))
		if f.Bandwidth < 1 || core.Fabric.Bandwidth < 1 {
			return
		}
		inner.Fabric, inner.Stages = core.Fabric, slices.Clone(made.Stages)
		for i := range inner.Stages {
			inner.Stages[i].Steps = slices.Clone(made.Stages[i].Steps)
		}
		if inner.PriceContext(ctx) != nil {
			return
		}
		lifted, err := islands.Lift(ctx, &inner, core, &f, c.of.first().Size, 0)
		if err == nil {
			lifted.Fabric = c.of.Fabric
			err = lifted.PriceContext(ctx)
		}
		if err == nil {
			c.take(ctx, lifted, err)
		}
	}
}
