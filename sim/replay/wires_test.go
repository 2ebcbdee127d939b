package replay_test

import (
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/fabric/layout"
	"github.com/lightpath-net/lightpath/flow"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/sim"
	"github.com/lightpath-net/lightpath/sim/replay"
	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/units"
)

// hops returns the step that sends a chunk over every circuit of a graph, and more over one of
// them, so that the step takes longer.
func hops(g *topology.Graph, slow [2]int, more int) plan.Step {
	var step plan.Step
	for e := range g.Edges() {
		count := 1
		if slow == [2]int{e.From, e.To} {
			count += more
		}
		for range count {
			step.Base = append(step.Base, plan.Transfer{
				Transfer: collective.Transfer{Src: e.From, Dst: e.To, Action: collective.Copy, Chunks: collective.Single(e.From)},
				Routes:   []flow.Route{{Path: []int32{int32(e.From), int32(e.To)}, Share: 1}},
			})
		}
	}
	return step
}

// Without barriers a circuit waits for the GPUs that its ports led to: on rails the plan
// determines these ports. GPU 0 changes to GPU 2 while GPU 1, to which it was connected, still
// sends; that matters only if the new circuit takes the port of the old one.
func TestCircuitsWaitForTheirPorts(t *testing.T) {
	f := fabric.Default()
	f.Nodes, f.Ports, f.Layout, f.Reconfig.Base = 4, 2, layout.Rails(), units.Microsecond
	first := topology.New(4, "first", []topology.Edge{{From: 0, To: 1, Count: 1}, {From: 1, To: 3, Count: 1}})
	second := topology.New(4, "second", []topology.Edge{{From: 0, To: 2, Count: 1}})
	starts := map[int]units.Duration{}
	for port := range 2 {
		p := &plan.Plan{Fabric: f, Collective: plan.Collective{
			Op: collective.AllGather, Algorithm: "x", Size: units.MiB, Space: collective.SpaceOf(collective.AllGather, 4, 1),
		}}
		p.Stages = []plan.Stage{
			{Topology: first, Steps: []plan.Step{hops(first, [2]int{1, 3}, 5)}, Circuits: []layout.Circuit{{From: 0, To: 1}, {From: 1, To: 3}}},
			{
				Topology: second, Steps: []plan.Step{hops(second, [2]int{}, 0)},
				Circuits: []layout.Circuit{{From: 0, FromPort: port, To: 2, ToPort: port, Switch: port}},
			},
		}
		if err := p.Price(); err != nil {
			t.Fatal(err)
		}
		watch := &spy{}
		if _, err := replay.RunAsynchronous(t.Context(), p, replay.PaceOff, sim.Options{Packet: 4 * units.KiB, Forwarding: f.Forwarding, Observer: watch}); err != nil {
			t.Fatal(err)
		}
		for _, x := range watch.sent {
			if x.Phase == 1 && starts[port] == 0 {
				starts[port] = x.Start
			}
		}
	}
	if starts[1] == 0 || starts[0] < 2*starts[1] {
		t.Errorf("on the port of the old circuit from %v on, on the other one from %v on; want far earlier", starts[0], starts[1])
	}
}
