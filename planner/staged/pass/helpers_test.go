package pass

import (
	"context"

	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/staged/pool"
	"github.com/lightpath-net/lightpath/planner/staged/pricing"
)

// tailoredPool returns harvest's pool with tailored topologies.
func tailoredPool(ctx context.Context, r *planner.Request, w *pricing.Workload) (*pool.Pool, error) {
	p, err := pool.Harvest(context.Background(), r, w)
	if err != nil {
		return nil, err
	}
	return p, p.AddTailored(ctx, w)
}

// changesOf counts the steps of a schedule whose circuits differ from those before.
func changesOf(s *Schedule) int {
	count := 0
	for i := 1; i < len(s.Choice); i++ {
		if !s.Choice[i].Same(s.Choice[i-1]) {
			count++
		}
	}
	return count
}
