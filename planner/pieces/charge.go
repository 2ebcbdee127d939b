package pieces

import (
	"context"
	"math"

	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/units"
)

// charge is a lower bound on what numbers of pieces take in addition to their bytes, and to a
// start-up and a hop for each of their steps.
type charge struct {
	hops    float64                              // ns of further hops, with any number of pieces
	changes func(pieces int) (least, rising int) // of circuits; nil: unknown
	wait    float64                              // ns that a change takes
}

// of returns the charge of a number of pieces, in ns, and one that also holds for every larger
// number.
func (c *charge) of(pieces int) (least, rising float64) {
	if c.changes == nil {
		return c.hops, c.hops
	}
	changes, more := c.changes(pieces)
	return float64(changes) * c.wait, float64(more) * c.wait
}

// charge returns the charge of the layouts with a planner that leaves nothing to choose.
//
// A pipeline down trees begins with what the fewest pieces do, and may do more in the same steps;
// a pipeline up trees ends with it. So on one topology whose circuits are all alike, the steps of
// the fewest pieces have as many hops in any layout. If every step has circuits of its own, they
// change wherever other pairs send than in the step before. An allreduce over two trees
// has no such beginning, but its first piece goes up and down a tree one pair after the other, in
// separate steps.
//
// The charge decides whether any number of pieces is within a limit. The number with the lowest
// bound is asked for first if changes are known: they take most of the time of pipelines of many
// GPUs, and laying out 64 pieces for 65536 GPUs takes seconds.
func (l Algorithm) charge(ctx context.Context, with planner.Planner, r planner.Request) (c charge, err error) {
	traits := planner.TraitsOf(with)
	wait, uniform := r.Fabric.UniformWait()
	switch {
	case traits.Least == nil || !uniform:
	case l.Static != nil && traits.Baseline == plan.Static && l.Extends() && r.Fabric.Links.IsZero():
		c.hops, err = l.hops(ctx, traits.Least, r)
	case l.EveryStep != nil && traits.Baseline == plan.EveryStep:
		c.wait = float64(wait)
		c.changes, err = l.Changes(l.Known, r.Fabric.Duplex)
	}
	return c, err
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
func (l Algorithm) attained(with planner.Planner, r *planner.Request, charge charge) bool {
	f := &r.Fabric
	traits := planner.TraitsOf(with)
	_, uniform := f.UniformWait()
	switch {
	case traits.Least == nil || !uniform || l.Static == nil || traits.Baseline != plan.Static || !l.Extends() || !l.Sketched():
		return false // the charge is not that of hops, or steps are only bounded
	case f.Ports != 1 || f.Initial != fabric.InitialFree || !f.Links.IsZero() || !f.Open() || f.Gamma.Time > 0:
		return false
	}
	return f.Delta > 0 && charge.hops < float64(f.Delta.Time())/2
}
