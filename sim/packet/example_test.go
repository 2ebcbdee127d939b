package packet_test

import (
	"context"
	"fmt"

	"github.com/lightpath-net/lightpath/sim/packet"
	"github.com/lightpath-net/lightpath/sim/traffic"
)

// Two messages of a packet each queue for a circuit of 800 Gbps and 500 ns, first in, first out.
func ExampleKernel() {
	traffic := &traffic.Traffic{
		Streams: []traffic.Stream{{Bytes: 4096, First: 0}, {Bytes: 4096, First: 0}},
		Hops:    []traffic.Hop{{Bundle: 0, Next: traffic.Arrived}},
		Flows:   []int32{0, 1, 2}, Images: 1,
		From: []int32{0}, To: []int32{1}, Class: []int32{0}, Used: []int32{0}, InTime: []int32{0, 1},
		Line: func(_ int, up []traffic.Uptime) (traffic.Line, []traffic.Uptime, error) {
			return traffic.Line{Bps: 800e9, Delay: 500_000}, append(up, traffic.Uptime{Off: traffic.Never}), nil
		},
	}
	kernel, err := packet.New(traffic, packet.Options{Packet: 4096, CutThrough: true})
	if err != nil {
		fmt.Println(err)
		return
	}
	quiet := func(_, _, _ int64) {}
	fault, err := kernel.Run(context.Background(), 1, quiet)
	fmt.Println(kernel.Tally().Done, fault, err)
	// Output: [540960 581920] <nil> <nil>
}
