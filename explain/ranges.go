package explain

import (
	"context"
	"errors"
	"math"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/envelope"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/flow"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/units"
)

// delayRange returns the delays for which the planner makes no faster plan.
func delayRange(ctx context.Context, p *plan.Plan, oracle planner.Planner, memory *flow.Memory) (*DelayRange, error) {
	f := p.Fabric
	if f.Overlap.Kind == fabric.OverlapPorts || f.Overlap.Kind == fabric.OverlapCircuits || f.Overlap.Kind == fabric.OverlapPlanes {
		return nil, nil
	}
	// The time is linear in the wait.
	f.Overlap, f.Sync = fabric.Overlap{}, 0
	laid := p.Laid(ctx)
	changes := float64(p.Reconfigurations)
	wait := float64(p.Fabric.WaitFor(p.Fabric.Reconfig.Base.Time()))
	ours := envelope.Line{Slope: changes, Fixed: float64(p.Cost.Total()) - changes*wait}
	first, end, ok, err := envelope.Around(wait, 0, maxDelay, ours, rangeTolerance, func(x float64) (envelope.Line, error) {
		f.Reconfig.Base = units.Duration(math.Round(x * 1000))
		made, err := faster(ctx, oracle, again(f, laid, memory), ours.At(x))
		if made == nil {
			return ours, err
		}
		changes := float64(made.Reconfigurations)
		return envelope.Line{Slope: changes, Fixed: float64(made.Cost.Total()) - changes*float64(f.Reconfig.Base.Time())}, nil
	})
	if err != nil || !ok {
		return nil, err
	}
	from, to := p.Fabric.DelaysFor(units.Time(first), units.Time(end))
	answer := &DelayRange{FromNs: from}
	if end < maxDelay {
		answer.ToNs = &to
	}
	return answer, nil
}

// again is the request for the plan on another fabric or size, without baselines. Requests that
// share a memory find the loads of earlier ones at once, because other sizes and delays have the
// same steps.
func again(f fabric.Fabric, laid collective.Sized, memory *flow.Memory) planner.Request {
	return planner.Request{Fabric: f, Collective: laid.Collective, Size: laid.Size, Bare: true, Memory: memory}
}

// faster returns a plan that takes less than a time in ns, beyond rounding, or nil if the
// planner has none. Given that time, the planner need not find the shares of plans that cannot
// be faster, which is most of its work.
func faster(ctx context.Context, oracle planner.Planner, r planner.Request, than float64) (*plan.Plan, error) {
	r.Limit = units.Time(than * (1 - rangeTolerance))
	made, err := oracle.Plan(ctx, r)
	if errors.Is(err, planner.ErrBeyond) {
		return nil, nil
	}
	return made, err
}

// The largest delay and size examined: an hour in ns, and an exbibyte.
const (
	maxDelay = 3600e9
	maxSize  = 1 << 60
)

// sizeRange returns the sizes for which the planner makes no faster plan.
func sizeRange(ctx context.Context, p *plan.Plan, oracle planner.Planner, memory *flow.Memory) (*SizeRange, error) {
	if space := &p.Collective.Space; space.Kind == collective.Sections || space.Kind == collective.Listed || space.Sizes != nil {
		return nil, nil
	}
	laid := p.Laid(ctx)
	lineOf := func(made *plan.Plan) envelope.Line {
		size := float64(made.Collective.Size)
		return envelope.Line{Slope: float64(made.Cost.Bytes()) / size, Fixed: float64(made.Cost.Total() - made.Cost.Bytes())}
	}
	ours := lineOf(p)
	from, to, ok, err := envelope.Around(float64(p.Collective.Size), 1, maxSize, ours, rangeTolerance, func(x float64) (envelope.Line, error) {
		other := laid
		other.Size = max(1, units.Bytes(math.Round(x)))
		made, err := faster(ctx, oracle, again(p.Fabric, other, memory), ours.At(x))
		if made == nil {
			return ours, err
		}
		return lineOf(made), nil
	})
	if err != nil || !ok {
		return nil, err
	}
	answer := &SizeRange{FromBytes: from}
	if to < maxSize {
		answer.ToBytes = &to
	}
	return answer, nil
}

// rangeTolerance is the relative rounding error of a total, and of rounding sizes and delays to
// whole bytes and picoseconds.
const rangeTolerance = 1e-9
