package pieces

import (
	"context"
	"math"

	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/units"
)

// charge returns a lower bound, in ns, on what every number of pieces takes in addition to its
// bytes, and to a start-up and a hop for each of its steps: the time of other hops and of
// reconfigurations. It is for planners that leave nothing to choose.
//
// A pipeline down trees begins with what the fewest pieces do, and may do more in the same steps;
// a pipeline up trees ends with it. So on one topology whose circuits are all alike, the steps of
// the fewest pieces have as many hops in any layout. If every step has circuits of its own, there
// are as many reconfigurations: no piece overtakes another on its tree, so a pair that the fewest
// pieces are the first to use is first used in the same step of any layout, and its circuit was
// not up before (Fresh counts such steps). An allreduce over two trees has no such beginning, but
// its first piece goes up and down a tree one pair after the other, in separate steps.
//
// The charge decides whether any number of pieces is within a limit. The search uses simpler
// bounds, because numbers that are not much slower than the best tell it where to look.
func (l Algorithm) charge(ctx context.Context, with planner.Planner, r planner.Request) (float64, error) {
	traits := planner.TraitsOf(with)
	wait, uniform := r.Fabric.UniformWait()
	switch {
	case traits.Least == nil || !uniform:
		return 0, nil
	case l.Static != nil && traits.Baseline == plan.Static && l.Extends() && r.Fabric.Links.IsZero():
		hops, err := l.hops(ctx, traits.Least, r)
		return hops, err
	case l.EveryStep != nil && traits.Baseline == plan.EveryStep:
		fresh, err := l.Fresh(l.Known)
		return float64(fresh-1) * float64(wait), err
	}
	return 0, nil
}

// hops returns the time, in ns, of the hops of the fewest pieces beyond one for each step.
func (l Algorithm) hops(ctx context.Context, least func(context.Context, planner.Request) (units.Time, error), r planner.Request) (float64, error) {
	f := &r.Fabric
	f.Reconfig, f.Sync, f.Initial, f.Gamma = fabric.Reconfig{Model: fabric.Constant}, 0, fabric.InitialFree, fabric.Gamma{}
	f.Bandwidth, r.Size = math.MaxInt64, 1 // so that bytes take no time
	var err error
	if r.Collective, err = l.Sketch(l.Known, l.Least); err != nil {
		return 0, err
	}
	takes, err := least(ctx, r)
	steps := units.Time(len(r.Collective.Steps))
	return max(0, float64(takes-steps*(f.Alpha.Time()+f.Delta.Time()))*(1-sameTime)), err
}

// attained reports whether a planner takes exactly what its bound says for every number of
// pieces: static with one port, if all pairs of the trees are neighbours on the base. What a node
// sends in a step, one piece, then goes over its only circuit, and nothing else does. So the time
// of a chain of 4096 GPUs is known without listing any of its millions of transfers.
func (l Algorithm) attained(with planner.Planner, r *planner.Request, charge float64) bool {
	f := &r.Fabric
	traits := planner.TraitsOf(with)
	_, uniform := f.UniformWait()
	switch {
	case traits.Least == nil || !uniform || l.Static == nil || traits.Baseline != plan.Static || !l.Extends() || !l.Sketched():
		return false // the charge is not that of hops, or steps are only bounded
	case f.Ports != 1 || f.Initial != fabric.InitialFree || !f.Links.IsZero() || !f.Open() || f.Gamma.Time > 0:
		return false
	}
	return f.Delta > 0 && charge < float64(f.Delta.Time())/2
}
