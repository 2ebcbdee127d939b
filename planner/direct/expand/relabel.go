package expand

import (
	"context"
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

// Mirror returns a schedule of equal cost on the transpose of a reverse-symmetric graph,
// so that one allgather serves both halves of an allreduce: run backwards, the mirrored
// one is a reduce-scatter on the graph itself. (Zhao et al., Theorem 4.) It reports false
// if the graph is not isomorphic to its transpose.
//
// Two-way graphs are mirrored by the identity and graphs with a transitive Symmetry by
// the negation of coordinates; for others topology.Isomorphic searches.
func Mirror(ctx context.Context, a *Allgather) (*Allgather, bool, error) {
	turned := a.Graph.Transpose("Transpose(" + a.Graph.Name() + ")")
	if turned.Equal(a.Graph) {
		return a, true, nil
	}
	if group, ok := a.Graph.Symmetry(); ok {
		negation := make([]int, a.Nodes)
		for u := range negation {
			k, _ := group.Locate(u)
			negation[u] = group.Back(k, 0)
		}
		if b, err := Relabel(a, turned, negation); err == nil {
			return b, true, nil
		}
	}
	mapping, ok, err := topology.Isomorphic(ctx, a.Graph, turned)
	if err != nil || !ok {
		return nil, false, err
	}
	b, err := Relabel(a, turned, mapping)
	return b, err == nil, err
}
