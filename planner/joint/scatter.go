package joint

import (
	"fmt"
	"math"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/topology"
)

// scatters returns broadcasts that deal a block out to every node, down one tree in one
// step, and then gather them (van de Geijn's way, with the gather of this package).
func (s *search) scatters(nodes int, bytes float64) []cast {
	var all []cast
	gathers := s.solve(task{allGather, nodes, 1})
	if len(gathers) == 0 {
		return nil
	}
	block := bytes / float64(nodes)
	for fan := 1; fan <= s.ports; fan++ {
		width := s.ports / fan
		if s.duplex && nodes > 2 {
			width = s.ports / (fan + 1)
		}
		if width == 0 {
			break
		}
		g := grove{roots: 1, nodes: nodes, fan: fan, width: width, steps: 1, below: nodes - 1}
		for g.depth = 1; treeSize(fan, g.depth, nodes) < nodes; g.depth++ {
		}
		takes := g.takes(&s.machine)
		time := s.time(takes, block) + s.wait + gathers[0].time
		if math.IsInf(time, 1) {
			continue
		}
		all = append(all, cast{time, "scatter and gather", func() laidCast { return s.layScatter(g, gathers[0]) }})
	}
	return all
}

func (s *search) layScatter(g grove, rest solution) laidCast {
	stages, parts := rest.build(collective.AllGather, s.stores)
	space := collective.Space{Kind: collective.Blocks, Nodes: g.nodes, Parts: parts}
	parent, level := g.grow()
	var edges []topology.Edge
	var step plan.Step
	for v := 1; v < g.nodes; v++ {
		edges = append(edges, topology.Edge{From: parent[v], To: v, Count: g.width})
		path := make([]int32, level[v]+1)
		for h, u := level[v], v; h >= 0; h-- {
			path[h] = int32(u)
			u = parent[u]
		}
		step.Base = append(step.Base, copyOver(path, collective.Every(v*parts, 1, parts)))
	}
	first := plan.Stage{
		Topology: topology.New(g.nodes, fmt.Sprintf("a tree of %d by %d", g.nodes, g.fan), tieUp(edges, s.duplex)),
		Steps:    []plan.Step{step},
	}
	return laidCast{stages: append([]plan.Stage{first}, stages...), space: space, scattering: 1}
}
