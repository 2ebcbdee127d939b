package subring_test

import (
	"fmt"

	"github.com/lightpath-net/lightpath/planner/staged/subring"
	"github.com/lightpath-net/lightpath/units"
)

// ReTri on 81 GPUs, four phases of a third of the bytes each way, in the system of its authors
// (§4) with 1 MiB per GPU and a switch that reconfigures in 50 us.
func ExampleModel() {
	s, err := subring.New(3, 4, 1./3)
	if err != nil {
		fmt.Println(err)
		return
	}
	timing := subring.Timing{
		Alpha:     1700 * units.Nanosecond,
		Delta:     units.Microsecond,
		Reconfig:  50 * units.Microsecond,
		Bandwidth: 400 * units.Gbps,
	}
	for changes, cost := range s.Costs(timing, units.MiB) {
		fmt.Printf("%d changes: %v\n", changes, cost)
	}
	changes, _ := s.Search(timing, units.MiB)
	segments, err := s.Segments(changes)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, segment := range segments {
		fmt.Printf("phases %d to %d on C(81;%d)\n", segment.First+1, segment.Last+1, segment.Jump)
	}
	// Output:
	// 0 changes: 326.4us
	// 1 changes: 120.7us
	// 2 changes: 154.7us
	// 3 changes: 188.8us
	// phases 1 to 2 on C(81;1)
	// phases 3 to 4 on C(81;9)
}
