package fluid_test

import (
	"context"
	"fmt"

	"github.com/lightpath-net/lightpath/sim/fluid"
	"github.com/lightpath-net/lightpath/sim/traffic"
)

// Two messages share a circuit of 800 Gbps and 500 ns fairly, so both arrive when the last byte
// does.
func ExampleRun() {
	traffic := &traffic.Traffic{
		Streams: []traffic.Stream{{Bytes: 4096, First: 0}, {Bytes: 4096, First: 0}},
		Hops:    []traffic.Hop{{Bundle: 0, Next: traffic.Arrived}},
		Flows:   []int32{0, 1, 2}, Images: 1,
		From: []int32{0}, To: []int32{1}, Class: []int32{0}, Used: []int32{0}, InTime: []int32{0, 1},
		Line: func(_ int, up []traffic.Uptime) (traffic.Line, []traffic.Uptime, error) {
			return traffic.Line{Bps: 800e9, Delay: 500_000}, append(up, traffic.Uptime{Off: traffic.Never}), nil
		},
	}
	quiet := func(_, _, _ int64) {}
	tally, err := fluid.Run(context.Background(), traffic, fluid.Options{Packet: 4096, Exact: true}, quiet)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(tally.Done)
	// Output: [581920 581920]
}
