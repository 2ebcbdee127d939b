package lines_test

import (
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/plan/verify"
	"github.com/lightpath-net/lightpath/sim"
	"github.com/lightpath-net/lightpath/sim/replay"
	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/units"
)

// Packets of plans on a grid take what the model says, except for what cutting data into packets
// adds: each transfer has its own circuits or shares them as the model counts.
func TestTrafficOnGridsTakesWhatTheModelSays(t *testing.T) {
	for _, c := range []struct {
		op collective.Op
		by string
	}{
		{collective.AllToAll, "lines"}, {collective.AllGather, "lines"}, {collective.AllReduce, "lines"},
		{collective.Broadcast, "trees"}, {collective.RootReduce, "trees"},
	} {
		f := fabric.Default()
		f.Nodes, f.Ports, f.Reconfig.Base = 16, 2, 100*units.Nanosecond
		p := on(t, f, "4x4", c.by, collective.Operation{Op: c.op, Size: units.MiB})
		if p == nil {
			t.Errorf("%s: no plan", c.op)
			continue
		}
		o := sim.Options{Packet: 4 * units.KiB, Forwarding: f.Forwarding}
		packets, err := sim.Run(t.Context(), sim.PacketLevel, replay.Paced(p, replay.Paces()[0]), o)
		if err != nil {
			t.Fatal(err)
		}
		took, model := packets.Completion.Time(), p.Cost.Total()
		if took < model*0.98 || took > model*1.1 {
			t.Errorf("%s: packets take %v, the model says %v", c.op, took, model)
		}
	}
}

// A circuit between GPUs that share no switch is refused.
func TestACircuitBetweenTwoLinesIsRefused(t *testing.T) {
	f := fabric.Default()
	f.Nodes, f.Ports, f.Reconfig.Base = 16, 2, 100*units.Nanosecond
	p := on(t, f, "4x4", "lines", collective.Operation{Op: collective.AllGather, Size: units.MiB})
	if p == nil {
		t.Fatal("no plan")
	}
	g := p.Stages[0].Topology
	var edges []topology.Edge
	to := map[int]int{}
	for e := range g.Edges() {
		to[e.From] = e.To
		edges = append(edges, e)
	}
	// GPUs 0 and 5 are in different rows and columns; each gives up its last circuit.
	for i, e := range edges {
		if e.From == 0 && e.To == to[0] {
			edges[i].To = 5
		}
	}
	p.Stages[0].Topology = topology.New(16, "crossed", edges)
	report, err := verify.Plan(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	if report.OK {
		t.Error("a circuit between two switches is taken for correct")
	}
}
