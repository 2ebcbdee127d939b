package plan_test

import (
	"bytes"
	"context"
	"fmt"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/flow"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/plan/verify"
	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/units"
)

// allGatherOfTwo is a handmade plan: two GPUs exchange their blocks of 1 MB over a circuit in
// each direction.
func allGatherOfTwo() *plan.Plan {
	f := fabric.Default()
	f.Nodes = 2
	send := func(src, dst int) plan.Transfer {
		return plan.Transfer{
			Transfer: collective.Transfer{Src: src, Dst: dst, Action: collective.Copy, Chunks: collective.Single(src)},
			Routes:   []flow.Route{{Path: []int32{int32(src), int32(dst)}, Share: 1}},
		}
	}
	return &plan.Plan{
		Fabric:     f,
		Provenance: plan.Provenance{Planner: "by hand"},
		Collective: plan.Collective{
			Op: collective.AllGather, Algorithm: "exchange", Size: 2 * units.MB, Space: collective.SpaceOf(collective.AllGather, 2, 1),
		},
		Stages: []plan.Stage{{
			Topology: topology.DirectedCirculant(2, 1),
			Steps:    []plan.Step{{Base: []plan.Transfer{send(0, 1), send(1, 0)}}},
		}},
	}
}

func ExamplePlan_Price() {
	p := allGatherOfTwo()
	if err := p.Price(); err != nil {
		fmt.Println(err)
		return
	}
	report, err := verify.Plan(context.Background(), p)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(p.Cost.Total(), report.OK)
	for _, check := range report.Checks {
		if check.Unchecked {
			fmt.Println(check.Name, "is claimed, not checked")
			continue
		}
		fmt.Println(check.Name, check.OK)
	}
	// Output:
	// 11.00us true
	// form true
	// ports true
	// topology true
	// routes true
	// timing true
	// data true
	// reductions true
	// result true
	// cost true
	// bound true
	// algorithm is claimed, not checked
	// origin is claimed, not checked
}

func ExampleReport_First() {
	p := allGatherOfTwo()
	step := &p.Stages[0].Steps[0]
	step.Base = step.Base[:1] // GPU 1 keeps its block for itself
	if err := p.Price(); err != nil {
		fmt.Println(err)
		return
	}
	report, _ := verify.Plan(context.Background(), p)
	fmt.Printf("%s: %s\n", report.First().Name, report.First().Detail)
	// Output: result: at the end node 0 does not have chunk 1: nobody sends it
}

func ExampleDecode() {
	p := allGatherOfTwo()
	if err := p.Price(); err != nil {
		fmt.Println(err)
		return
	}
	var file bytes.Buffer
	if err := p.Encode(&file); err != nil {
		fmt.Println(err)
		return
	}
	q, err := plan.Decode(&file)
	if err != nil {
		fmt.Println(err)
		return
	}
	for stage, step := range q.Steps() {
		for t := range step.All(q.Collective.Space) {
			fmt.Printf("%s, step %d: %d to %d\n", stage.Topology.Name(), step.Index, t.Src, t.Dst)
		}
	}
	_, err = plan.Decode(bytes.NewBufferString("{\n\"schema\": \"something else\"}"))
	fmt.Println(err)
	// Output:
	// DC(2;1), step 1: 0 to 1
	// DC(2;1), step 1: 1 to 0
	// line 2: schema is "something else", this version reads "lightpath.plan/v1"
}
