package sweep

import (
	"context"
	"math"

	"github.com/lightpath-net/lightpath/bound"
	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/idle"
	"github.com/lightpath-net/lightpath/units"
)

// complete adds baselines, the bound and the simulated time of the best answers.
func (c *Columns) complete(ctx context.Context, column []Request, best []answer, reason error, out []Outcome) error {
	known := map[string]extremes{}
	extremesOf := func(algorithm string) (extremes, error) {
		e, ok := known[algorithm]
		if ok {
			return e, nil
		}
		e, err := c.extremes(ctx, column, algorithm)
		known[algorithm] = e
		return e, err
	}
	fastest, err := c.fastestExtremes(ctx, column)
	if err != nil {
		return err
	}
	for i := range out {
		out[i].Baselines = fastest[i]
	}
	space := collective.SpaceOf(column[0].Op, column[0].Fabric.Nodes, 1)
	space.Members = column[0].Fabric.Alive()
	for i, a := range best {
		r := &column[i]
		out[i].OperationBound = bound.OfOperation(&r.Fabric, &collective.Section{Op: r.Op, Size: r.Size, Space: space}).Total()
		if math.IsInf(a.total, 1) {
			if reason == nil {
				reason = planner.ErrInfeasible
			}
			out[i].Reason = reason.Error()
			continue
		}
		out[i].Algorithm, out[i].Planner, out[i].Total, out[i].Reconfigurations = a.algorithm, a.planner, units.Time(a.total), a.changes
		if static := &out[i].Baselines.Static; a.changes == r.Fabric.SetUps() && (*static == 0 || out[i].Total < *static) {
			*static = out[i].Total // it does not rewire, either
		}
		e, err := extremesOf(a.asked)
		if err != nil {
			return err
		}
		out[i].Same = e.at(i)
		if r.Packet > 0 {
			if out[i].Simulated, err = c.simulated(ctx, r, a); err != nil {
				return err
			}
		}
	}
	return nil
}

// simulated plans the answer and replays it.
func (c *Columns) simulated(ctx context.Context, r *Request, a answer) (units.Time, error) {
	made, err := c.planned(ctx, r, a)
	if err != nil {
		return 0, err
	}
	return c.simulate(ctx, made, r.Packet)
}

// planned makes the plan of an answer.
func (c *Columns) planned(ctx context.Context, r *Request, a answer) (*plan.Plan, error) {
	if a.less != nil {
		narrow := leave(*a.less, *r)
		a.less = nil
		made, err := c.planned(ctx, &narrow, a)
		if err == nil {
			err = idle.Widen(made, &r.Fabric)
		}
		return made, err
	}
	p, err := c.planners.Lookup(a.planner)
	if err != nil {
		return nil, err
	}
	var laid *collective.Collective
	if composer := planner.TraitsOf(p).Composes; composer != nil {
		space := collective.SpaceOf(r.Op, r.Fabric.Nodes, 1)
		space.Members = r.Fabric.Alive()
		laid = &collective.Collective{Op: r.Op, Algorithm: composer.Algorithm, Nodes: r.Fabric.Nodes, Space: space}
	} else if laid, err = c.layout(r, a.algorithm); err != nil {
		return nil, err
	}
	return p.Plan(ctx, c.request(r, laid))
}
