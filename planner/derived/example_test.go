package derived_test

import (
	"context"
	"fmt"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/derived"
	"github.com/lightpath-net/lightpath/planner/joint"
	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/units"
)

// A gather is the part of an allgather that one GPU receives.
func ExampleNew() {
	f := fabric.Default()
	f.Nodes, f.Ports, f.Duplex = 48, 3, true
	find := func(ctx context.Context, op collective.Op, r planner.Request) ([]*plan.Plan, error) {
		if op != collective.AllGather {
			return nil, planner.ErrInfeasible
		}
		r.Collective = operation(op, r.Fabric.Nodes)
		p, err := joint.New().Plan(ctx, r)
		return []*plan.Plan{p}, err
	}
	stay := func(context.Context, collective.Op, *topology.Graph, planner.Request) (*plan.Plan, error) {
		return nil, planner.ErrInfeasible
	}
	p, err := derived.New(find, stay).Plan(context.Background(), planner.Request{Fabric: f, Collective: operation(collective.Gather, 48), Size: units.KiB})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%v, %s\n", p.Cost.Total(), p.Strategy)
	// Output: 3.004us, from allgather (joint: digit of 48: gather on Code(DFNRUVGJX,48,3))
}

func operation(op collective.Op, nodes int) *collective.Collective {
	return &collective.Collective{Op: op, Nodes: nodes, Space: collective.SpaceOf(op, nodes, 1)}
}
