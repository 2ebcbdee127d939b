package verify

import (
	"context"
	"github.com/lightpath-net/lightpath/plan"
)

// DataErrors is what running a plan on data shows, with at most so many events at once.
func DataErrors(p *plan.Plan, most int) [3]error {
	r, err := runData(context.Background(), p, most)
	if err != nil {
		panic(err)
	}
	return [3]error{r.missing, r.counted, r.result}
}
