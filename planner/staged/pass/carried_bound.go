package pass

import (
	"context"
	"math"
)

// leastAfter returns, for every step, a lower bound on the time of all steps after it: each on
// the topology that suits it best, without waits. Bounds that also track which topology is up,
// and so what the next change costs, take O(steps*pool^2) and were slower overall.
func leastAfter(ctx context.Context, q *Problem) ([]float64, error) {
	rest := make([]float64, len(q.Work.Steps))
	for i := len(q.Work.Steps) - 1; i > 0; i-- {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		least := math.Inf(1)
		for j, c := range q.Pool {
			if !q.allows(i, j) {
				continue
			}
			cost, _, err := q.Work.Cost(ctx, c, q.Work.ClassOf[i])
			if err != nil {
				return nil, err
			}
			least = min(least, cost)
		}
		rest[i-1] = rest[i] + least
	}
	return rest, nil
}
