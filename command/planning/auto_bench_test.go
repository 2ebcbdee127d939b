package planning_test

import (
	"fmt"
	"testing"

	"github.com/lightpath-net/lightpath"
	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/units"
)

// BenchmarkAuto plans and verifies the default request; under tiers, a request for every
// operation on islands of 8, under moe:8, all-to-alls whose pairs differ, and under derived,
// operations that a larger one contains.
func BenchmarkAuto(b *testing.B) {
	for _, n := range []int{1024, 16384} {
		b.Run(fmt.Sprintf("tiers/n=%d", n), func(b *testing.B) {
			for _, op := range collective.Ops() {
				b.Run(string(op), func(b *testing.B) {
					f := fabric.Default()
					f.Nodes, f.Island = n, fabric.Island{Size: 8, Bandwidth: 7200 * units.Gbps}
					b.ReportAllocs()
					for range b.N {
						_, err := lightpath.Plan(b.Context(), lightpath.PlanRequest{
							Fabric: f, Operations: []lightpath.Operation{{Op: op, Size: 64 * units.MiB}},
						})
						if err != nil {
							b.Fatal(err)
						}
					}
				})
			}
		})
	}
	for _, op := range []collective.Op{
		collective.AllReduce, collective.AllGather, collective.ReduceScatter, collective.Broadcast, collective.RootReduce, collective.Gather, collective.Scatter, collective.AllToAll,
	} {
		for _, n := range []int{64, 1024} {
			for _, ports := range []int{1, 2, 4, 5, 6, 7, 8} {
				if ports > 4 && ports < 8 && op != collective.AllToAll {
					continue
				}
				b.Run(fmt.Sprintf("%s/n=%d/ports=%d", op, n, ports), func(b *testing.B) {
					f := fabric.Default()
					f.Nodes, f.Ports = n, ports
					b.ReportAllocs()
					for range b.N {
						_, err := lightpath.Plan(b.Context(), lightpath.PlanRequest{
							Fabric: f, Operations: []lightpath.Operation{{Op: op, Size: 64 * units.MiB}},
						})
						if err != nil {
							b.Fatal(err)
						}
					}
				})
			}
		}
	}
	for _, c := range []struct{ n, ports int }{{64, 2}, {256, 2}, {256, 4}} {
		b.Run(fmt.Sprintf("moe:8/n=%d/ports=%d", c.n, c.ports), func(b *testing.B) {
			f := fabric.Default()
			f.Nodes, f.Ports = c.n, c.ports
			b.ReportAllocs()
			for range b.N {
				_, err := lightpath.Plan(b.Context(), lightpath.PlanRequest{
					Fabric: f, Operations: []lightpath.Operation{{Op: collective.AllToAll, Size: 64 * units.MiB, Generator: "moe:8"}},
				})
				if err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	// Plans of other operations, from which these might be made, took most of the time or still do.
	for _, c := range []struct {
		op       collective.Op
		n, ports int
		size     units.Bytes
		latency  units.Duration
	}{
		{collective.Broadcast, 128, 1, 64 * units.MiB, 0},
		{collective.Scatter, 120, 3, 128 * units.MiB, 500 * units.Nanosecond},
		{collective.ReduceScatter, 107, 2, 256 * units.MiB, 500 * units.Nanosecond},
	} {
		b.Run(fmt.Sprintf("derived/%s/n=%d/ports=%d", c.op, c.n, c.ports), func(b *testing.B) {
			f := fabric.Default()
			f.Nodes, f.Ports, f.Alpha, f.Delta = c.n, c.ports, c.latency, c.latency
			b.ReportAllocs()
			for range b.N {
				_, err := lightpath.Plan(b.Context(), lightpath.PlanRequest{
					Fabric: f, Operations: []lightpath.Operation{{Op: c.op, Size: c.size}},
				})
				if err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
