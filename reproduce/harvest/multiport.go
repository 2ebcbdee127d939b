package harvest

import (
	"fmt"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/flow"
	"github.com/lightpath-net/lightpath/reproduce/claim"
	"github.com/lightpath-net/lightpath/units"
)

// multiPorted is a collective of Fig. 8, 9 or 10, on several ports.
type multiPorted struct {
	id, source, name, setting, about string
	work                             claim.Work
	field                            claim.Field
	full                             bool
}

// multiPort lists the collectives of Fig. 8 to 10: 64 GPUs, 800 Gbps per port, alpha = delta =
// 500 ns. A BvN schedule pays only if circuits change.
func multiPort() []multiPorted {
	on := func(ports int) fabric.Fabric {
		f := fabric.Default()
		f.Ports = ports
		return f
	}
	coarse := claim.Field{Delays: []units.Duration{100 * units.Nanosecond, units.Microsecond, 10 * units.Microsecond, 100 * units.Microsecond, units.Millisecond}}
	for size := 16 * units.KiB; size <= units.GiB; size *= 16 {
		coarse.Sizes = append(coarse.Sizes, size)
	}
	const eight, nine, ten = "HARVEST, Fig. 8", "HARVEST, Fig. 9", "HARVEST, Fig. 10"
	const solved = "The authors solve for the topologies; here they come from the pool."
	list := []multiPorted{
		{"fig8/8x8", eight, "Multi-port Swing", "8x8 torus, 4 ports", "", claim.Work{Fabric: on(4), Op: collective.AllReduce, Algorithm: "swing:8x8"}, claim.Wide(), false},
		{"fig8/4x4x4", eight, "Multi-port Swing", "4x4x4 torus, 6 ports", "", claim.Work{Fabric: on(6), Op: collective.AllReduce, Algorithm: "swing:4x4x4"}, claim.Wide(), false},
		{"fig9/bruck-alltoall", nine, "Bruck's all-to-all", "64 GPUs, 4 ports, four peers in a step", solved, claim.Work{Fabric: on(4), Op: collective.AllToAll, Algorithm: "bruck-index"}, coarse, true},
		{"fig9/bruck-allgather", nine, "Bruck's allgather", "64 GPUs, 4 ports, four peers in a step", solved, claim.Work{Fabric: on(4), Op: collective.AllGather, Algorithm: "bruck"}, coarse, true},
		{"fig9/binomial", nine, "Binomial tree", "broadcast on 64 GPUs, 2 ports", solved, claim.Work{Fabric: on(2), Op: collective.Broadcast, Algorithm: "binomial"}, claim.Wide(), false},
		{"fig9/binary", nine, "Binary tree", "broadcast on 64 GPUs, 2 ports", solved, claim.Work{Fabric: on(2), Op: collective.Broadcast, Algorithm: "binary"}, claim.Wide(), false},
	}
	for _, ports := range fig10Ports {
		list = append(list, multiPorted{fmt.Sprintf("fig10/%d-ports", ports), ten, "All-to-all", fmt.Sprintf("64 GPUs, %d ports, bytes split over shortest paths", ports),
			solved + " Bytes are split evenly over all shortest paths, which takes no linear program.", exchangeOn(ports), coarse, ports > 2})
	}
	return list
}

// fig10Ports are the ports of a ring and of tori of two and three dimensions.
var fig10Ports = []int{2, 4, 6}

// exchangeOn returns the all-to-all of Fig. 10.
func exchangeOn(ports int) claim.Work {
	f := fabric.Default()
	f.Ports, f.Routing = ports, flow.ShortestSplit
	return claim.Work{Fabric: f, Op: collective.AllToAll, Algorithm: "shift"}
}
