package sim_test

import (
	"context"
	"testing"

	"github.com/lightpath-net/lightpath/sim"
	"github.com/lightpath-net/lightpath/sim/simtest"
	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/units"
)

// network returns circuits of 800 Gbps and 500 ns, as in the evaluations of HARVEST
// (§6.1) and of reconfigure-or-not (§6).
func network(t testing.TB, expr string) sim.Network {
	t.Helper()
	g, err := topology.Parse(expr)
	if err != nil {
		t.Fatal(err)
	}
	return sim.Network{Graph: g, Bandwidth: 800 * units.Gbps, Delay: 500 * units.Nanosecond}
}

func traffic(t testing.TB, network sim.Network, flows []sim.Flow, o sim.Options) *sim.Result {
	t.Helper()
	r, err := simtest.Traffic(context.Background(), sim.PacketLevel, network, flows, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestRingNumbers: on a two-way ring of 64 with packets of 4096 bytes, completion and
// sum of arrivals are the reference values, which were cross-checked against htsim and
// ns-3 outside of this package.
func TestRingNumbers(t *testing.T) {
	ring := network(t, "BiRing(2,64)")
	for _, c := range []struct {
		name       string
		flows      []sim.Flow
		completion units.Duration
		sum        string
		hops       int64
	}{
		{"every node sends 4MiB to the node 8 ahead", simtest.Shift(64, 8, 4*units.MiB), 336044320, "20649953198080", 524288},
		{"all-to-all of 64KiB per pair", simtest.AllToAll(64, 64*units.KiB), 346530080, "14346891264000", 1048576},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := traffic(t, ring, c.flows, sim.Options{})
			if r.Completion != c.completion || r.ArrivalSum.String() != c.sum || r.PacketHops != c.hops {
				t.Errorf("%d ps, sum %d, %d hops; want %d, %s, %d", r.Completion, r.ArrivalSum, r.PacketHops, c.completion, c.sum, c.hops)
			}
		})
	}
}

// TestOrderOfMessagesMatters: messages of one node that start together are sent one after
// another, in the order of the list. Listed by destination instead of by distance, the same
// all-to-all is complete at the same time, but its packets arrive at other times.
func TestOrderOfMessagesMatters(t *testing.T) {
	var flows []sim.Flow
	for u := range int32(64) {
		for v := range int32(64) {
			flows = append(flows, sim.Flow{Src: u, Dst: v, Bytes: 64 * units.KiB})
		}
	}
	r := traffic(t, network(t, "BiRing(2,64)"), flows, sim.Options{})
	if r.Completion != 346530080 || r.ArrivalSum.String() != "14352092200960" {
		t.Errorf("%d ps, sum %d", r.Completion, r.ArrivalSum)
	}
}

// TestWorkDoesNotGrowWithMessages: on a ring the packets of a message stay together,
// and a message of any size is as much work, and as much memory, as one packet.
func TestWorkDoesNotGrowWithMessages(t *testing.T) {
	ring := network(t, "BiRing(2,64)")
	for _, size := range []units.Bytes{4 * units.KiB, 4 * units.MiB, 4 * units.TiB} {
		r := traffic(t, ring, simtest.Shift(64, 8, size), sim.Options{})
		packets := int64(size) / 4096
		if r.Events != 64*8 || r.PacketHops != 64*8*packets {
			t.Errorf("%v: %d events for %d packet-hops", size, r.Events, r.PacketHops)
		}
		// The last circuit is always busy, or idle while a packet crosses those before it.
		pipe := 8 * (units.Duration(packets)*40960 + 500000)
		full := 8*units.Duration(packets)*40960 + 500000
		if want := max(full, 8*(40960+500000)); r.Completion != want || want > pipe {
			t.Errorf("%v: complete at %v, want %v", size, r.Completion, want)
		}
	}
}

// TestCutThroughOnAnIdlePath: a message is serialised once; with store-and-forward,
// its last packet is serialised on every circuit.
func TestCutThroughOnAnIdlePath(t *testing.T) {
	ring := network(t, "UniRing(1,9)")
	flows := []sim.Flow{{Src: 0, Dst: 5, Bytes: 10 * 4096}}
	for _, c := range []struct {
		o    sim.Options
		want units.Duration
	}{
		{sim.Options{Forwarding: "cut-through"}, 10*40960 + 5*500000},
		{sim.Options{Forwarding: "store-and-forward"}, 10*40960 + 5*500000 + 4*40960},
		{sim.Options{Forwarding: "store-and-forward", Packet: 4096 * 10}, 5 * (10*40960 + 500000)},
	} {
		if r := traffic(t, ring, flows, c.o); r.Completion != c.want {
			t.Errorf("%+v: %v, want %v", c.o, r.Completion, c.want)
		}
	}
}

// TestCutThroughDoesNotRunDry: from a slow circuit to a fast one, a packet ends on the fast one
// when its last bit has arrived, not sooner; from fast to slow it starts when its first bit has
// arrived.
func TestCutThroughDoesNotRunDry(t *testing.T) {
	line := topology.New(3, "", []topology.Edge{{From: 0, To: 1, Count: 1}, {From: 1, To: 2, Count: 1}})
	flows := []sim.Flow{{Src: 0, Dst: 2, Bytes: 1000}}
	for _, c := range []struct {
		first, second units.Bandwidth
		want          units.Duration
	}{
		{units.Gbps, 8 * units.Gbps, 8*units.Microsecond + 2*units.Nanosecond},
		{8 * units.Gbps, units.Gbps, 8*units.Microsecond + 2*units.Nanosecond},
	} {
		n := sim.Network{Graph: line, Vary: func(u, _ int) (units.Bandwidth, units.Duration) {
			if u == 0 {
				return c.first, units.Nanosecond
			}
			return c.second, units.Nanosecond
		}}
		if r := traffic(t, n, flows, sim.Options{Forwarding: "cut-through"}); r.Completion != c.want {
			t.Errorf("%v then %v: %v, want %v", c.first, c.second, r.Completion, c.want)
		}
	}
}
