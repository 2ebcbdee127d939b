package sim_test

import (
	"context"
	"testing"

	"github.com/lightpath-net/lightpath/sim"
	"github.com/lightpath-net/lightpath/units"
)

// BenchmarkPacket simulates every packet on one thread, routing included, and reports
// packet-hops per second. The torus is where trains of packets do not stay together.
func BenchmarkPacket(b *testing.B) {
	for _, c := range []struct {
		name  string
		expr  string
		flows []sim.Flow
	}{
		{"perm64", "BiRing(2,64)", sim.Shift(64, 8, 4*units.MiB)},
		{"a2a64", "BiRing(2,64)", sim.AllToAll(64, 64*units.KiB)},
		{"rand64", "BiRing(2,64)", sim.RandomPairs(64, 4096, 64*units.KiB, 1)},
		{"a2a256", "Torus(16,16)", sim.AllToAll(256, 64*units.KiB)},
	} {
		b.Run(c.name, func(b *testing.B) { benchmark(b, sim.PacketLevel, c.expr, c.flows, 1) })
	}
}

// BenchmarkTorus1024 is an all-to-all of 64KiB per pair on a 32 x 32 torus: 268 million
// packet-hops, on as many threads as there are.
func BenchmarkTorus1024(b *testing.B) {
	flows := sim.AllToAll(1024, 64*units.KiB)
	b.Run("packet", func(b *testing.B) { benchmark(b, sim.PacketLevel, "Torus(32,32)", flows, 0) })
	b.Run("flow", func(b *testing.B) { benchmark(b, sim.FlowLevel, "Torus(32,32)", flows, 0) })
}

func benchmark(b *testing.B, level sim.Level, expr string, flows []sim.Flow, threads int) {
	n := network(b, expr)
	hops := int64(0)
	b.ReportAllocs()
	for b.Loop() {
		r, err := sim.Traffic(context.Background(), level, n, flows, sim.Options{Threads: threads})
		if err != nil {
			b.Fatal(err)
		}
		hops += r.PacketHops
	}
	if hops > 0 {
		b.ReportMetric(float64(hops)/b.Elapsed().Seconds(), "hops/s")
	}
}
