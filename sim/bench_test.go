package sim_test

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/lightpath-net/lightpath/flow"
	"github.com/lightpath-net/lightpath/sim"
	"github.com/lightpath-net/lightpath/sim/simtest"
	"github.com/lightpath-net/lightpath/units"
)

// BenchmarkPacket simulates every packet on one thread, including routing, and reports
// packet-hops and events per second. On the torus trains of packets do not stay together;
// messages of few packets (small64, valiant64, torus16-random) have no trains.
func BenchmarkPacket(b *testing.B) {
	for _, c := range []struct {
		name  string
		expr  string
		flows []sim.Flow
		relay bool // over another node, drawn at random
	}{
		{"perm64", "BiRing(2,64)", simtest.Shift(64, 8, 4*units.MiB), false},
		{"a2a64", "BiRing(2,64)", simtest.AllToAll(64, 64*units.KiB), false},
		{"rand64", "BiRing(2,64)", simtest.RandomPairs(64, 4096, 64*units.KiB, 1), false},
		{"a2a256", "Torus(16,16)", simtest.AllToAll(256, 64*units.KiB), false},
		{"small64", "GenKautz(4,64)", smallMessages(64, 300_000), false},
		{"valiant64", "K(64)", smallMessages(64, 300_000), true},
		{"torus16-random", "Torus(16,16)", smallMessages(256, 300_000), false},
	} {
		p := &sim.Phase{Network: network(b, c.expr), Flows: c.flows}
		if c.relay {
			p.Routes = overAnother(64, c.flows)
		}
		b.Run(c.name, func(b *testing.B) { benchmark(b, sim.PacketLevel, p, 1) })
	}
}

// BenchmarkTorus1024 is an all-to-all of 64KiB per pair on a 32 x 32 torus: 268 million
// packet-hops, on all threads.
func BenchmarkTorus1024(b *testing.B) {
	p := &sim.Phase{Network: network(b, "Torus(32,32)"), Flows: simtest.AllToAll(1024, 64*units.KiB)}
	b.Run("packet", func(b *testing.B) { benchmark(b, sim.PacketLevel, p, 0) })
	b.Run("flow", func(b *testing.B) { benchmark(b, sim.FlowLevel, p, 0) })
}

// BenchmarkFlow compares the levels on the same traffic. random: 20 000 messages of 64KiB to
// 1MiB on a 12 x 12 torus, where every end of a message changes the rates of many others.
// small: 30 000 messages of 1 to 4 packets on a 16 x 16 torus, where each meets few others.
// crowded: 120 000 of these, where each meets thousands. kautz: 30 000 with short routes.
// complete: 30 000 with a circuit each, so that packets never wait.
func BenchmarkFlow(b *testing.B) {
	flows := simtest.RandomPairs(144, 20_000, 64*units.KiB, 1)
	r := rand.New(rand.NewPCG(2, 0))
	for i := range flows {
		flows[i].Bytes += units.Bytes(r.IntN(1 << 20))
	}
	for _, c := range []struct {
		name string
		p    *sim.Phase
	}{
		{"random", &sim.Phase{Network: network(b, "Torus(12,12)"), Flows: flows}},
		{"small", &sim.Phase{Network: network(b, "Torus(16,16)"), Flows: smallMessages(256, 30_000)}},
		{"crowded", &sim.Phase{Network: network(b, "Torus(16,16)"), Flows: smallMessages(256, 120_000)}},
		{"kautz", &sim.Phase{Network: network(b, "GenKautz(4,64)"), Flows: smallMessages(64, 30_000)}},
		{"complete", &sim.Phase{Network: network(b, "K(64)"), Flows: smallMessages(64, 30_000)}},
	} {
		b.Run(c.name+"/packet", func(b *testing.B) { benchmark(b, sim.PacketLevel, c.p, 1) })
		b.Run(c.name+"/flow", func(b *testing.B) { benchmark(b, sim.FlowLevel, c.p, 1) })
	}
}

// smallMessages returns messages of 1 to 4 packets between random pairs of n nodes,
// which start at random within 100us.
func smallMessages(n, count int) []sim.Flow {
	flows := simtest.RandomPairs(n, count, 0, 1)
	r := rand.New(rand.NewPCG(2, 0))
	for i := range flows {
		flows[i].Bytes = units.Bytes(1 + r.IntN(4*4096))
		flows[i].Start = units.Duration(r.Int64N(int64(100 * units.Microsecond)))
	}
	return flows
}

// overAnother routes every message over a third node of n.
func overAnother(n int, flows []sim.Flow) [][]flow.Route {
	r := rand.New(rand.NewPCG(3, 0))
	routes := make([][]flow.Route, len(flows))
	for i, f := range flows {
		by := f.Src
		for by == f.Src || by == f.Dst {
			by = int32(r.IntN(n))
		}
		routes[i] = []flow.Route{{Path: []int32{f.Src, by, f.Dst}, Share: 1}}
	}
	return routes
}

func benchmark(b *testing.B, level sim.Level, p *sim.Phase, threads int) {
	hops, events := int64(0), int64(0)
	b.ReportAllocs()
	for b.Loop() {
		r, err := sim.Run(context.Background(), level, sim.Sequence(p), sim.Options{Threads: threads, FlowTimes: true})
		if err != nil {
			b.Fatal(err)
		}
		hops += r.PacketHops
		events += r.Events
	}
	if hops > 0 {
		b.ReportMetric(float64(hops)/b.Elapsed().Seconds(), "hops/s")
	}
	b.ReportMetric(float64(events)/b.Elapsed().Seconds(), "events/s")
}
