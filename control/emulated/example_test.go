package emulated_test

import (
	"context"
	"fmt"

	"github.com/lightpath-net/lightpath/control"
	"github.com/lightpath-net/lightpath/control/emulated"
)

// The first change is refused, the second one made.
func ExampleNew() {
	faults, err := emulated.ParseFaults([]string{"refuse:1"})
	if err != nil {
		fmt.Println(err)
		return
	}
	s := emulated.New(8, 0, faults)
	connect := control.Change{Connect: []control.Cross{{Ingress: 1, Egress: 9}}}
	fmt.Println(s.Change(context.Background(), connect))
	fmt.Println(s.Change(context.Background(), connect))
	up, err := s.State(context.Background())
	fmt.Println(up, err)
	// Output:
	// refused: as asked
	// <nil>
	// map[1:9] <nil>
}
