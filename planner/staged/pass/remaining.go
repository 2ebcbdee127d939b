package pass

import (
	"context"
	"math"
)

// lookBack calls leastLeft once, if that is useful.
func (p *prune) lookBack(ctx context.Context, q *Problem) error {
	if p.back || p.rest == nil {
		return nil
	}
	p.back = true
	left, err := p.leastLeft(ctx, q)
	if left != nil {
		p.left = left
	}
	return err
}

// mostLeft is the number of classes times candidates up to which leastLeft computes bounds.
const mostLeft = 1 << 22

// leastLeft returns, for every step and for the end, a lower bound in ns on the time of the step
// and all steps after it, on the circuits of q.Pool and with the changes between them. It is a
// pass from the last step back over the lower bounds of steps on candidates (leastOnEach). These
// are refined only until they show that no schedule is within the limit. leastLeft returns nil if
// the pool has circuits other than rings and circuits with one successor per node; for those,
// nothing better than LeastFrom is known.
//
// With one port, the steps of a tree take hundreds of hops on nearly all rings, or a change each.
// With that still ahead no schedule is within the limit, and the pass knows it before it sums up
// the bytes on any ring.
func (p *prune) leastLeft(ctx context.Context, q *Problem) ([]float64, error) {
	if q.delay.pair != nil || q.Work.Circuits != nil || len(q.Work.Classes)*len(q.Pool) > mostLeft {
		return nil, nil
	}
	for _, c := range q.Pool {
		if c.Jump.Count == 0 && c.Next == nil {
			return nil, nil
		}
	}
	least := make([][]float64, len(q.Work.Classes)) // by class and candidate
	// after[j] bounds the time of the steps after this one, if this one is on candidate j.
	after := make([]float64, len(q.Pool))
	left := make([]float64, len(q.Work.Steps)+1)
	for i := len(q.Work.Steps) - 1; i >= 0; i-- {
		class := q.Work.ClassOf[i]
		if least[class] == nil {
			var err error
			if least[class], err = p.leastOnEach(ctx, q, class); err != nil {
				return nil, err
			}
		}
		changed := q.delay.uniform + left[i+1]
		left[i] = math.Inf(1)
		for j := range q.Pool {
			if i+1 < len(q.Work.Steps) {
				after[j] = min(after[j], changed)
			}
			if after[j] += least[class][j]; !q.allows(i, j) {
				after[j] = math.Inf(1)
			}
			left[i] = min(left[i], after[j])
		}
	}
	return left, nil
}

// leastOnEach returns a lower bound on a step of a class for every candidate.
func (p *prune) leastOnEach(ctx context.Context, q *Problem, class int) ([]float64, error) {
	within := p.limit - (p.rest[0] - q.Work.LeastOf(class))
	all := make([]float64, len(q.Pool))
	for j, c := range q.Pool {
		if j%256 == 255 {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
		}
		if c.Jump.Count > 0 && q.Work.Classes[class].Offsets == nil {
			all[j] = q.Work.LeastOn(c, class, within)
			continue
		}
		var err error
		if all[j], _, err = q.Work.Cost(ctx, c, class); err != nil {
			return nil, err
		}
	}
	return all, nil
}
