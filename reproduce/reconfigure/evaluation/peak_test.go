package evaluation

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/lightpath-net/lightpath/planner/exchange/strategy"
)

// No ratio of R and T has a larger saving than the peak, and the peak is the saving at its own
// ratio.
func TestPeakIsTheLargestSavingAtAnyRatio(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	curve := func() []strategy.Point {
		points := []strategy.Point{{Stages: 1, Slots: 400 + random.IntN(100)}}
		for range 1 + random.IntN(8) {
			points = append(points, strategy.Point{Stages: 1 + random.IntN(20), Slots: 1 + random.IntN(400)})
		}
		return points
	}
	for range 200 {
		c := curves{"ours": curve(), "a": curve(), "b": curve()}
		k := contest{ours: "ours", baselines: []string{"a", "b"}}
		saved, at := k.peak(c)
		if saved < 0 {
			continue // slower at any ratio: the largest is where both tend to
		}
		if got := k.reduction(c, at); got != saved {
			t.Fatalf("%v at %v, which saves %v", saved, at, got)
		}
		for i := range 500 {
			ratio := math.Pow(10, -2+6*float64(i)/499)
			if now := k.reduction(c, ratio); now > saved+1e-12 {
				t.Fatalf("%v saves %v, the peak %v is at %v", ratio, now, saved, at)
			}
		}
	}
}
