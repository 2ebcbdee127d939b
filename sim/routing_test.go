package sim_test

import (
	"fmt"
	"testing"

	"github.com/lightpath-net/lightpath/sim"
	"github.com/lightpath-net/lightpath/sim/simtest"
	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/units"
)

// TestShortestPathsAreShortest: packet-hops are distances, on graphs with and without
// symmetry.
func TestShortestPathsAreShortest(t *testing.T) {
	for _, expr := range []string{"BiRing(2,9)", "Torus(3,4)", "Q(4)", "Kautz(2,2)", "GenKautz(3,11)", "C(12;2,3)", "K(7)", "Line(K(4),1)"} {
		n := network(t, expr)
		nodes := n.Graph.Nodes()
		r := traffic(t, n, simtest.AllToAll(nodes, 1), sim.Options{})
		want := int64(0)
		dist, queue := make([]int32, nodes), make([]int32, nodes)
		for u := range nodes {
			n.Graph.Distances(u, dist, queue)
			for _, d := range dist {
				want += int64(d)
			}
		}
		if r.PacketHops != want {
			t.Errorf("%s: %d hops, want %d", expr, r.PacketHops, want)
		}
	}
}

// TestTiesGoClockwise: on a two-way ring, messages to the opposite node go upwards from every
// node, even past the end of the numbering.
func TestTiesGoClockwise(t *testing.T) {
	for _, n := range []int{4, 6, 8, 64} {
		r := traffic(t, network(t, fmt.Sprintf("BiRing(2,%d)", n)), simtest.Shift(n, n/2, 100), sim.Options{})
		for _, l := range r.Links {
			want := 0
			if (l.From+1)%n == l.To {
				want = n / 2 * 100
			}
			if int(l.Bytes) != want {
				t.Errorf("n = %d: %d -> %d carries %d bytes, want %d", n, l.From, l.To, l.Bytes, want)
			}
		}
	}
}

// TestTiesLoadEvenly: on a torus with odd sides every circuit carries as much as every other in
// its dimension.
func TestTiesLoadEvenly(t *testing.T) {
	r := traffic(t, network(t, "Torus(5,5)"), simtest.AllToAll(25, 100), sim.Options{})
	for _, l := range r.Links {
		if l.Bytes != 1500 { // 3 = 1+2 hops that way, times 5 rows
			t.Errorf("%d -> %d carries %d bytes", l.From, l.To, l.Bytes)
		}
	}
}

// TestRoutesOfTheTime: a flow uses circuits that exist when it starts.
func TestRoutesOfTheTime(t *testing.T) {
	up, down := topology.DirectedCirculant(5, 1), topology.DirectedCirculant(5, 4)
	p := &sim.Phase{
		Network: sim.Network{Graph: up, Bandwidth: 8 * units.Gbps},
		Changes: []sim.Change{{At: 9 * units.Microsecond, Delay: units.Microsecond, Graph: down}},
		Flows:   []sim.Flow{{Src: 0, Dst: 2, Bytes: 1000}, {Src: 0, Dst: 2, Bytes: 1000, Start: 10 * units.Microsecond}},
	}
	r := run(t, sim.PacketLevel, p, sim.Options{FlowTimes: true})
	if got := r.Phases[0].Flows; got[0] != 2*units.Microsecond || got[1] != 13*units.Microsecond {
		t.Errorf("complete at %v, want 2us over 2 hops and 13us over 3", got)
	}
}

// TestParallelCircuitsShareAQueue: two circuits serve one queue, so a message takes half as
// long, but a packet does not.
func TestParallelCircuitsShareAQueue(t *testing.T) {
	g := topology.New(2, "", []topology.Edge{{From: 0, To: 1, Count: 2}})
	n := sim.Network{Graph: g, Bandwidth: 8 * units.Gbps}
	for packets, want := range []units.Duration{0, 1, 1, 2, 2, 3} {
		r := traffic(t, n, []sim.Flow{{Src: 0, Dst: 1, Bytes: units.Bytes(packets) * 1000}}, sim.Options{Packet: 1000})
		if r.Completion != want*units.Microsecond {
			t.Errorf("%d packets take %v, want %v", packets, r.Completion, want*units.Microsecond)
		}
	}
}

// TestPrioritiesAsInChunks: of two chunks that wait at a relay, the one with the smaller index
// goes first, although it arrived later; the packet in transmission is not interrupted.
// (Reconfigure-or-not, §6: all nodes prioritise chunks of smaller indices.)
func TestPrioritiesAsInChunks(t *testing.T) {
	g := topology.New(4, "", []topology.Edge{{From: 0, To: 2, Count: 1}, {From: 1, To: 2, Count: 1}, {From: 2, To: 3, Count: 1}})
	n := sim.Network{Graph: g, Bandwidth: 8 * units.Gbps} // 1us a packet
	flows := []sim.Flow{
		{Src: 0, Dst: 3, Bytes: 4000, Priority: 1},
		{Src: 1, Dst: 3, Bytes: 2000, Priority: 0, Start: 500 * units.Nanosecond},
	}
	for _, c := range []struct {
		priorities    bool
		first, second units.Duration
	}{
		{false, 7, 5}, // 1 0 1 0 1 1
		{true, 7, 4},  // 1 0 0 1 1 1
	} {
		r := traffic(t, n, flows, sim.Options{Packet: 1000, Priorities: c.priorities})
		if got := r.Phases[0].Flows; got[0] != c.first*units.Microsecond || got[1] != c.second*units.Microsecond {
			t.Errorf("priorities %v: %v, want %v and %vus", c.priorities, got, c.first, c.second)
		}
	}
}
