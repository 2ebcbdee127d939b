package lightpath

import (
	"context"

	"github.com/lightpath-net/lightpath/plan"
)

// baselines returns the times of the fastest plan that does not rewire and of the fastest that
// rewires before every step, whatever their algorithms: those that Plan compares with, also
// where only one algorithm is compared, and what the first is the fastest of.
func (r *CompareRequest) baselines(ctx context.Context, e *environment) (b plan.Baselines, among string, err error) {
	extremes, err := r.asked().AnyAlgorithm().Extremes(ctx, nil, &e.search)
	for _, x := range extremes {
		b.Set(x.Role, x.Cost.Total())
		among += x.Among
	}
	return b, among, err
}
