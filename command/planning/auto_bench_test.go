package planning_test

import (
	"fmt"
	"testing"

	"github.com/lightpath-net/lightpath"
	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/units"
)

// The default request, made and verified.
func BenchmarkAuto(b *testing.B) {
	for _, op := range []collective.Op{
		collective.AllReduce, collective.AllGather, collective.ReduceScatter, collective.Broadcast, collective.RootReduce, collective.Gather, collective.Scatter, collective.AllToAll,
	} {
		for _, n := range []int{64, 1024} {
			for _, ports := range []int{1, 2, 4, 8} {
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
}
