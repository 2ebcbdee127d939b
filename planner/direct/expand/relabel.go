package expand

import (
	"fmt"

	"github.com/lightpath-net/lightpath/planner/direct/bfb"
	"github.com/lightpath-net/lightpath/topology"
)

// Relabel returns the schedule on a graph that is isomorphic: node u of the schedule
// becomes mapping[u] of g. (Zhao et al., Definition 9.) The mapping is checked circuit by
// circuit.
func Relabel(a *Allgather, g *topology.Graph, mapping []int) (*Allgather, error) {
	if err := checkIsomorphism(a.Graph, g, mapping); err != nil {
		return nil, err
	}
	b := *a
	b.Graph = g
	b.source = relabelled{a.source, mapping}
	return &b, nil
}

func checkIsomorphism(g, h *topology.Graph, mapping []int) error {
	if len(mapping) != g.Nodes() || h.Nodes() != g.Nodes() || g.Bundles() != h.Bundles() {
		return fmt.Errorf("%w: a mapping of %d nodes from %s to %s, which have %d and %d nodes, %d and %d bundles",
			ErrInput, len(mapping), g.Name(), h.Name(), g.Nodes(), h.Nodes(), g.Bundles(), h.Bundles())
	}
	taken := make([]bool, len(mapping))
	for u, v := range mapping {
		if v < 0 || v >= len(mapping) || taken[v] {
			return fmt.Errorf("%w: a mapping of node %d to %d, which is taken or not a node", ErrInput, u, v)
		}
		taken[v] = true
	}
	for e := range g.Edges() {
		if h.Count(mapping[e.From], mapping[e.To]) != e.Count {
			return fmt.Errorf("%w: a mapping of nodes %d and %d to %d and %d, between which there are other circuits",
				ErrInput, e.From, e.To, mapping[e.From], mapping[e.To])
		}
	}
	return nil
}

type relabelled struct {
	base    source
	mapping []int
}

func (r relabelled) stream(first, last int, yield emit) bool {
	return r.base.stream(first, last, func(step int, t bfb.Transfer) bool {
		t.Shard, t.Src, t.Dst = r.mapping[t.Shard], r.mapping[t.Src], r.mapping[t.Dst]
		return yield(step, t)
	})
}
