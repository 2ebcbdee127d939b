package bfb_test

import (
	"context"
	"errors"
	"testing"

	"github.com/lightpath-net/lightpath/planner/direct/bfb"
	"github.com/lightpath-net/lightpath/topology"
)

// TestFloors: a few nodes never need more than all nodes, and all nodes need what the schedule
// takes.
func TestFloors(t *testing.T) {
	for _, expr := range []string{"GenKautz(3,40)", "Transpose(GenKautz(4,30))", "Regular(50,3,1)", "DC(31;1,5)", "Line(DC(10;1,3),1)", "Idle(Ring(9),1)", "DBT(15)"} {
		g, err := topology.Parse(expr)
		if err != nil {
			t.Fatal(err)
		}
		for _, op := range []bfb.Op{bfb.AllGather, bfb.ReduceScatter, bfb.AllReduce} {
			steps, bandwidth, err := bfb.Cost(context.Background(), g, op)
			if err != nil {
				t.Fatal(err)
			}
			for _, nodes := range []int{1, 4, 8} {
				low, least, err := bfb.Floor(context.Background(), g, op, nodes)
				if err != nil || low > steps || least.Cmp(bandwidth) > 0 {
					t.Errorf("%s, %v: %d nodes need %d steps and %v, all %d and %v (%v)", expr, op, nodes, low, least, steps, bandwidth, err)
				}
			}
			all, most, err := bfb.Floor(context.Background(), g, op, 2*g.Nodes())
			if err != nil || all != steps || most.Cmp(bandwidth) != 0 {
				t.Errorf("%s, %v: all nodes need %d steps and %v, not %d and %v (%v)", expr, op, all, most, steps, bandwidth, err)
			}
		}
	}
	two := topology.New(4, "", []topology.Edge{{From: 0, To: 1, Count: 1}, {From: 1, To: 0, Count: 1}, {From: 2, To: 3, Count: 1}, {From: 3, To: 2, Count: 1}})
	if _, _, err := bfb.Floor(context.Background(), two, bfb.AllGather, 2); !errors.Is(err, bfb.ErrNotConnected) {
		t.Error(err)
	}
}

// TestAlikeNodes: if all nodes look alike, one node tells what all need.
func TestAlikeNodes(t *testing.T) {
	for _, expr := range []string{"Cayley(7,6,3,1,9,20)", "Cayley(5,4,2,3,6,13)", "DC(20;1,3,8)", "Degree(DC(9;1,4),2)", "Power(DC(5;1,2),2)",
		"Product(Ring(5),DC(6;1,2))", "Bidirect(Cayley(7,3,2,1,8))", "Transpose(Cayley(7,3,2,1,8))", "Idle(H(2,3),1)", "K(4,4)", "BiRing(4,5)"} {
		g, err := topology.Parse(expr)
		if err != nil {
			t.Fatal(err)
		}
		for _, op := range []bfb.Op{bfb.AllGather, bfb.AllReduce} {
			one, err := bfb.Solve(context.Background(), g, bfb.Options{Op: op, Alike: true})
			if err != nil {
				t.Fatal(err)
			}
			all, err := bfb.Solve(context.Background(), g, bfb.Options{Op: op, NoSymmetry: true})
			if err != nil || one.Steps != all.Steps || one.Bandwidth.Cmp(all.Bandwidth) != 0 {
				t.Errorf("%s, %v: %d steps and %v, want %d and %v (%v)", expr, op, one.Steps, one.Bandwidth, all.Steps, all.Bandwidth, err)
			}
		}
	}
}
