package evaluation

import (
	"math"

	"github.com/lightpath-net/lightpath/internal/each"
	"github.com/lightpath-net/lightpath/planner/exchange/strategy"
)

// contest is a strategy and its baselines.
type contest struct {
	name      string
	ours      string
	baselines []string
}

// allBaselines are the baselines that the kernel has. The division into matchings knows R, and
// matchings of consecutive shifts count as well: both are stronger than the baselines of the
// paper.
var allBaselines = []string{strategy.Birkhoff, strategy.MixNet, strategy.Static, strategy.Rings, strategy.Direct}

// publishedBaselines are the baselines of section 5.1: FAST, MixNet, DirectConnect, TopoOpt.
var publishedBaselines = []string{blind, strategy.MixNet, strategy.Static, strategy.Rings}

// contests are the comparisons. The first is that of the table.
var contests = []contest{
	{"auto, all baselines", strategy.Auto, allBaselines},
	{"auto, the paper's baselines", strategy.Auto, publishedBaselines},
	{"paper's rule, all baselines", strategy.Paper, allBaselines},
	{"paper's rule, the paper's baselines", strategy.Paper, publishedBaselines},
}

// outcome is the result of a comparison over a sweep of R.
type outcome struct {
	best float64 // largest reduction
	at   float64 // ratio of R and T with the largest reduction, the first of equals
	mean float64 // reduction, over the sweep
}

// reduction returns the part of the time of the best baseline that is saved. It is negative if
// the baseline is faster.
func (t contest) reduction(c curves, ratio float64) float64 {
	return 1 - c.least(ratio, t.ours).time/c.least(ratio, t.baselines...).time
}

// over compares over a sweep, which must not be empty.
func (t contest) over(c curves, sweep []float64) outcome {
	o := outcome{best: math.Inf(-1)}
	for _, ratio := range sweep {
		saved := t.reduction(c, ratio)
		if saved > o.best {
			o.best, o.at = saved, ratio
		}
		o.mean += saved / float64(len(sweep))
	}
	return o
}

// measured is a setting with its curves.
type measured struct {
	setting
	curves
	sweep []float64
}

// logarithmic returns points from 1 to a number, evenly spaced on a logarithmic scale.
func logarithmic(most float64, points int) []float64 {
	return each.Below(points, func(i int) float64 {
		return math.Pow(most, float64(i)/float64(max(1, points-1)))
	})
}
