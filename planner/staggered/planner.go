package staggered

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/lightpath-net/lightpath/bound"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/internal/each"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/staged"
	"github.com/lightpath-net/lightpath/planner/staggered/planes"
	"github.com/lightpath-net/lightpath/topology"
)

// Name is the name of the planner.
const Name = "staggered"

// New returns planner staggered, which falls back on a planner that reconfigures all planes
// together.
func New(together planner.Planner) planner.Planner { return staggered{together} }

type staggered struct{ together planner.Planner }

func (staggered) Name() string { return Name }

func (staggered) About() string {
	return "planes that reconfigure while others send, each step divided among those that serve it (overlap planes)"
}

// Traits implements planner.Described.
func (s staggered) Traits() planner.Traits {
	return planner.Traits{Applies: s.applies, Options: s.options()}
}

// options returns the options of the planner that staggered falls back on.
func (s staggered) options() *planner.Configurable {
	own := planner.TraitsOf(s.together).Options
	if own == nil {
		return nil
	}
	return &planner.Configurable{Options: own.Options, With: func(given []planner.Options) planner.Planner {
		if with := own.With(given); with != nil {
			return New(with)
		}
		return nil
	}}
}

// applies returns why planes cannot be reconfigured one by one on a fabric, or nil.
func (staggered) applies(f *fabric.Fabric) error {
	err := f.CanStagger()
	if err == nil && f.LostPorts() {
		err = errors.New("ports have failed, and a plane has one of every GPU")
	}
	if err == nil && f.Ports < 2 {
		err = errors.New("one port is one plane: there is no other to send while it changes")
	}
	return err
}

// Plan implements planner.Planner.
func (s staggered) Plan(ctx context.Context, r planner.Request) (*plan.Plan, error) {
	if err := r.Validate(); err != nil {
		return nil, err
	}
	if err := s.applies(&r.Fabric); err != nil {
		return nil, fmt.Errorf("%w: %w", planner.ErrInfeasible, err)
	}
	best, err := s.apart(ctx, r)
	if err != nil && !errors.Is(err, planner.ErrBeyond) {
		return nil, err
	}
	within := r
	if best != nil {
		within.Limit = best.Cost.Total()
	}
	together, otherErr := s.together.Plan(ctx, within)
	switch {
	case otherErr == nil && (best == nil || together.Cost.Total() <= best.Cost.Total()*(1+tieTolerance)):
		return together, nil // of equals, prefer the one that asks less of the switches
	case otherErr != nil && !errors.Is(otherErr, planner.ErrInfeasible) && !errors.Is(otherErr, planner.ErrBeyond):
		return nil, otherErr
	case best == nil:
		return nil, otherErr
	}
	best.SameAlgorithm, err = staged.Baselines(ctx, r)
	return best, err
}

// tieTolerance is the relative difference up to which two plans take the same time: the precision
// of the linear program.
const tieTolerance = 1e-9

// apart returns the best plan found in which planes reconfigure independently.
func (s staggered) apart(ctx context.Context, r planner.Request) (*plan.Plan, error) {
	t, err := newTask(ctx, &r)
	if err != nil {
		return nil, err
	}
	bounds := bound.OfAlgorithm(&r.Fabric, r.Collective, r.Size)
	if err := r.Beyond(max(bounds.Schedule, t.Bound())); err != nil {
		return nil, err
	}
	found, err := planes.Search(ctx, &t.Problem, r.Report)
	if err != nil {
		return nil, err
	}
	if found == nil {
		return nil, fmt.Errorf("%w: too many steps to divide among planes", planner.ErrBeyond)
	}
	if err := r.Beyond(found.Total); err != nil {
		return nil, err
	}
	p, err := t.build(ctx, found)
	if err != nil {
		return nil, err
	}
	p.Bound = bounds.Schedule
	return p, nil
}

// build turns patterns and shares into a plan.
func (t *task) build(ctx context.Context, found *planes.Plan) (*plan.Plan, error) {
	r := t.request
	p := &plan.Plan{
		Fabric:     r.Fabric,
		Provenance: plan.Provenance{Planner: Name},
		Collective: plan.Collective{
			Op: r.Collective.Op, Algorithm: r.Collective.Algorithm, Size: r.Size, Space: r.Collective.Space,
		},
	}
	for i, step := range r.Collective.Steps {
		stage := plan.Stage{Lanes: make([]plan.Lane, t.Planes)}
		group := step.Group
		var edges []topology.Edge
		for plane, pattern := range found.Patterns {
			if pattern[i] == planes.Skip || found.Shares[plane][i] < leastShare {
				continue
			}
			g := t.circuits[pattern[i]]
			stage.Lanes[plane] = plan.Lane{Circuits: g, Share: found.Shares[plane][i]}
			group = group.Within(g)
			edges = slices.AppendSeq(edges, g.Edges())
		}
		even(stage.Lanes)
		stage.Topology = union(r.Fabric.Nodes, i, stage.Lanes, edges)
		under := step.Under(r.Collective.Space, group)
		planned := plan.Step{Group: under.Group}
		for _, x := range under.Base {
			routes, err := plan.LaneRoutes(stage.Lanes, x.Src, x.Dst)
			if err != nil {
				return nil, err
			}
			planned.Base = append(planned.Base, plan.Transfer{Transfer: x, Routes: routes})
		}
		stage.Steps = []plan.Step{planned}
		p.Stages = append(p.Stages, stage)
	}
	return p, p.PriceContext(ctx)
}

// leastShare is the share below which a plane skips a step: smaller shares are rounding errors of
// the linear program.
const leastShare = 1e-7

// even makes shares add up to 1.
func even(lanes []plan.Lane) {
	sum := each.Sum(lanes, func(lane plan.Lane) float64 { return lane.Share })
	for i := range lanes {
		lanes[i].Share /= sum
	}
}

// union returns the circuits of all lanes together. If every lane is a circulant with one jump,
// the result is the circulant with all jumps.
func union(nodes, step int, lanes []plan.Lane, edges []topology.Edge) *topology.Graph {
	var all []int
	for _, lane := range lanes {
		if lane.Circuits == nil {
			continue
		}
		jumps, ok := lane.Circuits.Jumps()
		if !ok || len(jumps) != 1 {
			return topology.New(nodes, fmt.Sprintf("lanes:%d", step+1), edges)
		}
		all = append(all, jumps...)
	}
	return topology.DirectedCirculant(nodes, all...)
}
