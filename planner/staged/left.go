package staged

import (
	"context"
	"math"
)

// lookBack finds what is left after every step, once, where that is of use.
func (p *prune) lookBack(ctx context.Context, w *workload, pool []*candidate, delay *delays, allowed func(step, candidate int) bool) error {
	if p.back || p.rest == nil {
		return nil
	}
	p.back = true
	left, err := p.leastLeft(ctx, w, pool, delay, allowed)
	if left != nil {
		p.left = left
	}
	return err
}

// mostLeft is the number of classes times candidates up to which what is left is found.
const mostLeft = 1 << 22

// leastLeft returns, for every step and for the end, what the step and all after it take at
// least on the circuits of a pool, with the changes between them, in ns: a pass from the last
// step back, with what a step takes at least on a candidate (leastOn), which looks no further
// than to where no schedule is within the limit. It is nil where steps may have other circuits
// than rings and circuits of one successor, of which no more is known than leastFrom says.
//
// With one port the steps of a tree take hundreds of hops on nearly all rings, or a change
// each: with that ahead no schedule is within the limit, which is known before the bytes on
// any ring are summed up.
func (p *prune) leastLeft(ctx context.Context, w *workload, pool []*candidate, delay *delays, allowed func(step, candidate int) bool) ([]float64, error) {
	if delay.pair != nil || w.circuits != nil || len(w.classes)*len(pool) > mostLeft {
		return nil, nil
	}
	for _, c := range pool {
		if c.jump.count == 0 && c.next == nil {
			return nil, nil
		}
	}
	least := make([][]float64, len(w.classes)) // by class, of every candidate
	after := make([]float64, len(pool))        // of the steps after, if this one is on a candidate
	left := make([]float64, len(w.steps)+1)
	for i := len(w.steps) - 1; i >= 0; i-- {
		class := w.classOf[i]
		if least[class] == nil {
			var err error
			if least[class], err = p.leastOnEach(ctx, w, pool, class); err != nil {
				return nil, err
			}
		}
		changed := delay.uniform + left[i+1]
		left[i] = math.Inf(1)
		for j := range pool {
			if i+1 < len(w.steps) {
				after[j] = min(after[j], changed)
			}
			if after[j] += least[class][j]; !allowed(i, j) {
				after[j] = math.Inf(1)
			}
			left[i] = min(left[i], after[j])
		}
	}
	return left, nil
}

// leastOnEach is what a step of a class takes at least on every candidate.
func (p *prune) leastOnEach(ctx context.Context, w *workload, pool []*candidate, class int) ([]float64, error) {
	within := p.limit - (p.rest[0] - w.leastOf(class))
	all := make([]float64, len(pool))
	for j, c := range pool {
		if j%256 == 255 {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
		}
		if c.jump.count > 0 && w.classes[class].offsets == nil {
			all[j] = w.leastOn(c, class, within)
			continue
		}
		var err error
		if all[j], _, err = w.cost(ctx, c, class); err != nil {
			return nil, err
		}
	}
	return all, nil
}
