package pass

import (
	"context"
	"math"
)

// lookBack finds what is left after every step, once, where that is of use.
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

// mostLeft is the number of classes times candidates up to which what is left is found.
const mostLeft = 1 << 22

// leastLeft returns, for every step and for the end, what the step and all after it take at
// least on the circuits of a q.Pool, with the changes between them, in ns: a pass from the last
// step back, with what a step takes at least on a candidate (leastOn), which looks no further
// than to where no schedule is within the limit. It is nil where steps may have other circuits
// than rings and circuits of one successor, of which no more is known than leastFrom says.
//
// With one port the steps of a tree take hundreds of hops on nearly all rings, or a change
// each: with that ahead no schedule is within the limit, which is known before the bytes on
// any ring are summed up.
func (p *prune) leastLeft(ctx context.Context, q *Problem) ([]float64, error) {
	if q.delay.pair != nil || q.Work.Circuits != nil || len(q.Work.Classes)*len(q.Pool) > mostLeft {
		return nil, nil
	}
	for _, c := range q.Pool {
		if c.Jump.Count == 0 && c.Next == nil {
			return nil, nil
		}
	}
	least := make([][]float64, len(q.Work.Classes)) // by class, of every candidate
	// after is the time of the steps after this one, if it is on a candidate.
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

// leastOnEach is what a step of a class takes at least on every candidate.
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
