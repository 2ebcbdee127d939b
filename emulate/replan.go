package emulate

import (
	"context"
	"fmt"
	"slices"

	"github.com/lightpath-net/lightpath/emulate/fault"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/plan"
)

// Attempt is a run that ended with a fault, after which a new plan was made.
type Attempt struct {
	Avoid fabric.Failures // what that run avoided
	Fault *fault.Fault
}

// RunAround is Run, but after a fault it makes a new plan that avoids what failed and restarts
// the collective from its inputs. It ends with a run without faults, or with a fault that no
// plan can avoid; if no plan could be made, the fault says why. The report is that of the last
// run.
func RunAround(ctx context.Context, p *plan.Plan, o Options, replan func(ctx context.Context, avoid fabric.Failures) (*plan.Plan, error)) (*Report, []Attempt, error) {
	var failed []Attempt
	asked := o.Faults
	for {
		r, err := Run(ctx, p, o)
		if err != nil {
			return nil, failed, err
		}
		var more fabric.Failures
		if r.Fault != nil {
			more = Avoidance(r.Fault)
		}
		if more.IsZero() {
			if r.OK {
				r.Unused = unused(asked, failed)
			}
			return r, failed, nil
		}
		if p.Fabric.Avoid.Has(more) {
			return r, failed, nil // the plan avoided it, and it failed again
		}
		avoid := p.Fabric.Avoid.And(more)
		next, err := replan(ctx, avoid)
		if err != nil {
			if stopped := ctx.Err(); stopped != nil {
				return nil, failed, stopped
			}
			last := *r.Fault
			last.Detail = fmt.Sprintf("%s; there is no plan without %s: %v", last.Detail, avoid, err)
			r.Fault = &last
			return r, failed, nil
		}
		failed = append(failed, Attempt{Avoid: p.Fabric.Avoid, Fault: r.Fault})
		p = next
		o.Faults = remaining(o.Faults, p)
	}
}

// Avoidance returns what a plan must avoid after a fault.
func Avoidance(f *fault.Fault) fabric.Failures {
	switch f.Kind {
	case fault.Cut:
		return fabric.FailedLink(min(f.Rank, f.Peer), max(f.Rank, f.Peer), true)
	case fault.Died, fault.Stalled, fault.Restarted, fault.Garbage, fault.Clock, fault.Secret, fault.OtherPlan, fault.Absent, fault.WrongData:
		if f.Rank != fault.Nobody {
			return fabric.FailedGPU(f.Rank)
		}
	}
	return fabric.Failures{}
}

// remaining returns the injected faults that can still happen in another plan: circuits stay
// cut, and the remaining ranks may still misbehave.
func remaining(faults []fault.Injection, p *plan.Plan) []fault.Injection {
	return slices.DeleteFunc(slices.Clone(faults), func(f fault.Injection) bool {
		return !f.OfLink() && p.Fabric.Avoid.GPU(f.From) || f.Step > p.CountSteps()
	})
}

// unused returns the injected faults that ended none of the runs.
func unused(faults []fault.Injection, failed []Attempt) []fault.Injection {
	return slices.DeleteFunc(endings(faults), func(f fault.Injection) bool {
		return slices.ContainsFunc(failed, func(a Attempt) bool {
			if f.Kind == fault.Corrupted {
				return a.Fault.Kind == fault.WrongData
			}
			if f.Kind != fault.Cut {
				return a.Fault.Kind != fault.Cut && a.Fault.Rank == f.From
			}
			return a.Fault.Kind == fault.Cut && (a.Fault.Rank == f.From && a.Fault.Peer == f.To || !f.OneWay && a.Fault.Rank == f.To && a.Fault.Peer == f.From)
		})
	})
}
