package coordinator_test

import (
	"context"
	"fmt"
	"time"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/collective/algorithms"
	"github.com/lightpath-net/lightpath/emulate/coordinator"
	"github.com/lightpath-net/lightpath/emulate/fault"
	"github.com/lightpath-net/lightpath/emulate/number"
	"github.com/lightpath-net/lightpath/emulate/program"
	"github.com/lightpath-net/lightpath/emulate/wire"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/staged"
	"github.com/lightpath-net/lightpath/units"
)

// When two ranks and the switch have joined, the coordinator requests circuits and then the
// first step. The example also shows whom it blames when rank 1 ends too early.
func ExampleMachine() {
	f := fabric.Default()
	f.Nodes = 2
	c, err := algorithms.New(collective.AllGather, "ring", f.Nodes, f.Ports)
	if err != nil {
		fmt.Println(err)
		return
	}
	p, err := staged.Harvest(staged.HarvestOptions{}).Plan(context.Background(), planner.Request{Fabric: f, Collective: c, Size: units.KiB})
	if err != nil {
		fmt.Println(err)
		return
	}
	g, err := program.New(p, number.Int32)
	if err != nil {
		fmt.Println(err)
		return
	}
	m := coordinator.New(0, coordinator.Config{Program: g, Watch: coordinator.Watch{Patience: time.Second, Rendezvous: time.Second}})
	for _, who := range []int{fault.Nobody, 0, 1} {
		m.Joined(0, who)
		m.Ready(0, who)
	}
	m.Connected(time.Millisecond, wire.ConnectedMessage{Changed: 2})
	for _, a := range m.Actions {
		fmt.Printf("to %d: %T\n", a.Rank, a.Message)
	}
	m.Done(2*time.Millisecond, 0, wire.DoneMessage{Step: 1})
	m.Exited(3*time.Millisecond, 1, "killed")
	m.Tick(4 * time.Millisecond)
	fmt.Println(m.Outcome().Fault)
	// Output:
	// to -1: wire.ConnectMessage
	// to -2: wire.StepMessage
	// rank 1, step 1, peer 0: has gone: killed
}
