package fixed

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/topology"
)

// mostListed limits the transfers of a lifted plan.
const mostListed = 1 << 22

// Algorithm returns the name of an algorithm that runs on a network.
func Algorithm(n *Network, algorithm string) string { return "fixed:" + n.Name + "/" + algorithm }

// Lift turns a plan for a network into one for the fabric with fixed links.
func Lift(ctx context.Context, p *plan.Plan, n *Network, f *fabric.Fabric) (*plan.Plan, error) {
	space := &p.Collective.Space
	if p.Reconfigurations > 0 || p.Staggered() {
		return nil, fmt.Errorf("%w: fixed links do not change", planner.ErrInfeasible)
	}
	if n.to != nil && (space.Members != nil || !space.Homogeneous() ||
		space.Kind != collective.Blocks && space.Kind != collective.Pairs && space.Kind != collective.Whole) {
		return nil, fmt.Errorf("%w: GPUs of a torus have other numbers, and chunks are not alike", planner.ErrInfeasible)
	}
	made := *p
	made.Fabric, made.Slots, made.Synthesis = *f, 0, nil
	made.Baselines, made.SameAlgorithm, made.Among, made.StaticAmong = plan.Baselines{}, plan.Baselines{}, "", ""
	rename(&made.Collective, n)
	made.Stages = slices.Clone(p.Stages)
	listed := 0
	for i := range made.Stages {
		stage := &made.Stages[i]
		stage.Topology, stage.Circuits = n.circuits, nil
		stage.Steps = slices.Clone(stage.Steps)
		for j := range stage.Steps {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			step := &stage.Steps[j]
			part, gpus := n.keeps(f, step.Group)
			cosets := []int{0}
			if !step.Group.Trivial() {
				cosets = step.Group.Cosets(part)
			}
			if listed += len(cosets) * len(step.Base); listed > mostListed {
				return nil, fmt.Errorf("%w: over %d transfers without symmetry", planner.ErrInfeasible, mostListed)
			}
			step.Base, step.Group = n.moved(step, space, cosets), gpus
		}
	}
	if err := made.Price(); err != nil {
		return nil, fmt.Errorf("fixed: %w", err)
	}
	made.Bound = min(made.OperationBound().Total(), made.Cost.Total())
	return &made, nil
}

// rename names the algorithms of a plan on a network, one operation after the other. Algorithms
// within islands become algorithms within blocks.
func rename(c *plan.Collective, n *Network) {
	named := func(algorithm string) string {
		if _, core, lifted := strings.Cut(algorithm, "/"); lifted {
			algorithm = core
		}
		return Algorithm(n, algorithm)
	}
	if c.Space.Kind != collective.Sections {
		c.Algorithm = named(c.Algorithm)
		return
	}
	c.Space.Sections = slices.Clone(c.Space.Sections)
	var all []string
	for i := range c.Space.Sections {
		section := &c.Space.Sections[i]
		section.Algorithm = named(section.Algorithm)
		all = append(all, section.Algorithm)
	}
	c.Algorithm = strings.Join(all, " + ")
}

// keeps returns the part of a group that maps links and circuits to themselves, as a group of
// nodes and as a group of GPUs.
func (n *Network) keeps(f *fabric.Fabric, group topology.Translations) (nodes, gpus topology.Translations) {
	if group.Trivial() {
		return topology.Translations{}, topology.Translations{}
	}
	if n.to != nil {
		return n.regrouped(group)
	}
	part := group.Restrict(func(part topology.Translations) bool { return part.Invariant(n.circuits) && f.KeepsFixed(part) })
	return part, part
}

// moved lists the transfers of a step for the given elements of its group, with the numbers of
// GPUs.
func (n *Network) moved(step *plan.Step, space *collective.Space, elements []int) []plan.Transfer {
	base := make([]plan.Transfer, 0, len(elements)*len(step.Base))
	for _, k := range elements {
		for i := range step.Base {
			t := step.Image(space, k, i)
			if n.to != nil {
				t.Src, t.Dst = n.to[t.Src], n.to[t.Dst]
				t.Chunks, t.Routes = space.Renumber(n.to, t.Chunks), plan.RenumberRoutes(n.to, t.Routes)
			}
			base = append(base, t)
		}
	}
	return base
}
