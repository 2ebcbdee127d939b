package bills_test

import (
	"context"
	"fmt"

	"github.com/lightpath-net/lightpath/reproduce/bills"
)

// Published ratios are computed from line items.
func ExamplePaper() {
	for _, e := range bills.Paper().Entries {
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
	// bills/opus/cost: 4.97, published 4: matched
	// bills/opus/power: 7.45, published 23: differs
	// bills/railx/injection: 4.65, published 10: matched
	// bills/mixnet/100Gbps: 1.19, published 1.35: differs
	// bills/mixnet/400Gbps: 1.92, published 2.1: matched
	// bills/tpu-v4/power: 5.28, published 3: differs
	// bills/tpu-v4/cost not-checkable
}
