package stepwise_test

import (
	"errors"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/flow"
	"github.com/lightpath-net/lightpath/sim"
	"github.com/lightpath-net/lightpath/sim/simtest"
	"github.com/lightpath-net/lightpath/sim/stepwise"
	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/units"
)

func network(t *testing.T, expr string) sim.Network {
	t.Helper()
	g, err := topology.Parse(expr)
	if err != nil {
		t.Fatal(err)
	}
	// 1 byte per ns.
	return sim.Network{Graph: g, Bandwidth: 8 * units.Gbps, Delay: 100 * units.Nanosecond}
}

// drawn returns random messages on a network.
func drawn(t *testing.T, expr string, seed uint64) *sim.Phase {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 1))
	n := network(t, expr)
	p := &sim.Phase{Network: n, Flows: simtest.RandomPairs(n.Graph.Nodes(), 200, 0, seed)}
	for i := range p.Flows {
		p.Flows[i].Bytes, p.Flows[i].Start = units.Bytes(r.IntN(20_000)), units.Duration(r.IntN(5))*units.Microsecond
	}
	return p
}

var expressions = []string{"BiRing(2,9)", "Torus(4,4)", "K(6)", "BiRing(6,7)", "GenKautz(3,20)"}

// TestStepwiseEqualsPhases: with unlimited buffers, everything equals package sim.
func TestStepwiseEqualsPhases(t *testing.T) {
	for seed := range uint64(30) {
		p := drawn(t, expressions[seed%5], seed)
		for _, forwarding := range []fabric.Forwarding{fabric.CutThrough, fabric.StoreAndForward} {
			want, err := sim.Run(t.Context(), sim.PacketLevel, sim.Sequence(p), sim.Options{Packet: 1000, Forwarding: forwarding, FlowTimes: true})
			if err != nil {
				t.Fatal(err)
			}
			for _, buffer := range []units.Bytes{0, 1 << 40} {
				got, err := stepwise.Run(t.Context(), p, nil, stepwise.Config{Packet: 1000, Forwarding: forwarding, Buffer: buffer})
				if err != nil {
					t.Fatal(err)
				}
				if got.Events = want.Events; !reflect.DeepEqual(got, want) {
					t.Fatalf("seed %d, %s: %+v, not %+v", seed, forwarding, got, want)
				}
			}
		}
	}
}

// occupancy checks after every transmission that no node has more than its buffers hold.
type occupancy struct {
	t     *testing.T
	sends []sim.Transmission
}

func (o *occupancy) Phase(int, *sim.Phase, *sim.PhaseResult) {}
func (o *occupancy) Transmission(x sim.Transmission)         { o.sends = append(o.sends, x) }

// TestNodesHaveNoMoreThanTheirRoom: with small buffers everything arrives, or a deadlock is
// named. There are never more packets in flight over a pair's circuits and behind them than fit
// the buffer, and with a large enough buffer the result is that without a limit.
func TestNodesHaveNoMoreThanTheirRoom(t *testing.T) {
	slower, stuck := 0, 0
	for seed := range uint64(40) {
		p := drawn(t, expressions[seed%5], seed)
		free, err := stepwise.Run(t.Context(), p, nil, stepwise.Config{Packet: 1000})
		if err != nil {
			t.Fatal(err)
		}
		watch := &occupancy{t: t}
		room := []units.Bytes{3000, 15_000, 60_000}[seed%3]
		got, err := stepwise.Run(t.Context(), p, nil, stepwise.Config{Packet: 1000, Buffer: room, Observer: watch})
		checkRoom(t, p, watch.sends, int(room))
		switch {
		case errors.Is(err, stepwise.ErrDeadlock):
			stuck++
		case err != nil:
			t.Fatal(err)
		case got.PacketHops != free.PacketHops:
			t.Errorf("seed %d: %d packet-hops, not %d", seed, got.PacketHops, free.PacketHops)
		case got.Completion > free.Completion:
			slower++
		}
	}
	if slower == 0 || stuck == 0 {
		t.Errorf("%d are slower, %d stuck", slower, stuck)
	}
}

// checkRoom counts packets that will be forwarded, from their start on a circuit until they
// have left its end.
func checkRoom(t *testing.T, p *sim.Phase, sends []sim.Transmission, room int) {
	t.Helper()
	streams, err := sim.Streams(t.Context(), p, sim.Options{Packet: 1000})
	if err != nil {
		t.Fatal(err)
	}
	path := map[int][]int32{}
	for _, s := range streams {
		path[s.Flow] = s.Path
	}
	type change struct {
		at    units.Duration
		bytes int
	}
	changes := map[[2]int][]change{}
	for _, x := range sends {
		bytes := int(x.Each / units.Nanosecond)
		hop := slices.Index(path[x.Flow], int32(x.From))
		if int32(x.To) != path[x.Flow][len(path[x.Flow])-1] {
			changes[[2]int{x.From, x.To}] = append(changes[[2]int{x.From, x.To}], change{x.Start, bytes})
		}
		if hop > 0 {
			before := [2]int{int(path[x.Flow][hop-1]), x.From}
			changes[before] = append(changes[before], change{x.Start + x.Each, -bytes})
		}
	}
	for pair, list := range changes {
		slices.SortFunc(list, func(a, b change) int {
			if a.at != b.at {
				return int(a.at - b.at)
			}
			return a.bytes - b.bytes
		})
		sum := 0
		for _, c := range list {
			if sum += c.bytes; sum > room {
				t.Fatalf("%v: %d bytes at %v", pair, sum, c.at)
			}
		}
	}
}

// TestDeadlockIsNamed: on a one-way ring of four, on which every node sends to the opposite one
// and has a buffer for one packet, all buffers are full of packets that wait for the next.
func TestDeadlockIsNamed(t *testing.T) {
	p := &sim.Phase{Network: network(t, "UniRing(1,4)"), Flows: simtest.Shift(4, 2, 10_000)}
	_, err := stepwise.Run(t.Context(), p, nil, stepwise.Config{Packet: 1000, Buffer: 1000})
	var dead *stepwise.Deadlock
	if !errors.As(err, &dead) || len(dead.Circle) != 4 || dead.Waiting != 4 {
		t.Fatalf("%v", err)
	}
	if want := "deadlock at 1.1us: packets wait for room in a circle, 0 -> 1 -> 2 -> 3 -> 0, and hold up all that wait behind them; 4 messages, or parts of some, do not arrive"; !strings.HasSuffix(err.Error(), want) {
		t.Errorf("%v; want %s", err, want)
	}
	p.Flows = p.Flows[:3] // the cycle is open
	if _, err := stepwise.Run(t.Context(), p, nil, stepwise.Config{Packet: 1000, Buffer: 1000}); err != nil {
		t.Error(err)
	}
}

// TestCreditsHoldUpOthers: a packet without room blocks those behind it. The first of node 0's
// two messages is forwarded by node 1, where it waits behind another that began earlier. With
// room for one packet of 1000ns, each of its packets starts 100ns after the previous one has
// left node 1.
func TestCreditsHoldUpOthers(t *testing.T) {
	p := &sim.Phase{
		Network: sim.Network{
			Graph:     topology.New(3, "", []topology.Edge{{From: 0, To: 1, Count: 1}, {From: 1, To: 2, Count: 1}}),
			Bandwidth: 8 * units.Gbps, Delay: 100 * units.Nanosecond,
		},
		Flows:  []sim.Flow{{Src: 0, Dst: 2, Bytes: 2000}, {Src: 0, Dst: 1, Bytes: 1000}},
		Routes: [][]flow.Route{{{Path: []int32{0, 1, 2}, Share: 1}}, {{Path: []int32{0, 1}, Share: 1}}},
	}
	for buffer, want := range map[units.Bytes][2]units.Duration{0: {3200, 3100}, 2000: {3200, 3100}, 1000: {4400, 4300}} {
		r, err := stepwise.Run(t.Context(), p, nil, stepwise.Config{Packet: 1000, Buffer: buffer, Forwarding: fabric.StoreAndForward})
		if err != nil || r.Phases[0].Flows[0] != want[0]*units.Nanosecond || r.Phases[0].Flows[1] != want[1]*units.Nanosecond {
			t.Errorf("room for %v: %v, %v; want %v", buffer, r.Phases[0].Flows, err, want)
		}
	}
}

// TestTriggers: messages start when others have been sent or received. 1 byte takes 1ns, and a
// hop 100ns.
func TestTriggers(t *testing.T) {
	const text = `Nodes 4
Connections 6
Triggers 3
0->1 id 1 start 0 size 1000 recv_done_trigger 1
1->2 id 2 trigger 1 size 500 send_done_trigger 2
3->2 id 3 start 0 size 100 recv_done_trigger 2
2->3 id 4 trigger 2 size 10 recv_done_trigger 3
3->0 id 5 trigger 3 size 1
0->0 id 6 start 0 size 5
trigger id 1 oneshot
trigger id 2 barrier count 2
trigger id 3 multishot
`
	m, err := sim.ReadMatrix(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	p := &sim.Phase{Network: network(t, "K(4)"), Flows: m.Flows}
	r, err := stepwise.Run(t.Context(), p, m.Triggers, stepwise.Config{Packet: 1000})
	if err != nil {
		t.Fatal(err)
	}
	// 0->1: 1000+100; 1->2 until 1700, sent at 1600; 2->3 from 1600: 1710; 3->0: 1811.
	for i, want := range []units.Duration{1100, 1700, 200, 1710, 1811, 0} {
		if got := r.Phases[0].Flows[i]; got != want*units.Nanosecond {
			t.Errorf("flow %d: %v, want %v", i, got, want*units.Nanosecond)
		}
	}
	m.Triggers[0].Starts = append(m.Triggers[0].Starts, 3)
	if _, err := stepwise.Run(t.Context(), p, m.Triggers, stepwise.Config{}); err == nil {
		t.Error("a flow that two triggers start")
	}
}
