package sweep

import (
	"context"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/planner/portfolio"
	"github.com/lightpath-net/lightpath/planner/portfolio/column"
	"github.com/lightpath-net/lightpath/units"
)

// Columns is the Solver that plans: it hands columns to the search over planners, and replays
// the best plans.
type Columns struct {
	*column.Search
	simulate func(ctx context.Context, p *plan.Plan, packet units.Bytes) (units.Time, error)
}

// NewColumns returns a solver that uses a search. simulate replays a plan with packets of a
// given size; it may be nil if no request asks for that.
func NewColumns(s *portfolio.Search, o column.Options, simulate func(ctx context.Context, p *plan.Plan, packet units.Bytes) (units.Time, error)) *Columns {
	return &Columns{column.NewSearch(s, o), simulate}
}

// Solve implements Solver. Cells whose fabrics differ in more than the constant part of the
// delay share no work: they are separate columns.
func (c *Columns) Solve(ctx context.Context, cells []Request) ([]Outcome, error) {
	kinds := map[fabric.Key][]int{}
	var order []fabric.Key
	for i := range cells {
		free := cells[i].Fabric
		free.Reconfig.Base = 0
		key := free.Key()
		if kinds[key] == nil {
			order = append(order, key)
		}
		kinds[key] = append(kinds[key], i)
	}
	out := make([]Outcome, len(cells))
	for _, key := range order {
		if err := c.solve(ctx, cells, kinds[key], out); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// solve answers the selected cells, which differ only in the constant part of the delay.
func (c *Columns) solve(ctx context.Context, cells []Request, which []int, out []Outcome) error {
	first := &cells[which[0]]
	asked := &column.Column{
		Operation: collective.Operation{Op: first.Op, Size: first.Size, Algorithm: first.Algorithm}, Planner: first.Planner, Fabric: first.Fabric,
		Delays: make([]units.Duration, len(which)),
	}
	for k, i := range which {
		asked.Delays[k] = cells[i].Fabric.Reconfig.Base
	}
	answers, err := c.Search.Solve(ctx, asked)
	if err != nil {
		return err
	}
	for k, i := range which {
		a, o := &answers[k], &out[i]
		o.Baselines, o.OperationBound = Baselines{a.Baselines.Static, a.Baselines.EveryStep}, a.OperationBound
		if a.Reason != nil {
			o.Reason = a.Reason.Error()
			continue
		}
		o.Algorithm, o.Planner, o.Total, o.Reconfigurations = a.Algorithm, a.Planner, a.Total, a.Changes
		o.Same = Baselines{a.Same.Static, a.Same.EveryStep}
		if cells[i].Packet == 0 {
			continue
		}
		made, err := c.Plan(ctx, asked, k, a.Answer)
		if err != nil {
			return err
		}
		if o.Simulated, err = c.simulate(ctx, made, cells[i].Packet); err != nil {
			return err
		}
	}
	return nil
}
