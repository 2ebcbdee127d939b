package verify

import (
	"context"
	"github.com/lightpath-net/lightpath/plan"
)

// DataErrors returns the result of running a plan on data, with at most the given number of
// events at once.
func DataErrors(p *plan.Plan, most int) [3]error {
	r, err := runData(context.Background(), p, most)
	if err != nil {
		panic(err)
	}
	return [3]error{r.missing, r.counted, r.result}
}
