package evaluation

import (
	"context"
	"fmt"
	"io"

	"github.com/lightpath-net/lightpath/planner/exchange/strategy"
)

// Mean returns the mean, over the settings of Figure 11 or 12 with up to a number of nodes,
// of the largest part of the best published baseline's time that the paper's rule saves, with
// everything moved in rounds as section 5.1 describes: R/T takes 25 values from 1 to n^2/k,
// and workloads have seed 1.
func Mean(ctx context.Context, figure, nodes int) (float64, error) {
	chosen, err := settingsOf(figure, nodes)
	if err != nil {
		return 0, err
	}
	list, err := measure(ctx, chosen, method{rounds: true, seed: 1, points: points}, io.Discard)
	if err != nil {
		return 0, err
	}
	if len(list) == 0 {
		return 0, fmt.Errorf("figure %d has no settings of up to %d nodes", figure, nodes)
	}
	best, _, _ := mean(list, contest{ours: strategy.Paper, baselines: publishedBaselines}, func(setting) bool { return true })
	return best, nil
}
