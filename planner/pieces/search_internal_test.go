package pieces

import (
	"context"
	"math"
	"testing"

	"github.com/lightpath-net/lightpath/units"
)

// Where every second number is better than those next to it, the search still ends soon, and near
// the best.
func TestAJaggedCurveIsNotFollowedNumberByNumber(t *testing.T) {
	time := func(pieces int) float64 {
		p := float64(pieces)
		return 1e11 + 3000*p + 1e11/p + 2e4*float64(pieces/2%2)
	}
	asked, best := 0, math.Inf(1)
	s := &search{
		least: 2, most: 1 << 19, turns: 2, sketched: true,
		bounds: func(pieces int) (bound, rising float64) {
			rising = 1000 * float64(pieces)
			return 1e11 + rising, rising
		},
		ask: func(_ context.Context, pieces int, _ float64) (units.Time, error) {
			asked++
			return units.Time(time(pieces)), nil
		},
	}
	if err := s.run(t.Context()); err != nil {
		t.Fatal(err)
	}
	for p := s.least; p <= 1<<16; p++ {
		best = min(best, time(p))
	}
	if asked > 2*manyAsked || s.time > best*(1+1e-6) {
		t.Errorf("%d numbers were asked for, for a time of %v; the best is %v", asked, s.time, best)
	}
}
