package traffic_test

import (
	"fmt"

	"github.com/lightpath-net/lightpath/sim/traffic"
)

func ExampleTransmit() {
	fmt.Println(traffic.Packets(10_000, 4096))
	fmt.Println(traffic.Transmit(4096, 800e9)) // ps
	// Output:
	// 3
	// 40960 true
}

func ExampleUptime_Around() {
	circuit := traffic.Uptime{On: 0, Off: 100, Later: []traffic.Interval{{Start: 500, End: 900}}}
	fmt.Println(circuit.Around(50))
	fmt.Println(circuit.Around(200))
	// Output:
	// 0 100
	// 500 900
}
