package staged

import (
	"context"
	"math"
)

// leastAfter returns for every step a lower bound on the time of all steps after it: each on
// the topology that suits it best, without waits. Bounds that know what is up, and so what
// the next change costs, take O(steps*pool^2) and were slower on the whole.
func leastAfter(ctx context.Context, w *workload, pool []*candidate, allowed func(step, candidate int) bool) ([]float64, error) {
	rest := make([]float64, len(w.steps))
	for i := len(w.steps) - 1; i > 0; i-- {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		least := math.Inf(1)
		for j, c := range pool {
			if !allowed(i, j) {
				continue
			}
			cost, _, err := w.cost(ctx, c, w.classOf[i])
			if err != nil {
				return nil, err
			}
			least = min(least, cost)
		}
		rest[i-1] = rest[i] + least
	}
	return rest, nil
}
