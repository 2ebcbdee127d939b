package iterating

import (
	"context"
	"errors"

	"github.com/lightpath-net/lightpath/command"
	"github.com/lightpath-net/lightpath/field"
	"github.com/lightpath-net/lightpath/iteration"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/sweep"
	"github.com/lightpath-net/lightpath/units"
	"github.com/lightpath-net/lightpath/workload"
)

// Columns answers cells of a sweep that are iterations of a workload: a sweep.Solver. The cells of
// a column differ in their delay alone and have the plans of groups in common.
type Columns struct {
	Workload *workload.Workload
	// Packets, if it is not nil, says how long an iteration takes in packets of the request's size.
	Packets func(ctx context.Context, d *iteration.Document, packet units.Bytes) (units.Time, error)
	Options []command.Option
}

// Solve implements sweep.Solver.
func (c *Columns) Solve(ctx context.Context, column []sweep.Request) ([]sweep.Outcome, error) {
	e := command.NewEnvironment(c.Options)
	e.Progress = nil // cells are counted, not plans
	plans := &groups{e: e}
	out := make([]sweep.Outcome, len(column))
	for i := range column {
		r := &column[i]
		d, err := iterate(ctx, &IterateRequest{Workload: c.Workload, Fabric: r.Fabric, Policy: r.Algorithm}, plans)
		var bad *field.Error
		switch {
		case errors.Is(err, planner.ErrInfeasible), errors.As(err, &bad):
			out[i].Reason = err.Error()
			continue
		case err != nil:
			return nil, err
		}
		o := &out[i]
		o.Algorithm, o.Planner, o.Total, o.Reconfigurations, o.OperationBound = d.Policy, "iterate", d.Iteration, d.Reconfigurations, d.Bound
		o.Baselines.Static = d.Baselines[iteration.Static]
		o.Iteration = &sweep.Iteration{Compute: d.Compute, Policies: d.Baselines}
		if r.Packet > 0 && c.Packets != nil {
			if o.Simulated, err = c.Packets(ctx, d, r.Packet); err != nil {
				return nil, err
			}
		}
	}
	return out, nil
}
