package exploring_test

import (
	"context"
	"fmt"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/command/exploring"
)

func ExampleMakeSchedule() {
	for _, op := range []collective.Op{collective.AllGather, collective.AllReduce} {
		s, err := exploring.MakeSchedule(context.Background(), exploring.ScheduleRequest{Topology: "C(12;2,3)", Op: op})
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(op, s.Steps, s.Bandwidth)
	}
	// Output:
	// allgather 2 11/12
	// allreduce 4 11/6
}
