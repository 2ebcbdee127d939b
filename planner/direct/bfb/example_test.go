package bfb_test

import (
	"context"
	"fmt"

	"github.com/lightpath-net/lightpath/planner/direct/bfb"
	"github.com/lightpath-net/lightpath/topology"
)

func ExampleSolve() {
	g, err := topology.Parse("K(2,2)")
	if err != nil {
		fmt.Println(err)
		return
	}
	s, err := bfb.Solve(context.Background(), g, bfb.Options{Op: bfb.AllGather})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(s.Op, "on", g.Name(), "in", s.Steps, "steps, bandwidth", s.Bandwidth, "optimal:", s.BandwidthOptimal)
	for step := 1; step <= s.Steps; step++ {
		for t := range s.Transfers(step) {
			if t.Dst == 0 {
				fmt.Printf("step %d: node %d sends [%v, %v) of shard %d\n", step, t.Src, t.From, t.To, t.Shard)
			}
		}
	}
	// Output:
	// allgather on K(2,2) in 2 steps, bandwidth 3/4 optimal: true
	// step 1: node 2 sends [0/1, 1/1) of shard 2
	// step 1: node 3 sends [0/1, 1/1) of shard 3
	// step 2: node 2 sends [0/1, 1/2) of shard 1
	// step 2: node 3 sends [1/2, 1/1) of shard 1
}

func ExampleCost() {
	steps, bandwidth, err := bfb.Cost(context.Background(), topology.GenKautz(4, 1024), bfb.AllReduce)
	fmt.Println(steps, bandwidth, err)
	// Output: 10 341/128 <nil>
}
