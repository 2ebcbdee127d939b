package staged

import (
	"context"
	"fmt"
	"math"

	"github.com/lightpath-net/lightpath/planner"
)

// forced is a pool in which every step has one candidate.
type forced struct {
	work  *workload
	pool  []*candidate
	only  func(step int) int // the place of a step's candidate; below 0: it has none
	blame func(error) error  // says why the steps cannot have it
}

func (x *forced) allowed(step, candidate int) bool { return x.only(step) == candidate }

// pass is pass where every step has one candidate: in time linear in the steps.
func (x *forced) pass(ctx context.Context, report func(done, total int), w *workload, pool []*candidate, delay *delays, _ func(step, candidate int) bool) (*schedule, error) {
	s := &schedule{work: w, choice: make([]*candidate, len(w.steps))}
	for i := range w.steps {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		report(i, len(w.steps))
		j := x.only(i)
		cost := math.Inf(1)
		if j >= 0 {
			var err error
			if cost, _, err = w.cost(ctx, pool[j], w.classOf[i]); err != nil {
				return nil, err
			}
		}
		if math.IsInf(cost, 1) {
			return nil, fmt.Errorf("%w: no topology connects the pairs of every step", planner.ErrInfeasible)
		}
		s.choice[i] = pool[j]
		switch {
		case i == 0:
			s.total = delay.first(j).total
		case x.only(i-1) == j:
		default:
			s.total += delay.between(x.only(i-1), j)
		}
		s.total += cost
	}
	return s, nil
}
