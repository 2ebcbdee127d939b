package plan

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
)

// InSequence joins plans for single operations into one plan, in order, priced and with the
// bound for any plan. There is no reconfiguration in between if one leaves up the circuits with
// which the next begins.
func InSequence(f fabric.Fabric, parts ...*Plan) (*Plan, error) {
	if len(parts) == 0 {
		return nil, errors.New("no operation")
	}
	sized := make([]collective.Sized, len(parts))
	planners, strategies := make([]string, len(parts)), make([]string, len(parts))
	for i, p := range parts {
		if p.Staggered() {
			return nil, fmt.Errorf("operation %d: its planes reconfigure independently and do not leave one set of circuits", i+1)
		}
		sized[i] = collective.Sized{Size: p.Collective.Size, Collective: &collective.Collective{
			Op: p.Collective.Op, Algorithm: p.Collective.Algorithm, Nodes: p.Fabric.Nodes, Space: p.Collective.Space,
		}}
		planners[i], strategies[i] = p.Planner, p.Strategy
	}
	all, err := collective.InSequence(sized...)
	if err != nil {
		return nil, err
	}
	made := &Plan{Fabric: f, known: parts[0].known, Collective: Collective{
		Op: all.Op, Algorithm: all.Algorithm, Size: all.Size, Space: all.Space,
	}}
	made.Planner = strings.Join(slices.Compact(planners), " + ")
	made.Approximate = slices.ContainsFunc(parts, func(p *Plan) bool { return p.Approximate })
	made.Strategy = strings.Join(slices.DeleteFunc(strategies, func(s string) bool { return s == "" }), ", then ")
	first := 0
	for _, p := range parts {
		for _, stage := range p.Stages {
			steps := make([]Step, len(stage.Steps))
			for i, step := range stage.Steps {
				steps[i] = Step{Group: step.Group, Base: slices.Clone(step.Base)}
				for j := range steps[i].Base {
					steps[i].Base[j].Chunks = steps[i].Base[j].Chunks.Shift(first)
				}
			}
			if n := len(made.Stages); n > 0 && made.Stages[n-1].Topology.Equal(stage.Topology) {
				made.Stages[n-1].Steps = append(made.Stages[n-1].Steps, steps...)
				continue
			}
			made.Stages = append(made.Stages, Stage{Topology: stage.Topology, Steps: steps})
		}
		first += p.Collective.Space.Chunks()
	}
	if err := made.Price(); err != nil {
		return nil, err
	}
	made.Bound = min(made.OperationBound().Total(), made.Cost.Total())
	return made, nil
}
