package cast

import (
	"fmt"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/planner/joint/digit"
	"github.com/lightpath-net/lightpath/planner/joint/network"
	"github.com/lightpath-net/lightpath/topology"
)

// aroundCasts returns the pipeline around a two-way ring: half of the pieces go one way and half
// the other, so that all circuits are busy in both directions. A forest of two chains would need a
// port more, because its chains have different neighbours.
func aroundCasts(s *digit.Search, nodes int, bytes float64) []cast {
	width := s.Ports / 2
	if !s.Duplex || width == 0 || nodes < 3 || bytes < 2 {
		return nil
	}
	w := float64(width)
	whole := s.PerByte * bytes / 2 * s.Load(network.Tally{Peak: 1 / w, Dilation: 1 / w, Pair: 1})
	pieces, time := bestPieces(nodes-2, whole, s.Alpha+s.Delta, mostPieces(nodes, 2, bytes))
	return []cast{{Time: time, About: fmt.Sprintf("%d pieces around a ring both ways", 2*pieces), Build: func() Laid {
		return layAround(nodes, width, pieces)
	}}}
}

// layAround lays out the pipeline around a ring, with the given number of pieces each way.
func layAround(nodes, width, pieces int) Laid {
	var edges []topology.Edge
	for v := range nodes {
		next := (v + 1) % nodes
		edges = append(edges, topology.Edge{From: v, To: next, Count: width}, topology.Edge{From: next, To: v, Count: width})
	}
	steps := make([]plan.Step, pieces+nodes-2)
	for far := 1; far < nodes; far++ {
		forth := []int32{int32(far - 1), int32(far)}
		back := []int32{int32((nodes - far + 1) % nodes), int32(nodes - far)}
		for k := range pieces {
			step := &steps[k+far-1]
			step.Base = append(step.Base, copyOver(forth, collective.Single(2*k)), copyOver(back, collective.Single(2*k+1)))
		}
	}
	return Laid{
		Stages: []plan.Stage{{Topology: topology.New(nodes, fmt.Sprintf("ring of %d both ways", nodes), edges), Steps: steps}},
		Space:  collective.SpaceOf(collective.Broadcast, nodes, 2*pieces),
	}
}
