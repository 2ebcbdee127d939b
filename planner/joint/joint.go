package joint

import (
	"context"
	"fmt"
	"slices"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/planner"
)

// Name is that of the planner and of the algorithm that its plans have.
const Name = "joint"

// New returns the planner.
func New() planner.Composer { return composer{} }

type composer struct{}

func (composer) Name() string     { return Name }
func (composer) Composes() string { return Name }
func (composer) About() string {
	return "algorithm, circuits and rewiring chosen together, digit by digit of the GPUs' numbers"
}

// ops are the operations that it can do.
var ops = []collective.Op{
	collective.AllReduce, collective.AllGather, collective.ReduceScatter, collective.Broadcast, collective.RootReduce,
}

// Supports implements planner.Composer.
func (composer) Supports(c *collective.Collective, f *fabric.Fabric) error {
	if !slices.Contains(ops, c.Op) {
		return fmt.Errorf("planner %s does not do %s", Name, c.Op)
	}
	return planner.Alike(Name, f)
}

// candidates is how many of the best solutions are priced as plans where the wait for a
// change depends on what changes; else the first is the best.
const candidates = 8

// Plan implements planner.Planner.
func (x composer) Plan(ctx context.Context, r planner.Request) (*plan.Plan, error) {
	if err := r.Validate(); err != nil {
		return nil, err
	}
	if err := x.Supports(r.Collective, &r.Fabric); err != nil {
		return nil, fmt.Errorf("%w: %w", planner.ErrInfeasible, err)
	}
	best, _, err := bestOf(ctx, &r, limits{changes: anyChanges})
	if err != nil {
		return nil, err
	}
	if best == nil {
		return nil, fmt.Errorf("%w: %s knows no way to do %s on %d GPUs with these ports", planner.ErrInfeasible, Name,
			r.Collective.Op, r.Collective.Space.MembersCount())
	}
	best.Bound = min(plan.OperationBound(&best.Fabric, &best.Collective), best.Cost.Total())
	return best, nil
}

// Plans implements planner.Several: the best few solutions of the search.
func (x composer) Plans(ctx context.Context, r planner.Request, most int) ([]*plan.Plan, error) {
	best, err := x.Plan(ctx, r)
	if err != nil {
		return nil, err
	}
	all := []*plan.Plan{best}
	for _, o := range optionsFor(&r, limits{changes: anyChanges}, most, func() bool { return ctx.Err() != nil }) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		p, err := o.plan(&r)
		if err != nil {
			return nil, err
		}
		if p != nil && len(all) < most && !slices.ContainsFunc(all, func(q *plan.Plan) bool { return sameEnds(p, q) }) {
			all = append(all, p)
		}
	}
	return all, ctx.Err()
}

// sameEnds reports whether two plans begin and end with the same circuits.
func sameEnds(p, q *plan.Plan) bool {
	return p.Stages[0].Topology.Equal(q.Stages[0].Topology) &&
		p.Stages[len(p.Stages)-1].Topology.Equal(q.Stages[len(q.Stages)-1].Topology)
}

// bestOf returns the fastest plan within limits and what it was made of, nil if there is
// none.
func bestOf(ctx context.Context, r *planner.Request, l limits) (best *plan.Plan, made option, err error) {
	all := options(r, l, func() bool { return ctx.Err() != nil })
	for _, o := range all {
		if err := ctx.Err(); err != nil {
			return nil, option{}, err
		}
		p, err := o.plan(r)
		if err != nil {
			return nil, option{}, err
		}
		if p != nil && (best == nil || p.Cost.Total() < best.Cost.Total()) {
			best, made = p, o
		}
	}
	return best, made, ctx.Err()
}

// option is a plan that has not been built.
type option struct {
	time  float64 // as predicted, without what the circuits before it cost
	build func() laidCast
	uses  func() uses
}

// options returns what may be the best: one option where the search knows the time of
// every plan, and several where it does not, because waits depend on what changes or
// reducing takes time.
func options(r *planner.Request, l limits, stopped func() bool) []option {
	return optionsFor(r, l, 1, stopped)
}

// optionsFor returns the best few.
func optionsFor(r *planner.Request, l limits, keep int, stopped func() bool) []option {
	_, uniform := r.Fabric.UniformWait()
	known := uniform && (r.Fabric.Initial == fabric.InitialFree || r.Fabric.Initial == fabric.InitialDark) && r.Fabric.Avoid == ""
	reduces := r.Fabric.Gamma.Time > 0 && r.Collective.Op != collective.Broadcast && r.Collective.Op != collective.AllGather
	if known = known && !reduces; !known {
		keep = max(keep, candidates)
	}
	members := r.Collective.Space.MembersCount()
	ports := workingPorts(&r.Fabric, r.Collective.Space.Members)
	if ports == 0 {
		return nil
	}
	m := newMachine(&r.Fabric, ports, members)
	all := optionsOn(m, r, l, keep, stopped)
	if known {
		return all
	}
	if reduces {
		// What reducing takes is no part of the search. A node reduces no more than its ports
		// receive, which for a reduction without detours is as if circuits were slower by so
		// much (Zhao et al., Theorem 8): what is best then is priced, too.
		slower := m
		slower.perByte += float64(r.Fabric.Gamma.Of(float64(ports)))
		all = append(all, optionsOn(slower, r, l, keep, stopped)...)
		if r.Collective.Op == collective.AllReduce { // only half of it reduces
			slower.perByte = (slower.perByte + m.perByte) / 2
			all = append(all, optionsOn(slower, r, l, keep, stopped)...)
		}
	}
	// What else may be the best must not depend on the delay, so that a smaller one is
	// never worse: all of these are priced.
	for _, wait := range supposedWaits {
		m.wait = wait
		all = append(all, optionsOn(m, r, l, keep, stopped)...)
	}
	return all
}

// supposedWaits are the waits, in ns, for which plans are looked for where the real ones
// depend on what changes: from nothing to so much that circuits never do.
var supposedWaits = [...]float64{0, 1e3, 1e4, 1e5, 1e6, 1e15}

// optionsOn returns the best few options for a machine whose waits are all the same.
func optionsOn(m machine, r *planner.Request, l limits, keep int, stopped func() bool) []option {
	members, op := r.Collective.Space.MembersCount(), r.Collective.Op
	s := newSearch(m, l, keep, members, float64(r.Size), stopped)
	var all []option
	if op == collective.Broadcast || op == collective.RootReduce {
		for _, c := range s.casts(members, float64(r.Size)) {
			all = append(all, option{time: c.time, uses: func() uses { return uses{cast: c.family} }, build: func() laidCast {
				l := c.build()
				l.about = c.about
				if op == collective.RootReduce {
					l.stages = reversedStages(l)
				}
				return l
			}})
		}
		return all
	}
	goal := allGather
	if op == collective.AllReduce {
		goal = allReduce
	}
	for _, found := range s.solve(task{goal, members, 1, l.changes}) {
		all = append(all, option{time: found.time, uses: found.uses, build: func() laidCast {
			stages, parts, about := found.build(op, s.stores)
			return laidCast{stages: stages, space: collective.SpaceOf(op, members, parts), about: about}
		}})
	}
	return all
}

// workingPorts returns the ports that every member has.
func workingPorts(f *fabric.Fabric, members []int) int {
	ports := f.Ports
	for u, lost := range f.Avoided().Ports {
		if members == nil || slices.Contains(members, u) {
			ports = min(ports, f.Ports-lost)
		}
	}
	return max(0, ports)
}

// plan builds and prices an option; nil where it needs a circuit that has failed.
func (o option) plan(r *planner.Request) (*plan.Plan, error) {
	laid := o.build()
	p := &plan.Plan{
		Fabric: r.Fabric, Provenance: plan.Provenance{Planner: Name, Strategy: laid.about}, Stages: laid.stages,
		Collective: plan.Collective{Op: r.Collective.Op, Algorithm: Name, Size: r.Size, Space: laid.space},
	}
	if m := r.Collective.Space.Members; m != nil {
		settle(p, m)
	}
	for i := range p.Stages {
		if p.Fabric.Fits(p.Stages[i].Topology) != nil {
			return nil, nil
		}
	}
	if err := p.Price(); err != nil {
		return nil, err
	}
	return p, nil
}
