package islands

import (
	"context"
	"fmt"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/flow"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/units"
)

// liftTraffic lifts a plan for GPUs whose pairs send different amounts.
func liftTraffic(ctx context.Context, core *plan.Plan, c Core, f *fabric.Fabric, limit units.Time) (*plan.Plan, error) {
	if c.traffic.pattern == nil {
		return liftDemand(ctx, core, c, f, limit)
	}
	return planner.FastestOf([]int{bySource, byTarget, evenly}, nil, func(prefer int) (*plan.Plan, error) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		return liftPattern(ctx, core, c, f, prefer)
	})
}

// liftPattern lifts a plan for the steps of a pattern. Every transfer between two islands takes
// its part of the routes that the core found for all transfers between the two in that step;
// transfers within an island are one hop. Steps that need no circuits come before the change that
// the next step waits for.
func liftPattern(ctx context.Context, core *plan.Plan, c Core, f *fabric.Fabric, prefer int) (*plan.Plan, error) {
	l := newPlacer(core, c, f)
	if err := l.placeAs(false); err != nil {
		return nil, err
	}
	p := c.traffic.pattern
	made := &plan.Plan{
		Fabric: *f, Provenance: core.Provenance,
		Collective: plan.Collective{Op: p.Op, Algorithm: p.Algorithm, Size: p.Size, Space: p.Space},
	}
	made.Slots, made.Synthesis = 0, nil
	if err := l.fits(); err != nil {
		return nil, err
	}
	next := 0 // step of the pattern
	for i := range core.Stages {
		stage := plan.Stage{Topology: l.wires[i].graph}
		crossings := map[[2]int32][][]part{}
		for j := range core.Stages[i].Steps {
			step := under(core.Stages[i].Steps[j], core.Collective.Space, topology.Translations{})
			of, routes, err := c.traffic.routes(&step, func(t *plan.Transfer, at ends, place int) []flow.Route {
				return l.wires[i].routes(t.Routes, crossings, l.shares.places, l.span, at, place)
			}, l.shares.places, prefer)
			if err != nil {
				return nil, err
			}
			if of < next {
				return nil, errRelayed
			}
			for ; next <= of; next++ {
				var list []plan.Transfer
				at := 0
				for t := range p.Steps[next].All(p.Space) {
					made := plan.Transfer{Transfer: t, Routes: hop(t.Src, t.Dst)}
					if r := routes[at]; next == of && r != nil {
						made.Routes = normal(r)
					} else if t.Src/f.Island.Size != t.Dst/f.Island.Size {
						return nil, errRelayed
					}
					list = append(list, made)
					at++
				}
				stage.Steps = append(stage.Steps, plan.Step{Base: list})
			}
		}
		made.Stages = append(made.Stages, stage)
	}
	last := &made.Stages[len(made.Stages)-1]
	for ; next < len(p.Steps); next++ {
		var list []plan.Transfer
		for t := range p.Steps[next].All(p.Space) {
			list = append(list, plan.Transfer{Transfer: t, Routes: hop(t.Src, t.Dst)})
		}
		last.Steps = append(last.Steps, plan.Step{Base: list})
	}
	if err := made.PriceContext(ctx); err != nil {
		return nil, fmt.Errorf("islands: %w", err)
	}
	return made, nil
}

// routes returns the step of the pattern that a step of the core stands for, and the routes of
// its transfers between islands.
func (t *traffic) routes(step *plan.Step, lift func(t *plan.Transfer, at ends, place int) []flow.Route, places, prefer int) (of int, all map[int][]flow.Route, err error) {
	of, all = -1, map[int][]flow.Route{}
	count := 0
	for k := range step.Base {
		x := &step.Base[k]
		for id := range x.Chunks.All() {
			g := &t.groups[id]
			piece := &t.steps.Space.Pieces[id]
			if of >= 0 && of != g.step || x.Src != piece.From[0] || x.Dst != piece.To[0] || x.Action != collective.Copy {
				return 0, nil, errRelayed
			}
			of = g.step
			count++
			for _, l := range lanes(g.items, places, prefer) {
				item := g.items[l.item]
				all[g.of[l.item]] = merged(all[g.of[l.item]], lift(x, ends{item.from, item.to}, l.place), l.share)
			}
		}
	}
	for i := range t.groups {
		if t.groups[i].step == of {
			count--
		}
	}
	if count != 0 {
		return 0, nil, errRelayed
	}
	return of, all, nil
}
