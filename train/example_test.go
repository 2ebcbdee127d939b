package train_test

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/lightpath-net/lightpath/train"
	"github.com/lightpath-net/lightpath/units"
)

// There are three layers. An allreduce takes 8 steps of 10 us and sends nearly twice the size
// over 100 Gbps. The large layer is ready first, and the two others wait for it.
func ExampleSimulate() {
	trace, err := train.ReadTrace(strings.NewReader(`# a small model
name,bytes,forward_ns,backward_ns
embedding,4000000,50000,100000
hidden,1000000,200000,400000
output,8000000,200000,400000
`))
	if err != nil {
		fmt.Println(err)
		return
	}
	cost := train.AlphaBeta{
		Alpha: 10 * units.Microsecond, NodeBandwidth: 100 * units.Gbps,
		AllReduce: train.Schedule{Steps: 8, Bandwidth: 15. / 8},
	}
	r, err := train.Simulate(context.Background(), trace, cost.Cost(), train.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, c := range r.Collectives {
		fmt.Printf("%s to %s: %v to %v\n", c.First, c.Last, c.StartNs, c.EndNs)
	}
	fmt.Printf("minibatch %v, exposed %v of %v\n", r.MinibatchNs, r.ExposedNs, r.CommunicationNs)
	// Output:
	// output to output: 850.0us to 2.130ms
	// hidden to embedding: 2.130ms to 2.960ms
	// minibatch 2.960ms, exposed 1.610ms of 2.110ms
}

// A trace made in Go is written as a file for --trace.
func ExampleWriteTrace() {
	trace := &train.Trace{About: []string{"two layers"}, Layers: []train.Layer{
		{Name: "embedding", Bytes: 4 * units.MB, Forward: 50 * units.Microsecond, Backward: 100 * units.Microsecond},
		{Name: "experts", Bytes: 8 * units.MB, Forward: 200 * units.Microsecond, Backward: 400 * units.Microsecond, Exchange: units.MB},
	}}
	if err := train.WriteTrace(os.Stdout, trace); err != nil {
		fmt.Println(err)
	}
	// Output:
	// # two layers
	// name,bytes,forward_ns,backward_ns,alltoall_bytes
	// embedding,4000000,50000,100000,0
	// experts,8000000,200000,400000,1000000
}
