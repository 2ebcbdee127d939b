package stepwise_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/lightpath-net/lightpath/sim"
	"github.com/lightpath-net/lightpath/sim/simtest"
	"github.com/lightpath-net/lightpath/sim/stepwise"
	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/units"
)

func ExampleRun() {
	p := &sim.Phase{
		Network: sim.Network{Graph: topology.DirectedCirculant(4, 1), Bandwidth: 8 * units.Gbps, Delay: 100 * units.Nanosecond},
		Flows:   simtest.Shift(4, 2, 10_000),
	}
	for _, room := range []units.Bytes{0, 1000} {
		r, err := stepwise.Run(context.Background(), p, nil, stepwise.Config{Packet: 1000, Buffer: room})
		if errors.Is(err, stepwise.ErrDeadlock) {
			fmt.Println(err)
			continue
		}
		fmt.Println(r.Completion)
	}
	// Output:
	// 20.1us
	// stepwise: deadlock at 1.1us: packets wait for room in a circle, 0 -> 1 -> 2 -> 3 -> 0, and hold up all that wait behind them; 4 messages, or parts of some, do not arrive
}
