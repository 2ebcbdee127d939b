package neighbours_test

import (
	"context"
	"fmt"

	"github.com/lightpath-net/lightpath/reproduce/neighbours"
)

// The example shows the values in abstracts beside our values under one convention.
func ExamplePaper() {
	for _, e := range neighbours.Paper().Entries {
		if e.Full {
			continue
		}
		row, err := e.Run(context.Background())
		if err != nil {
			fmt.Println(err)
			return
		}
		if row.Ours == nil {
			fmt.Println(row.ID, row.Verdict)
			continue
		}
		fmt.Printf("%s: %.3g, published %.3g: %s\n", row.ID, *row.Ours, row.Published, row.Verdict)
	}
	// Output:
	// neighbours/spectra/gpt not-checkable
	// neighbours/spectra/moe not-checkable
	// neighbours/spectra/benchmarks not-checkable
	// neighbours/pccl/collectives: 5.32, published 3: matched
	// neighbours/pccl/training not-checkable
	// neighbours/bridge/alltoall: 10.5, published 10: matched
	// neighbours/bridge/alltoall-1ms: 9.09, published 3: matched
	// neighbours/bridge/allreduce-strategies: 1.46, published 1.5: matched
	// neighbours/bridge/allreduce-ring: 6.47, published 6.6: differs
	// neighbours/delta/communication not-checkable
	// neighbours/delta/ports not-checkable
	// neighbours/delta/gap not-checkable
	// neighbours/topoopt/training not-checkable
}
