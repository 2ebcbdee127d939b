package expand_test

import (
	"context"
	"fmt"

	"github.com/lightpath-net/lightpath/planner/direct/bfb"
	"github.com/lightpath-net/lightpath/planner/direct/expand"
	"github.com/lightpath-net/lightpath/topology"
)

func ExampleSolve() {
	e, err := topology.ParseExpr("Power(DeBruijn(2,3),2)")
	if err != nil {
		fmt.Println(err)
		return
	}
	s, err := expand.Solve(context.Background(), e, expand.Options{Op: bfb.AllReduce})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(s.Op, "on", s.Graph.Name(), "in", s.Steps, "steps, bandwidth", s.Bandwidth, "by", s.Method)
	for t := range s.Transfers(1) {
		fmt.Printf("step 1: node %d sends [%v, %v) of shard %d to node %d, which adds it: %v\n", t.Src, t.From, t.To, t.Shard, t.Dst, t.Reduce)
		break
	}
	// Output:
	// allreduce on Power(DeBruijn(2,3),2) in 12 steps, bandwidth 63/16 by power
	// step 1: node 0 sends [0/1, 1/2) of shard 4 to node 1, which adds it: true
}

func ExampleLine() {
	base, err := expand.BFB(context.Background(), topology.Circulant(16, 3, 4))
	if err != nil {
		fmt.Println(err)
		return
	}
	a, err := expand.Line(context.Background(), base, 3)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(a.Nodes, "nodes,", a.Steps, "steps, bandwidth", a.Bandwidth, "by", a.Derivation)
	// Output: 1024 nodes, 6 steps, bandwidth 261/256 by Line(BFB(C(16;3,4)),3)
}
