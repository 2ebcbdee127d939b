package sliced

import (
	"fmt"
	"slices"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/planner"
)

// mostTransfers bounds the transfers of an embedded plan: its steps have no symmetry in the whole
// fabric, so they list every transfer.
const mostTransfers = 1 << 21

// Embed turns a plan for the small fabric into one for the whole fabric, and prices it there.
func (p *Part) Embed(small *plan.Plan, f *fabric.Fabric) (*plan.Plan, error) {
	space := small.Collective.Space
	if small.Staggered() || small.Independent || space.Members != nil || space.Sizes != nil || space.Kind == collective.Listed || space.Kind == collective.Sections {
		return nil, fmt.Errorf("%w: not a plan of one operation of all GPUs on circuits that wait for one another", planner.ErrInfeasible)
	}
	count := 0
	for _, step := range small.Steps() {
		if count += step.Len(); count > mostTransfers {
			return nil, fmt.Errorf("%w: more than %d transfers without symmetry", planner.ErrInfeasible, mostTransfers)
		}
	}
	made := *small
	made.Fabric, made.Stages = *f, slices.Clone(small.Stages)
	made.Collective.Space.Nodes, made.Collective.Space.Members = f.Nodes, p.members()
	for i := range made.Stages {
		from := &small.Stages[i]
		made.Stages[i] = plan.Stage{Topology: from.Topology.Renumber(from.Topology.Name()+" of a slice", f.Nodes, p.GPUs), Steps: make([]plan.Step, len(from.Steps))}
		for j := range from.Steps {
			step := &made.Stages[i].Steps[j]
			for t := range from.Steps[j].All(space) {
				t.Src, t.Dst = p.GPUs[t.Src], p.GPUs[t.Dst]
				t.Routes = plan.RenumberRoutes(p.GPUs, t.Routes)
				if !slices.IsSorted(p.Ranks) {
					t.Chunks = space.Renumber(p.Ranks, t.Chunks)
				}
				step.Base = append(step.Base, t)
			}
		}
		if err := f.Fits(made.Stages[i].Topology); err != nil {
			return nil, fmt.Errorf("%w: stage %d: %w", planner.ErrInfeasible, i+1, err)
		}
	}
	if !slices.IsSorted(p.Ranks) { // its steps are those of the algorithm with GPUs renumbered
		made.Collective.Algorithm = "slice/" + made.Collective.Algorithm
	}
	if err := made.Price(); err != nil {
		return nil, err
	}
	made.Bound = min(made.OperationBound().Total(), made.Cost.Total())
	return &made, nil
}

// members lists the GPUs by rank.
func (p *Part) members() []int {
	list := make([]int, len(p.GPUs))
	for i, rank := range p.Ranks {
		list[rank] = p.GPUs[i]
	}
	return list
}
