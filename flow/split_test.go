package flow_test

import (
	"context"
	"testing"

	"github.com/lightpath-net/lightpath/flow"
	"github.com/lightpath-net/lightpath/topology"
)

// Some 2^44 shortest paths lead from 0 to 16 here, so a path that follows the first of equal hops
// carries next to nothing.
func TestSplitOverMorePathsThanCouldBeListed(t *testing.T) {
	p := flow.Problem{
		Graph: topology.DirectedCirculant(256, 43, 41), Group: topology.Rotations(256, 1),
		Demands: []flow.Demand{{Src: 0, Dst: 16, Amount: 8}},
	}
	for _, policy := range []flow.Policy{flow.ShortestSplit, flow.Optimal} {
		r, err := flow.Solve(context.Background(), p, policy)
		if err != nil {
			t.Fatalf("%s: %v", policy, err)
		}
		if _, err := flow.LoadOf(p.Graph, p.Group, p.Demands, r.Routes); err != nil {
			t.Errorf("%s: %v", policy, err)
		}
	}
}
