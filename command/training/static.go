package training

import (
	"context"
	"errors"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/command"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/field"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/train"
	"github.com/lightpath-net/lightpath/units"
)

// mostStaticNodes and mostStaticPorts are the largest fabric on which planner static plans every
// collective separately, with all algorithms. On larger fabrics the linear programs of the
// routes take seconds for every size; planner static then plans the minibatch as a whole, if
// that may be faster.
const mostStaticNodes, mostStaticPorts = 128, 6

// smallStatic is the total number of ports up to which everything is planned fast.
const smallStatic = 128

// dearStatic reports whether planner static takes long on a fabric.
func dearStatic(f *fabric.Fabric) bool {
	return f.Nodes*f.Ports > smallStatic && (f.Nodes > mostStaticNodes || f.Ports > mostStaticPorts)
}

// static returns the minibatch planned by planner static; nil if there is none, or none that
// takes less than a time.
func (r *TrainRequest) static(ctx context.Context, f fabric.Fabric, than units.Time, e *command.Run) (*train.Course, error) {
	base, err := f.BaseTopology()
	if err != nil {
		return nil, nil
	}
	plans := r.plansOn(f, &Tally{}, e)
	least := r.leastOnBase(&f, plans)
	if least == nil {
		return nil, nil
	}
	if bound, err := train.Bound(ctx, r.Trace, least); err != nil || than > 0 && than <= bound {
		return nil, err
	}
	other := *r
	other.Fabric, other.Planner = f, plans.static()
	var network TrainingNetwork
	_, next, err := other.onFabric(ctx, &network, e)
	if err != nil {
		return nil, err
	}
	result, err := train.Simulate(ctx, r.Trace, next, train.Options{Bucket: r.Bucket, AllToAllFirst: r.AllToAllFirst})
	var wrong *field.Error
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case errors.Is(err, planner.ErrInfeasible), errors.As(err, &wrong):
		return nil, nil // planner static has no plan
	case err != nil:
		return nil, err
	case than > 0 && result.MinibatchNs >= than:
		return nil, nil
	}
	return &train.Course{Result: *result, Stays: base}, nil
}

// leastOnBase returns a lower bound for plans for a collective that stay on the base: the bound
// for all plans, or a start-up and the hops of the diameter, whichever is larger. An all-to-all
// is planned instead, which is fast. It returns nil if the base does not connect all GPUs.
func (r *TrainRequest) leastOnBase(f *fabric.Fabric, plans *trainingPlans) train.Cost {
	any := leastTimes(f)
	base, err := f.BaseTopology()
	if err != nil {
		return nil
	}
	diameter, connected := base.Diameter()
	if !connected && f.Avoid.IsZero() {
		return nil
	}
	far := f.Alpha.Time() + f.Delta.Time()*units.Time(diameter)
	if !f.Avoid.IsZero() || !f.Links.IsZero() {
		far = 0 // circuits differ, or are fewer
	}
	return func(ctx context.Context, op collective.Op, size units.Bytes) (units.Time, error) {
		if op == collective.AllToAll {
			made, err := plans.plan(ctx, plannedCollective{planner: plans.static(), op: op, size: size, delay: -1})
			if err != nil || made != nil {
				return timeOf(made), err
			}
		}
		least, err := any(ctx, op, size)
		return max(least, far), err
	}
}

// timeOf returns the time of a plan, 0 if there is none.
func timeOf(p *plan.Plan) units.Time {
	if p == nil {
		return 0
	}
	return p.Cost.Total()
}
