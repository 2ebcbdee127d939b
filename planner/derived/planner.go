package derived

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/lightpath-net/lightpath/bound"
	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/units"
)

// Name is the name of the planner, and of the algorithm in its plans.
const Name = "derived"

// Finder finds plans of an operation of the size of a request, on its fabric. The plans do not
// depend on the delay of the fabric.
type Finder func(ctx context.Context, op collective.Op, r planner.Request) ([]*plan.Plan, error)

// Stayer finds a plan of an operation of the size of a request on circuits that stay.
type Stayer func(ctx context.Context, op collective.Op, on *topology.Graph, r planner.Request) (*plan.Plan, error)

// New returns the planner. It asks others for the plans of other operations.
func New(find Finder, stay Stayer) planner.Planner { return composer{find, stay} }

type composer struct {
	find Finder
	stay Stayer
}

func (composer) Name() string { return Name }
func (composer) About() string {
	return "what a plan of a larger operation does for this one, or a plan of the opposite one reversed in time"
}

// Traits implements planner.Described.
func (x composer) Traits() planner.Traits {
	return planner.Traits{Applies: applies, Composes: &planner.Composer{Algorithm: Name, Supports: supports}, Bound: boundOf, Listed: true, Last: true}
}

// others lists what each copying operation is made from: plans of larger operations, and plans of
// their opposites reversed in time. Operations that reduce are made in the same way, and then
// reversed.
var others = map[collective.Op][][]collective.Op{
	collective.Broadcast: {{collective.AllReduce}, {collective.Scatter, collective.AllGather}},
	collective.AllGather: {{collective.AllToAll}},
	collective.Gather:    {{collective.AllGather}, {collective.AllToAll}, {collective.AllReduce}, {collective.RootReduce}},
	collective.Scatter:   {{collective.ReduceScatter}, {collective.AllToAll}, {collective.AllReduce}, {collective.Broadcast}},
}

// opposite maps each operation to its reversal in time.
var opposite = map[collective.Op]collective.Op{
	collective.Broadcast: collective.RootReduce, collective.RootReduce: collective.Broadcast,
	collective.AllGather: collective.ReduceScatter, collective.ReduceScatter: collective.AllGather,
	collective.Gather: collective.Scatter, collective.Scatter: collective.Gather,
	collective.AllReduce: collective.AllReduce, collective.AllToAll: collective.AllToAll,
}

// mostTraced is the largest number of GPUs for which plans are followed. For every plan, a trace
// records what each GPU has of every other GPU's data: the square of their number, or more.
const mostTraced = 512

// applies reports why the planner makes no plan on a fabric.
func applies(f *fabric.Fabric) error {
	switch _, uniform := f.Reconfig.Uniform(); {
	case f.Tiered():
		return fmt.Errorf("planner %s is for fabrics without islands", Name)
	case !f.Avoid.IsZero() || !f.Links.IsZero():
		return fmt.Errorf("planner %s is for fabrics whose circuits are equal", Name)
	case !uniform:
		return fmt.Errorf("planner %s is for changes that all take the same", Name)
	}
	return nil
}

// supports reports why the planner cannot do an operation, or nil.
func supports(c *collective.Collective, f *fabric.Fabric) error {
	switch {
	case opposite[c.Op] == "" || opposite[c.Op] == c.Op:
		return fmt.Errorf("planner %s does not do %s", Name, c.Op)
	case c.Space.Sizes != nil:
		return fmt.Errorf("planner %s is for GPUs that all have the same", Name)
	case c.Space.MembersCount() > mostTraced:
		return fmt.Errorf("planner %s is for at most %d GPUs", Name, mostTraced)
	}
	return applies(f)
}

// boundOf bounds the time of a plan from below.
func boundOf(_ context.Context, r planner.Request) (least, most units.Time, err error) {
	return bound.OfOperation(&r.Fabric, &collective.Section{Op: r.Collective.Op, Size: r.Size, Space: r.Collective.Space}).Total(), units.Time(math.Inf(1)), nil
}

// source names the operations from whose plans to make one.
type source struct {
	ops      []collective.Op
	backward bool // the plans are followed backward in time
}

// sources lists what an operation is made from, and the copying operation that it is followed as.
// The sources of an operation, reversed, are the sources of its opposite.
func sources(op collective.Op) (followed collective.Op, all []source) {
	followed = op
	if op.Reduces() {
		followed = opposite[op]
	}
	for _, ops := range others[followed] {
		var turned []collective.Op
		for _, op := range slices.Backward(ops) {
			turned = append(turned, opposite[op])
		}
		all = append(all, source{ops: ops}, source{ops: turned, backward: true})
	}
	return followed, append(all, source{ops: []collective.Op{opposite[op]}, backward: !op.Reduces()})
}

// Plan implements planner.Planner.
func (x composer) Plan(ctx context.Context, r planner.Request) (*plan.Plan, error) {
	if err := r.Validate(); err != nil {
		return nil, err
	}
	if err := supports(r.Collective, &r.Fabric); err != nil {
		return nil, fmt.Errorf("%w: %w", planner.ErrInfeasible, err)
	}
	if r.Whole || r.Parts > 0 || r.Alike {
		return nil, fmt.Errorf("%w: planner %s cuts data as others do", planner.ErrInfeasible, Name)
	}
	op, all := sources(r.Collective.Op)
	least := leastOf(r.Collective.Op, &r)
	return planner.FastestOf(all, errNone, func(s source) (*plan.Plan, error) {
		if s.ops[0] == collective.AllToAll && r.Collective.Space.MembersCount() > mostExchanged {
			return nil, fmt.Errorf("%w: data of its own for every pair of so many GPUs", planner.ErrInfeasible)
		}
		for _, other := range s.ops {
			if leastOf(other, &r) > mostTimes*least {
				return nil, fmt.Errorf("%w: %s takes much longer", planner.ErrInfeasible, other)
			}
		}
		if s.ops[0] == collective.AllToAll && exchangesLate(&r) {
			return nil, fmt.Errorf("%w: an all-to-all takes much longer at this delay", planner.ErrInfeasible)
		}
		from, err := x.others(ctx, s, r)
		if errors.Is(err, planner.ErrBeyond) {
			err = errors.Join(planner.ErrInfeasible, err)
		}
		if err != nil {
			return nil, err
		}
		return planner.FastestOf(from, errNone, func(p *plan.Plan) (*plan.Plan, error) {
			if err := s.late(p, &r); err != nil {
				return nil, err
			}
			return s.derive(ctx, op, p, &r)
		})
	})
}

// mostTimes is how many times as long as an operation another one may take to be of use, by their
// bounds without a delay. So the choice of plans does not depend on the delay.
const mostTimes = 2

// mostDropped is how many times as long as the limit an all-to-all may take, by its bound, to be of
// use for an allgather or a reduce-scatter. All-to-alls take the longest to plan. A plan made from
// one leaves out what another operation does not need, and so may be faster than any all-to-all: of
// 146 made for 2 to 40 GPUs, the 4 that kept to the limit took at least 0.96 times the bound. What
// is left of an all-to-all on the way from or to one GPU may take half of its time.
const mostDropped = 4. / 3

// exchangesLate reports whether the limit of a request is too short for what all-to-alls could make
// of it.
func exchangesLate(r *planner.Request) bool {
	return r.Limit > 0 && !r.Collective.Op.Rooted() && boundAs(collective.AllToAll, r, &r.Fabric) > mostDropped*r.Limit
}

// leastOf returns a lower bound on the time of an operation of the size of a request, without a
// delay.
func leastOf(op collective.Op, r *planner.Request) units.Time {
	f := r.Fabric
	f.Reconfig, f.Overlap = fabric.Reconfig{Model: fabric.Constant}, fabric.Overlap{}
	return boundAs(op, r, &f)
}

// boundAs returns a lower bound on the time of an operation of the size of a request on a fabric.
func boundAs(op collective.Op, r *planner.Request, f *fabric.Fabric) units.Time {
	space := collective.SpaceOf(op, f.Nodes, 1)
	space.Members = r.Collective.Space.Members
	return bound.OfOperation(f, &collective.Section{Op: op, Size: r.Size, Space: space}).Total()
}

// errNone is the error if there is nothing to make a plan from.
var errNone = fmt.Errorf("%w: none of another operation does this one on the way", planner.ErrInfeasible)

// mostExchanged is the largest number of GPUs for which plans of all-to-alls are made. These have
// separate data for every pair of GPUs.
const mostExchanged = 128

// others finds the plans of a source. Of two operations, the one from or to the root runs on the
// circuits that the other begins or ends with, or on circuits of its own, which takes a
// reconfiguration between the two.
func (x composer) others(ctx context.Context, s source, r planner.Request) ([]*plan.Plan, error) {
	if len(s.ops) == 1 {
		return x.find(ctx, s.ops[0], r)
	}
	large := 0
	if s.ops[0].Rooted() {
		large = 1
	}
	plans, err := x.find(ctx, s.ops[large], r)
	if err != nil {
		return nil, err
	}
	own, err := x.find(ctx, s.ops[1-large], r)
	if err != nil && !none(err) {
		return nil, err
	}
	var all []*plan.Plan
	for _, p := range plans {
		if usable(p) != nil {
			continue
		}
		end := p.Stages[0].Topology
		if large == 0 {
			end = p.Stages[len(p.Stages)-1].Topology
		}
		small := own
		staying, err := x.stay(ctx, s.ops[1-large], end, r)
		switch {
		case err == nil:
			for i := range staying.Stages {
				staying.Stages[i].Topology = end // this graph has the right name
			}
			small = append(slices.Clip(own), staying)
		case !none(err):
			return nil, err
		}
		for _, q := range small {
			if usable(q) != nil {
				continue
			}
			both := []*plan.Plan{q, p}
			if large == 0 {
				both = []*plan.Plan{p, q}
			}
			whole, err := plan.InSequence(p.Fabric, both...)
			if err != nil {
				return nil, fmt.Errorf("%w: %w", planner.ErrInfeasible, err)
			}
			all = append(all, whole)
		}
	}
	return all, nil
}

// none reports whether an error says that there is no plan, or none that is fast enough.
func none(err error) bool {
	return errors.Is(err, planner.ErrInfeasible) || errors.Is(err, planner.ErrBeyond)
}

// usable returns an error unless the steps of a plan follow one another.
func usable(p *plan.Plan) error {
	if p.Staggered() || p.Independent || len(p.Stages) == 0 {
		return fmt.Errorf("%w: planes do not wait for one another", planner.ErrInfeasible)
	}
	return nil
}

// late returns an error if a plan of the opposite operation takes longer than the limit at the
// delay of the request. Reversed in time, it takes as long, except for the change from circuits
// that are up at the start.
func (s source) late(from *plan.Plan, r *planner.Request) error {
	if len(s.ops) > 1 || s.ops[0] != opposite[r.Collective.Op] || r.Fabric.Overlap.Kind != fabric.OverlapNone {
		return nil
	}
	least := from.Cost
	least.Reconfiguration = units.Time(max(0, len(from.Stages)-1)) * r.Fabric.LeastBarrier()
	if err := r.Beyond(least.Total()); err != nil {
		return fmt.Errorf("%w: %w", planner.ErrInfeasible, err)
	}
	return nil
}

// derive makes a plan from another.
func (s source) derive(ctx context.Context, op collective.Op, from *plan.Plan, r *planner.Request) (*plan.Plan, error) {
	if err := usable(from); err != nil {
		return nil, err
	}
	g, err := goalFor(op, &from.Collective.Space)
	if err != nil {
		return nil, err
	}
	flow := flowOf(from)
	if s.backward {
		flow = backward(flow)
	}
	if err := follow(ctx, g, flow, g.itemsOf(&from.Collective.Space, s.backward)); err != nil {
		return nil, err
	}
	action := collective.Copy
	if op != r.Collective.Op {
		flow, action = backward(flow), collective.Reduce
	}
	made := &plan.Plan{
		Fabric: r.Fabric, Stages: stages(flow, action), Among: from.Among,
		Provenance: plan.Provenance{Planner: Name, Strategy: s.about(from, s.backward == (op == r.Collective.Op))},
		Collective: plan.Collective{Op: r.Collective.Op, Algorithm: Name, Size: r.Size, Space: g.space},
	}
	for i := range made.Stages {
		if err := made.Fabric.Fits(made.Stages[i].Topology); err != nil {
			return nil, fmt.Errorf("%w: %w", planner.ErrInfeasible, err)
		}
	}
	if err := made.PriceContext(ctx); err != nil {
		return nil, err
	}
	made.Bound = min(made.OperationBound().Total(), made.Cost.Total())
	return made, nil
}

// about describes what a plan was made from.
func (s source) about(from *plan.Plan, reversed bool) string {
	what := collective.JoinOps(s.ops, " and ")
	if reversed {
		what += " reversed"
	}
	by := from.Collective.Algorithm
	if from.Strategy != "" {
		by += ": " + from.Strategy
	}
	return fmt.Sprintf("from %s (%s)", what, by)
}
