package pass

import (
	"context"
	"math"

	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/staged/pricing"
)

// Forced is a pool in which every step has one candidate.
type Forced struct {
	Work  *pricing.Workload
	Pool  []*pricing.Candidate
	Only  func(step int) int // the index of a step's candidate; below 0: none
	Blame func(error) error  // explains why a step cannot use its candidate
}

// Search routes every step over its candidate.
func (x *Forced) Search(ctx context.Context, r *planner.Request) (*Schedule, error) {
	return searchBy(ctx, r, x.problem(), x.pass)
}

// Estimate returns the schedule with the times known without routes. Its time is a lower bound.
func (x *Forced) Estimate(ctx context.Context) (*Schedule, error) {
	q := x.problem()
	delay, err := newDelays(ctx, x.Work, x.Pool)
	if err != nil {
		return nil, err
	}
	q.delay = delay
	return x.pass(ctx, func(int, int) {}, &q)
}

func (x *Forced) problem() Problem {
	only := func(step, candidate int) bool { return x.Only(step) == candidate }
	return Problem{Work: x.Work, Pool: x.Pool, Allowed: only}
}

// pass takes the one candidate of every step, in time linear in the steps.
func (x *Forced) pass(ctx context.Context, report func(done, total int), q *Problem) (*Schedule, error) {
	s := &Schedule{Work: q.Work, Choice: make([]*pricing.Candidate, len(q.Work.Steps))}
	for i := range q.Work.Steps {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		report(i, len(q.Work.Steps))
		j := x.Only(i)
		cost := math.Inf(1)
		if j >= 0 {
			var err error
			if cost, _, err = q.Work.Cost(ctx, q.Pool[j], q.Work.ClassOf[i]); err != nil {
				return nil, err
			}
		}
		if math.IsInf(cost, 1) {
			return nil, errUnconnected
		}
		s.Choice[i] = q.Pool[j]
		switch {
		case i == 0:
			s.Total = q.delay.first(j).Total
		case x.Only(i-1) == j:
			s.Total = q.delay.stay(pricing.State{Total: s.Total}, j).Total
		default:
			s.Total += q.delay.between(x.Only(i-1), j)
		}
		s.Total += cost
	}
	return s, nil
}
