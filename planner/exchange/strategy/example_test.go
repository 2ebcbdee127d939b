package strategy_test

import (
	"context"
	"fmt"

	"github.com/lightpath-net/lightpath/planner/exchange/model"
	"github.com/lightpath-net/lightpath/planner/exchange/strategy"
)

// The motivating example of Zhou, Addanki and Apostolaki: 8 nodes with one port each, and a
// reconfiguration that takes as long as 7 chunk hops.
func ExampleSolve() {
	demand, err := model.Uniform(8, 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, name := range []string{strategy.Direct, strategy.Paper, strategy.Relay} {
		s, err := strategy.Solve(context.Background(), strategy.Problem{Demand: demand, Ports: 1, R: 7, T: 1, Strategy: name})
		if err == nil {
			err = s.Check(demand)
		}
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("%-6s %d topologies, %2d slots: %vT\n", name, len(s.Stages), s.Slots(), s.Cost(7, 1))
	}
	// Output:
	// direct 7 topologies,  7 slots: 56T
	// paper  2 topologies, 16 slots: 30T
	// relay  2 topologies, 14 slots: 28T
}

// The demand as a sum of powers of the topologies, as the paper writes it.
func ExampleSolve_decomposition() {
	demand, err := model.Uniform(8, 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, name := range []string{strategy.Paper, strategy.Relay} {
		s, err := strategy.Solve(context.Background(), strategy.Problem{Demand: demand, Ports: 1, R: 7, T: 1, Strategy: name})
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(s.Decompose())
	}
	// Output:
	// A = P1 + P1^2 + P1^3 + P1^4 + P2 + P2^2 + P2^3
	// A = P1 + P1·P2 + P1·P2^2 + P1^2 + P1^2·P2 + P2 + P2^2
}

// How far the shifts are from the bound, where they are farthest (Figure 13a).
func ExampleRatios() {
	ratios, err := strategy.Ratios(context.Background(), strategy.Shifts, []int{8, 64, 512})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, r := range ratios {
		fmt.Printf("%3d nodes: %.2f with %d topologies\n", r.Nodes, r.Value(), r.Stages)
	}
	// Output:
	//   8 nodes: 1.10 with 4 topologies
	//  64 nodes: 1.42 with 7 topologies
	// 512 nodes: 1.55 with 14 topologies
}
