package islands

import (
	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/topology"
)

// backward returns stages and steps in reverse: a gather becomes a reduction and vice versa.
// graphs gives the circuits of each stage.
func backward(stages []plan.Stage, graphs []*topology.Graph, action collective.Action) []plan.Stage {
	var all []plan.Stage
	for i := len(stages) - 1; i >= 0; i-- {
		made := plan.Stage{Topology: graphs[i]}
		for j := len(stages[i].Steps) - 1; j >= 0; j-- {
			made.Steps = append(made.Steps, stages[i].Steps[j].Backward(action))
		}
		all = append(all, made)
	}
	return all
}

// transposed returns the circuits in the opposite direction.
func (c *circuits) transposed() *circuits {
	g := c.core.Transpose(c.core.Name())
	t := &circuits{core: g, group: c.group, graph: c.graph.Transpose(c.graph.Name()), ends: make([][]ends, g.Bundles()), uneven: c.uneven}
	for e := range g.Edges() {
		if _, home := c.group.Locate(e.From); home != e.From {
			continue
		}
		for _, x := range c.of(e.To, e.From) {
			at := g.Find(e.From, e.To)
			t.ends[at] = append(t.ends[at], ends{x.to, x.from})
		}
	}
	return t
}

// halves divides a plan for a core into steps that reduce and, after them, steps that copy; ok is
// false if they are mixed.
func halves(core *plan.Plan) (reduces, copies []plan.Stage, ok bool) {
	for i := range core.Stages {
		stage := &core.Stages[i]
		down, up := *stage, *stage
		down.Steps, up.Steps = nil, nil
		for j := range stage.Steps {
			adds, moves := false, false
			for k := range stage.Steps[j].Base {
				switch t := &stage.Steps[j].Base[k]; {
				case t.Part != "":
					return nil, nil, false
				case t.Action == collective.Reduce:
					adds = true
				case t.Action == collective.Copy:
					moves = true
				default:
					return nil, nil, false
				}
			}
			switch {
			case adds && !moves && len(copies) == 0 && len(up.Steps) == 0:
				down.Steps = append(down.Steps, stage.Steps[j])
			case moves && !adds:
				up.Steps = append(up.Steps, stage.Steps[j])
			default:
				return nil, nil, false
			}
		}
		if len(down.Steps) > 0 {
			reduces = append(reduces, down)
		}
		if len(up.Steps) > 0 {
			copies = append(copies, up)
		}
	}
	return reduces, copies, true
}
