package flow_test

import (
	"context"
	"fmt"

	"github.com/lightpath-net/lightpath/flow"
	"github.com/lightpath-net/lightpath/topology"
)

// Every node of a two-way ring of 8 sends 8 bytes to the third on. One demand
// stands for all of them; 5/8 of it goes the short way, 3/8 the long way.
func ExampleSolve() {
	var edges []topology.Edge
	for u := range 8 {
		edges = append(edges,
			topology.Edge{From: u, To: (u + 1) % 8, Count: 1},
			topology.Edge{From: u, To: (u + 7) % 8, Count: 1})
	}
	p := flow.Problem{
		Graph:   topology.New(8, "two-way ring", edges),
		Demands: []flow.Demand{{Src: 0, Dst: 3, Amount: 8}},
		Group:   topology.Rotations(8, 1),
	}
	for _, policy := range []flow.Policy{flow.Shortest, flow.Optimal} {
		res, err := flow.Solve(context.Background(), p, policy)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("%s: peak %.4g, bound %.4g\n", policy, res.Load.Peak, res.Bound)
		for _, r := range res.Routes[0] {
			fmt.Printf("  %.4g over %v\n", r.Share, r.Path)
		}
	}
	// Output:
	// shortest: peak 24, bound 12
	//   1 over [0 1 2 3]
	// optimal: peak 15, bound 15
	//   0.625 over [0 1 2 3]
	//   0.375 over [0 7 6 5 4 3]
}

func ExampleCirculantHops() {
	hops, ok := flow.CirculantHops(16, 3, 1) // 11 * 3 = 33 = 1 (mod 16)
	fmt.Println(hops, ok)
	_, ok = flow.CirculantHops(16, 4, 2)
	fmt.Println(ok)
	// Output:
	// 11 true
	// false
}
