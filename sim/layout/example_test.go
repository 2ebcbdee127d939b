package layout_test

import (
	"fmt"

	"github.com/lightpath-net/lightpath/sim/layout"
)

func ExampleTransmit() {
	fmt.Println(layout.Packets(10_000, 4096))
	fmt.Println(layout.Transmit(4096, 800e9)) // ps
	// Output:
	// 3
	// 40960 true
}

func ExampleUptime_Around() {
	circuit := layout.Uptime{On: 0, Off: 100, Later: []layout.Interval{{Start: 500, End: 900}}}
	fmt.Println(circuit.Around(50))
	fmt.Println(circuit.Around(200))
	// Output:
	// 0 100
	// 500 900
}
