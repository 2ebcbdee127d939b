package plan

import (
	"context"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
)

// Apart splits the plan of a sequence into one plan per operation. Each has the steps of its
// operation over the same circuits, and its first configuration is free. The sequence therefore
// takes the sum of their times plus the reconfigurations between them. Apart returns nil if the
// plan cannot be split: planes reconfigure independently, changes are hidden, or a step mixes
// operations.
func (p *Plan) Apart(ctx context.Context) ([]*Plan, error) {
	if p.Staggered() || p.Independent || p.Fabric.Overlap != (fabric.Overlap{}) || p.Collective.Space.Kind != collective.Sections {
		return nil, nil
	}
	space := &p.Collective.Space
	list, firsts := make([]*Plan, len(space.Sections)), make([]int, len(space.Sections))
	first := 0
	for i := range space.Sections {
		list[i], firsts[i] = &Plan{Fabric: p.Fabric, Collective: Collective(space.Sections[i]), Provenance: Provenance{Planner: p.Planner}, known: p.known}, first
		list[i].Fabric.Initial = fabric.InitialFree
		first += space.Sections[i].Space.Chunks()
	}
	last := 0 // operation
	for i := range p.Stages {
		stage := &p.Stages[i]
		begun := -1 // the operation whose steps the stage has
		for j := range stage.Steps {
			step := stage.Steps[j]
			of := -1
			base := make([]Transfer, len(step.Base))
			for k := range step.Base {
				section := space.SectionOf(step.Base[k].Chunks)
				if section < last || k > 0 && section != of {
					return nil, nil
				}
				of = section
				base[k] = step.Base[k]
				base[k].Chunks = base[k].Chunks.Shift(-firsts[of])
			}
			if of < 0 {
				return nil, nil
			}
			one := list[of]
			if begun != of {
				one.Stages = append(one.Stages, Stage{Topology: stage.Topology, Circuits: stage.Circuits})
			}
			begun, last = of, of
			into := &one.Stages[len(one.Stages)-1]
			into.Steps = append(into.Steps, Step{Group: step.Group, Base: base})
		}
	}
	for _, one := range list {
		if len(one.Stages) == 0 {
			return nil, nil
		}
		if err := one.PriceContext(ctx); err != nil {
			return nil, err
		}
		one.Bound = min(one.OperationBound().Total(), one.Cost.Total())
	}
	return list, nil
}
