package expand

import (
	"context"

	"github.com/lightpath-net/lightpath/topology"
)

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
