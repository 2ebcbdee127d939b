package derived

import (
	"slices"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/topology"
)

// layer is consecutive steps on the same circuits, with every move listed.
type layer struct {
	graph, turned *topology.Graph // forward and backward; turned is nil until it is needed
	steps         [][]move
}

// move is a transfer of another plan, with those of its items that are needed.
type move struct {
	plan.Transfer
	items []int
}

// flowOf lists the transfers of a plan.
func flowOf(p *plan.Plan) []layer {
	all := make([]layer, len(p.Stages))
	for i := range p.Stages {
		all[i].graph = p.Stages[i].Topology
		for j := range p.Stages[i].Steps {
			var moves []move
			for t := range p.Stages[i].Steps[j].All(p.Collective.Space) {
				moves = append(moves, move{Transfer: t})
			}
			all[i].steps = append(all[i].steps, moves)
		}
	}
	return all
}

// backward reverses a flow in time.
func backward(flow []layer) []layer {
	known := map[*topology.Graph]*topology.Graph{}
	all := make([]layer, 0, len(flow))
	for _, l := range slices.Backward(flow) {
		if l.turned == nil {
			if known[l.graph] == nil {
				turned := l.graph.Transpose(turnedName(l.graph.Name()))
				if turned.Equal(l.graph) {
					turned = l.graph
				}
				known[l.graph] = turned
			}
			l.turned = known[l.graph]
		}
		back := layer{graph: l.turned, turned: l.graph}
		for _, moves := range slices.Backward(l.steps) {
			turned := make([]move, len(moves))
			for k, m := range moves {
				one := plan.Step{Base: []plan.Transfer{m.Transfer}}
				turned[k] = move{Transfer: one.Backward(m.Action).Base[0], items: m.items}
			}
			back.steps = append(back.steps, turned)
		}
		all = append(all, back)
	}
	return all
}

// turnedName returns the name of a topology with its circuits reversed.
func turnedName(name string) string {
	turned := "Transpose(" + name + ")"
	if _, err := topology.ParseExpr(turned); err != nil {
		return name + "-reversed" // the name is not an expression, so this is not one either
	}
	return turned
}

// stages returns the needed moves of a flow, without the steps and circuits that have none.
func stages(flow []layer, action collective.Action) []plan.Stage {
	var all []plan.Stage
	for _, l := range flow {
		var steps []plan.Step
		for _, moves := range l.steps {
			var step plan.Step
			for _, m := range moves {
				if len(m.items) > 0 {
					t := collective.Transfer{Src: m.Src, Dst: m.Dst, Action: action, Chunks: collective.Of(m.items)}
					step.Base = append(step.Base, plan.Transfer{Transfer: t, Routes: m.Routes})
				}
			}
			if step.Base != nil {
				steps = append(steps, step)
			}
		}
		if steps == nil {
			continue
		}
		if n := len(all); n > 0 && all[n-1].Topology.Equal(l.graph) {
			all[n-1].Steps = append(all[n-1].Steps, steps...)
			continue
		}
		all = append(all, plan.Stage{Topology: l.graph, Steps: steps})
	}
	return all
}
