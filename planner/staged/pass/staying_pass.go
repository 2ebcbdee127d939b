package pass

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/lightpath-net/lightpath/planner/staged/pricing"
)

// stays reports whether no schedule within the limit changes circuits, because a single change
// and the lower bounds of all steps together exceed it.
func (p *prune) stays(delay *delays) bool {
	return p.rest != nil && delay.pair == nil && delay.uniform+p.rest[0] > p.limit
}

// stayed returns the states after the last step if circuits never change: the time of all steps
// on each candidate. It tries candidates in the order of their bounds and abandons one as soon as
// it takes longer than another or exceeds the limit; such a candidate has no state. At 4096 GPUs
// a pool has 4096 rings, and on nearly all of them the first steps of a tree take longer than all
// steps on the best ring. If the hops that the steps need on any circuits already exceed the
// limit, no candidate is tried.
func (p *prune) stayed(ctx context.Context, report func(done, total int), q *Problem) ([]pricing.State, error) {
	type entry struct {
		at    int
		least float64
	}
	after := make([]pricing.State, len(q.Pool))
	for j := range after {
		after[j].Total = math.Inf(1)
	}
	if least := q.Work.LeastStaying(p.rest[0]); least > p.limit {
		p.least = min(p.least, least, p.rest[0]+q.delay.uniform)
		return after, nil
	}
	var order []entry
	for j, c := range q.Pool {
		if j%256 == 255 {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
		}
		if !q.allows(0, j) {
			continue
		}
		first := q.delay.first(j).Total
		least := first + p.rest[0]
		if least <= p.limit {
			least = p.whole(q.Work, c, first)
		}
		if least > p.limit {
			p.least = min(p.least, least)
			continue
		}
		order = append(order, entry{j, least})
	}
	slices.SortStableFunc(order, func(a, b entry) int { return cmp.Compare(a.least, b.least) })
	best := math.Inf(1)
	for k, e := range order {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		report(k*len(q.Work.Steps)/len(order), len(q.Work.Steps))
		now := q.delay.first(e.at)
		for i := range q.Work.Steps {
			if !q.allows(i, e.at) || now.Total+p.rest[i] > best*(1+LimitTolerance) || p.out(q.Work, q.Pool[e.at], i, now.Total) {
				now.Total = math.Inf(1)
				break
			}
			if i > 0 {
				now = q.delay.stay(now, e.at)
			}
			cost, _, err := q.Work.Cost(ctx, q.Pool[e.at], q.Work.ClassOf[i])
			if err != nil {
				return nil, err
			}
			if now.Total += cost; math.IsInf(cost, 1) {
				break
			}
		}
		after[e.at] = now
		best = min(best, now.Total)
	}
	return after, nil
}
