package plan

import "context"

// DataErrors is what running a plan on data shows, with at most so many events at once.
func DataErrors(p *Plan, most int) [3]error {
	r, err := p.runData(context.Background(), most)
	if err != nil {
		panic(err)
	}
	return [3]error{r.missing, r.counted, r.result}
}
