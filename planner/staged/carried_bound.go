package staged

import (
	"cmp"
	"context"
	"math"
	"slices"
)

// leastAfter returns, by step and candidate, a lower bound on the time from the end of the
// step on that candidate to the end of all: what it would be if every change waited for no
// other, and were waited for by no step but the first after it. That depends on no state but
// the topology, so one pass from the last step to the first suffices: O(steps*pool^2) moves,
// of which those are left out that cost too much without any wait.
func (x *carrier) leastAfter(ctx context.Context, allowed func(step, candidate int) bool) ([][]float64, error) {
	w, sync := x.work, x.work.sync()
	rest := make([][]float64, len(w.steps))
	rest[len(rest)-1] = make([]float64, len(x.pool))
	cost, after, order := make([]float64, len(x.pool)), make([]float64, len(x.pool)), make([]int, len(x.pool))
	for i := len(w.steps) - 1; i > 0; i-- {
		for k, c := range x.pool {
			cost[k], order[k] = math.Inf(1), k
			if allowed(i, k) {
				var err error
				if cost[k], _, err = w.cost(ctx, c, w.classOf[i]); err != nil {
					return nil, err
				}
			}
			after[k] = cost[k] + rest[i][k]
		}
		slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(after[a], after[b]) })
		rest[i-1] = make([]float64, len(x.pool))
		for j := range x.pool {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			least := after[j]
			for _, k := range order {
				if sync+after[k] >= least {
					break // and so are those after it
				}
				wait, _ := x.wait(j, k, w.classOf[i], x.delay.between(j, k)-sync, cost[k])
				least = min(least, sync+wait+after[k])
			}
			rest[i-1][j] = least
		}
	}
	return rest, nil
}
