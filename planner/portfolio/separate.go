package portfolio

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/lightpath-net/lightpath/bound"
	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/units"
)

// This file makes plans for operations that send the same data to several GPUs, or add up data
// there, from plans that send every GPU separate data: an allgather from an all-to-all, a
// broadcast from a scatter. The time for small data goes into steps and hops. Separate plans have
// the fewest of them, while other plans for islands, fixed links and grids of switches consist of
// phases.

// separateName begins the names of algorithms that send the same data to everyone separately.
const separateName = "separate/"

// separate returns the operation that sends every GPU separate data where o sends the same data,
// among the given number of GPUs; ok is false if there is none.
func separate(o collective.Operation, gpus int) (other collective.Operation, ok bool) {
	times := units.Bytes(gpus)
	switch o.Op {
	case collective.AllGather, collective.ReduceScatter:
		o.Op, times = collective.AllToAll, 1
	case collective.AllReduce:
		o.Op = collective.AllToAll
	case collective.Broadcast:
		o.Op = collective.Scatter
	case collective.RootReduce:
		o.Op = collective.Gather
	default:
		return o, false
	}
	if o.Size > math.MaxInt64/2/times {
		return o, false
	}
	o.Size *= times
	return o, true
}

// mostSeparate is the number of GPUs up to which such plans are tried, and mostFromOne that for
// operations with a root. All pairs take long to route.
const (
	mostSeparate = 1 << 8
	mostFromOne  = 1 << 10
)

// phased reports whether plans for a fabric consist of phases, so that separate plans may be
// faster.
func phased(f *fabric.Fabric) bool { return f.Tiered() || !f.Layout.Parallel() }

// orSeparate returns a plan that sends the same data to everyone separately, if it is faster than
// the plan made, and nil otherwise. made is nil if no plan is within the limit of the search.
// find plans the operation with separate data for everyone.
func (r *Request) orSeparate(ctx context.Context, s *Search, made *plan.Plan, find func(*Request, *Search) (*plan.Plan, error)) (*plan.Plan, error) {
	f := &r.Fabric
	if !phased(f) || !r.single() || !r.Operations[0].Open() {
		return nil, nil
	}
	o := r.Operations[0]
	if err := o.Complete(f.Nodes); err != nil {
		return nil, nil
	}
	members := []int(o.GPUs)
	if members == nil {
		members = f.Alive()
	}
	space := collective.SpaceOf(o.Op, f.Nodes, 1)
	space.Members = members
	own, ok := separate(o, space.MembersCount())
	if gpus := space.MembersCount(); !ok || gpus > mostFromOne || gpus > mostSeparate && !own.Op.Rooted() {
		return nil, nil
	}
	ownSpace := collective.SpaceOf(own.Op, f.Nodes, 1)
	ownSpace.Members = members
	limit := s.scope.limit
	if made != nil {
		limit = made.Cost.Total()
	}
	if bound.OfOperation(f, &collective.Section{Op: own.Op, Size: own.Size, Space: ownSpace}).Total() >= limit {
		return nil, nil // at best equally fast
	}
	other := *r
	other.Operations = []collective.Operation{own}
	from, err := find(&other, s.Quiet().Unseen().unknowing().within(limit))
	if err == nil && from.Cost.Total() < limit {
		from, err = sentSeparately(ctx, from, o.Op, o.Size)
	}
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil && !errors.Is(err, planner.ErrInfeasible) && !errors.Is(err, planner.ErrBeyond):
		return nil, err
	case err != nil || from.Cost.Total() >= limit:
		return nil, nil
	}
	s.show(from)
	return from, nil
}

// sentSeparately makes a plan of an operation from a plan in which every transfer carries data
// that its source has for its target only (separate). It fails for plans in which GPUs keep data
// for others, or in which sums of several steps would be added again.
func sentSeparately(ctx context.Context, from *plan.Plan, op collective.Op, size units.Bytes) (*plan.Plan, error) {
	if from.Staggered() || from.Independent || len(from.Stages) == 0 || op == collective.AllReduce && from.CountSteps() != 1 {
		return nil, fmt.Errorf("%w: planes that do not wait, or values that change between steps", planner.ErrInfeasible)
	}
	own := &from.Collective.Space
	made := &plan.Plan{
		Fabric: from.Fabric, Provenance: plan.Provenance{Planner: from.Planner}, Among: from.Among,
		Collective: plan.Collective{Op: op, Algorithm: separateName + from.Collective.Algorithm, Size: size, Space: collective.SpaceOf(op, own.Nodes, own.Parts)},
	}
	made.Collective.Space.Members = own.Members
	for i := range from.Stages {
		stage := from.Stages[i]
		steps := stage.Steps
		stage.Steps = make([]plan.Step, len(steps))
		for j := range steps {
			stage.Steps[j].Group = steps[j].Group
			for _, t := range steps[j].Base {
				chunks, err := sharedChunks(own, &t.Transfer, op)
				if err != nil {
					return nil, err
				}
				t.Chunks = chunks
				if op.Reduces() {
					t.Action = collective.Reduce
				}
				stage.Steps[j].Base = append(stage.Steps[j].Base, t)
			}
		}
		made.Stages = append(made.Stages, stage)
	}
	if err := made.PriceContext(ctx); err != nil {
		return nil, err
	}
	made.Bound = min(made.OperationBound().Total(), made.Cost.Total())
	return made, nil
}

// sharedChunks returns the chunks that an operation sends instead of a GPU's separate data.
func sharedChunks(own *collective.Space, t *collective.Transfer, op collective.Op) (collective.Chunks, error) {
	n, parts := own.MembersCount(), own.Parts
	var all collective.Chunks
	for c := range t.Chunks.All() {
		block, part := c/parts, c%parts
		src, dst := 0, block
		switch {
		case own.Kind == collective.Pairs:
			src, dst = block/n, block%n
		case op == collective.RootReduce:
			src, dst = block, 0
		}
		if t.Action != collective.Copy || own.Member(src) != t.Src || own.Member(dst) != t.Dst {
			return nil, fmt.Errorf("%w: GPUs keep what is for others", planner.ErrInfeasible)
		}
		switch op {
		case collective.AllGather:
			all = append(all, collective.RunOf(src*parts+part, 1, 1))
		case collective.ReduceScatter:
			all = append(all, collective.RunOf(dst*parts+part, 1, 1))
		case collective.AllReduce:
			all = append(all, collective.RunOf(part, n, parts))
		default:
			all = append(all, collective.RunOf(part, 1, 1))
		}
	}
	return all, nil
}

// fastestOrSeparate is orSeparate for plans by the best of all planners.
func (r *Request) fastestOrSeparate(ctx context.Context, p planner.Planner, s *Search, made *plan.Plan) (*plan.Plan, error) {
	if !planner.TraitsOf(p).Best || s.scope.still || s.scope.whole || s.scope.parts > 0 || s.scope.alike {
		return nil, nil
	}
	return r.orSeparate(ctx, s, made, func(other *Request, s *Search) (*plan.Plan, error) { return other.Fastest(ctx, p, s) })
}

// stayingOrSeparate is orSeparate for plans that do not change circuits.
func (r *Request) stayingOrSeparate(ctx context.Context, s *Search, made *plan.Plan) (*plan.Plan, error) {
	return r.orSeparate(ctx, s, made, func(other *Request, s *Search) (*plan.Plan, error) { return other.Staying(ctx, nil, s) })
}
