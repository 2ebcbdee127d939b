package sim_test

import (
	"context"
	"fmt"
	"strings"

	"github.com/lightpath-net/lightpath/sim"
	"github.com/lightpath-net/lightpath/sim/simtest"
	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/units"
)

// Every one of 64 nodes of a two-way ring sends 4MiB to the node 8 ahead.
func ExampleRun_messages() {
	ring, _ := topology.Parse("BiRing(2,64)")
	network := sim.Network{Graph: ring, Bandwidth: 800 * units.Gbps, Delay: 500 * units.Nanosecond}
	flows := make([]sim.Flow, 64)
	for u := range flows {
		flows[u] = sim.Flow{Src: int32(u), Dst: int32((u + 8) % 64), Bytes: 4 * units.MiB}
	}
	for _, level := range []sim.Level{sim.PacketLevel, sim.FlowLevel} {
		r, err := sim.Run(context.Background(), level, sim.Sequence(&sim.Phase{Network: network, Flows: flows}), sim.Options{})
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(level, r.Completion, r.PacketHops, r.Events)
	}
	// Output:
	// packet 336.04432us 524288 512
	// flow 339.83104us 0 2
}

// Two steps, with the circuits rewired in between.
func ExampleRun() {
	step := func(jump int, reconfiguration units.Duration) *sim.Phase {
		return &sim.Phase{
			Network: sim.Network{
				Graph: topology.DirectedCirculant(8, jump), Bandwidth: 800 * units.Gbps, Delay: 500 * units.Nanosecond,
			},
			Reconfiguration: reconfiguration,
			Startup:         500 * units.Nanosecond,
			Flows:           simtest.Shift(8, jump, units.MiB),
		}
	}
	program := sim.Sequence(step(1, 0), step(2, 10*units.Microsecond))
	r, err := sim.Run(context.Background(), sim.PacketLevel, program, sim.Options{Forwarding: "cut-through"})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, p := range r.Phases {
		fmt.Println(p.Start, p.Traffic, p.End)
	}
	// Output:
	// 0ns 500ns 11.48576us
	// 11.48576us 21.98576us 32.97152us
}

func ExampleReadScenario() {
	_, err := sim.ReadScenario(strings.NewReader("src,dst,bytes,start_ns\n0,1,4096,0\n0,9,4096,0\n"), 4)
	fmt.Println(err)
	// Output: line 3: dst 9 is not one of the nodes 0 to 3
}
