package crossbar_test

import (
	"fmt"
	"time"

	"github.com/lightpath-net/lightpath/emulate/crossbar"
	"github.com/lightpath-net/lightpath/emulate/wire"
)

// Connecting two nodes takes 10 us. A byte takes 1 ns on the circuit, whose propagation delay is
// 5 us.
func ExampleState() {
	s := crossbar.NewState(2, 1, 1000, 5*time.Microsecond, nil)
	_, up, err := s.Connect(0, []wire.Circuit{{From: 0, To: 1}}, 10*time.Microsecond)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("up at", up)
	_, err = s.Send(8*time.Microsecond, 0, 1000, 1, false)
	fmt.Println("too early:", err)
	d, err := s.Send(up, 0, 1000, 1, false)
	fmt.Println("out of port", d.Port, "at", d.At, err)
	// Output:
	// up at 10µs
	// too early: 1000 bytes into port 0, which is dark: the circuit to rank 1 is still being set
	// out of port 1 at 16µs <nil>
}
