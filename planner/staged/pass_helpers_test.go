package staged

import (
	"context"

	"github.com/lightpath-net/lightpath/planner"
)

// tailoredPool is harvest's pool with topologies that were looked for.
func tailoredPool(ctx context.Context, r *planner.Request, w *workload) (*pool, error) {
	p, err := harvestPool(r, w)
	if err != nil {
		return nil, err
	}
	return p, p.addTailored(ctx, w)
}

// changesOf counts the steps of a schedule whose circuits differ from those before.
func changesOf(s *schedule) int {
	count := 0
	for i := 1; i < len(s.choice); i++ {
		if !s.choice[i].same(s.choice[i-1]) {
			count++
		}
	}
	return count
}
