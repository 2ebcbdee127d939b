package matching_test

import (
	"context"
	"fmt"

	"github.com/lightpath-net/lightpath/flow/matching"
)

// The shortest slots change three times. If a change costs as much as 4 bytes, one
// change and a little idle time are better.
func ExampleBestSlots() {
	demand := [][]float64{
		{0, 18, 12},
		{15, 0, 0},
		{6, 7, 0},
	}
	for _, delay := range []float64{0, 4} {
		slots, err := matching.BestSlots(context.Background(), demand, delay)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println("delay", delay, "takes", matching.SlotsTime(slots, delay))
		for _, s := range slots {
			fmt.Println(" ", s.Match, s.Duration, s.Sent)
		}
	}
	// Output:
	// delay 0 takes 30
	//   [1 0 -1] 17 [17 15 0]
	//   [2 -1 1] 7 [7 0 7]
	//   [2 -1 0] 5 [5 0 5]
	//   [1 -1 0] 1 [1 0 1]
	// delay 4 takes 37
	//   [1 -1 0] 18 [18 0 6]
	//   [2 0 1] 15 [12 15 7]
}

func ExampleShortestSlots() {
	slots, err := matching.ShortestSlots(context.Background(), [][]float64{
		{0, 2, 2},
		{4, 0, 0},
		{0, 1, 0},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, s := range slots {
		fmt.Println(s.Match, s.Duration, s.Sent)
	}
	// Output:
	// [2 0 1] 2 [2 2 1]
	// [1 0 -1] 2 [2 2 0]
}

func ExampleFewestSlots() {
	slots, err := matching.FewestSlots(context.Background(), [][]float64{
		{0, 5, 1},
		{1, 0, 5},
		{4, 2, 0},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, s := range slots {
		fmt.Println(s.Match, s.Duration, s.Sent)
	}
	// Output:
	// [1 2 0] 5 [5 5 4]
	// [2 0 1] 2 [1 1 2]
}
