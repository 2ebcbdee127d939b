package explain

import (
	"context"
	"math"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/units"
)

// delayRange returns the delays for which the planner makes no faster plan.
func delayRange(ctx context.Context, p *plan.Plan, oracle planner.Planner) (*DelayRange, error) {
	f := p.Fabric
	if f.Overlap.Kind == fabric.OverlapPorts || f.Overlap.Kind == fabric.OverlapCircuits {
		return nil, nil
	}
	// Time is a line in the wait, max(0, delay-compute) + sync.
	compute, sync := float64(f.Overlap.Compute.Time()), float64(f.Sync.Time())
	f.Overlap, f.Sync = fabric.Overlap{}, 0
	laid := p.Laid()
	changes := float64(p.Reconfigurations)
	wait := max(0, float64(p.Fabric.Reconfig.Base.Time())-compute) + sync
	ours := segment{slope: changes, at0: float64(p.Cost.Total()) - changes*wait}
	r, err := optimalRange(wait, 0, maxDelay, ours, func(x float64) (segment, error) {
		f.Reconfig.Base = units.Duration(math.Round(x * 1000))
		made, err := oracle.Plan(ctx, again(p, f, laid))
		if err != nil {
			return segment{}, err
		}
		changes := float64(made.Reconfigurations)
		return segment{slope: changes, at0: float64(made.Cost.Total()) - changes*float64(f.Reconfig.Base.Time())}, nil
	})
	if err != nil || r == nil {
		return nil, err
	}
	answer := &DelayRange{}
	if r.from > sync {
		answer.FromNs = units.Time(r.from - sync + compute)
	}
	if r.to < maxDelay {
		to := units.Time(r.to - sync + compute)
		answer.ToNs = &to
	}
	return answer, nil
}

// again asks for the plan once more, for another fabric or size. An exchange keeps its
// strategy and the number of chunks of a pair.
func again(p *plan.Plan, f fabric.Fabric, laid collective.Sized) planner.Request {
	r := planner.Request{Fabric: f, Collective: laid.Collective, Size: laid.Size}
	if p.Slots > 0 {
		pair := float64(laid.Size) / float64(f.Nodes)
		r.Strategy, r.Chunk = p.Strategy, units.Bytes(math.Ceil(pair/float64(max(1, p.Collective.Space.Parts))))
	}
	return r
}

// The ends of what is looked at: an hour in ns, and an exbibyte.
const (
	maxDelay = 3600e9
	maxSize  = 1 << 60
)

// sizeRange returns the sizes for which the planner makes no faster plan.
func sizeRange(ctx context.Context, p *plan.Plan, oracle planner.Planner) (*SizeRange, error) {
	if space := &p.Collective.Space; space.Kind == collective.Sections || space.Kind == collective.Listed || space.Sizes != nil {
		return nil, nil
	}
	laid := p.Laid()
	lineOf := func(made *plan.Plan) segment {
		size := float64(made.Collective.Size)
		return segment{slope: float64(made.Cost.Transmission) / size, at0: float64(made.Cost.Total() - made.Cost.Transmission)}
	}
	r, err := optimalRange(float64(p.Collective.Size), 1, maxSize, lineOf(p), func(x float64) (segment, error) {
		other := laid
		other.Size = max(1, units.Bytes(math.Round(x)))
		made, err := oracle.Plan(ctx, again(p, p.Fabric, other))
		if err != nil {
			return segment{}, err
		}
		return lineOf(made), nil
	})
	if err != nil || r == nil {
		return nil, err
	}
	answer := &SizeRange{FromBytes: r.from}
	if r.to < maxSize {
		answer.ToBytes = &r.to
	}
	return answer, nil
}
