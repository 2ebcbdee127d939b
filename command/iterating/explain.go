package iterating

import (
	"context"
	"errors"

	"github.com/lightpath-net/lightpath/command"
	"github.com/lightpath-net/lightpath/field"
	"github.com/lightpath-net/lightpath/iteration"
	"github.com/lightpath-net/lightpath/units"
)

// overheads returns the shares of an iteration for which Account finds delays.
func overheads() []float64 { return []float64{0, 0.02, 0.06} }

// Account verifies the plan of an iteration and says what its time is spent on. Unless only is
// set, it plans the iteration again, by a policy: at other delays, to find those at which
// reconfiguring is free or cheap, and with one more port.
func Account(ctx context.Context, d *iteration.Document, only bool, policy string, e *command.Run) (*iteration.Explanation, error) {
	if _, err := Agenda(ctx, d); err != nil {
		return nil, err
	}
	x, err := d.Explain(ctx)
	if err != nil || only {
		return x, err
	}
	again := &again{document: d, policy: policy}
	again.plans = &groups{e: e, report: func(done, total int) { // progress within one iteration
		e.Report(again.asked*total+done, max(expected, again.asked+1)*total)
	}}
	if x.Delay, err = again.delays(ctx); err != nil {
		return nil, err
	}
	x.Port, err = again.port(ctx, x.Delay.Best)
	return x, err
}

// again plans the iteration of a document again.
type again struct {
	document *iteration.Document
	policy   string
	plans    *groups
	asked    int // number of iterations planned
}

// expected is about how many iterations are planned: a bisection of the delays for every
// threshold, and three more.
const expected = 3*9 + 3

// plan returns the plan at a delay, with some more ports.
func (a *again) plan(ctx context.Context, delay units.Duration, more int) (*iteration.Document, error) {
	f := a.document.Fabric
	f.Reconfig.Base = delay
	f.Ports += more
	defer func() { a.asked++ }()
	return iterate(ctx, &IterateRequest{Workload: a.document.Workload, Fabric: f, Policy: a.policy}, a.plans)
}

func (a *again) delays(ctx context.Context) (*iteration.DelayCost, error) {
	time := func(delay units.Duration) (units.Time, error) {
		d, err := a.plan(ctx, delay, 0)
		if err != nil {
			return 0, err
		}
		return d.Iteration, nil
	}
	cost := &iteration.DelayCost{Now: a.document.Fabric.Reconfig.Base, Policy: a.policy}
	var err error
	if cost.Best, err = time(cost.Now); err != nil {
		return nil, err
	}
	if a.policy == iteration.Best {
		cost.Best = min(cost.Best, a.document.Iteration)
	}
	cost.Free, cost.Thresholds, err = iteration.Thresholds(overheads(), time)
	return cost, err
}

// port plans with one more port; it returns nil if a GPU cannot have one more.
func (a *again) port(ctx context.Context, best units.Time) (*iteration.PortGain, error) {
	d, err := a.plan(ctx, a.document.Fabric.Reconfig.Base, 1)
	var named *field.Error
	switch {
	case errors.As(err, &named):
		return nil, nil
	case err != nil:
		return nil, err
	}
	return &iteration.PortGain{Ports: d.Fabric.Ports, Iteration: d.Iteration, Saved: best - d.Iteration, Bound: d.Bound}, nil
}
