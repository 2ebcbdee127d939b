package auto_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/auto"
	"github.com/lightpath-net/lightpath/units"
)

// drawn is a way with random times and bounds, cell by cell.
type drawn struct {
	index               int
	turn                auto.Turn
	times, least, most  []units.Time
	infeasible, bounded bool
	planned             int
}

func (d *drawn) Turn() auto.Turn              { return d.turn }
func (d *drawn) Index() int                   { return d.index }
func (d *drawn) Lighter(than *drawn) bool     { return d.index%3 == 0 && than.index%2 == 0 }
func (d *drawn) LayOut(context.Context) error { return nil }
func (d *drawn) Bounds(c int) (a, b units.Time) {
	if !d.bounded {
		return 0, units.Time(math.Inf(1))
	}
	return d.least[c], d.most[c]
}

func (d *drawn) Bound(_ context.Context, c *auto.Contest) error {
	d.bounded = true
	for i, most := range d.most {
		c.Ceil(i, most)
	}
	return nil
}

func (d *drawn) Plan(_ context.Context, c *auto.Contest) error {
	d.planned++
	if d.infeasible {
		return fmt.Errorf("%w: way %d", planner.ErrInfeasible, d.index)
	}
	for i, time := range d.times {
		if time < c.ToBeat(i, d.index) {
			c.Offer(i, d.index, time)
		}
	}
	return nil
}

// draw returns ways with times that often tie up to rounding, and bounds that are often tight.
func draw(rng *rand.Rand, cells int) []*drawn {
	ways := make([]*drawn, 1+rng.IntN(6))
	first := 1 + rng.IntN(7) // of those that come last
	for i := range ways {
		d := &drawn{index: i, turn: auto.Turn(rng.IntN(5)), infeasible: rng.IntN(6) == 0}
		if i >= first {
			d.turn = auto.Last
		}
		for range cells {
			time := units.Time(100+rng.IntN(4)) * units.Time(1+1e-14*rng.Float64())
			least, most := time-units.Time(rng.IntN(3)), units.Time(math.Inf(1))
			if !d.infeasible && rng.IntN(3) == 0 {
				most = time + units.Time(rng.IntN(3))
			}
			d.times, d.least, d.most = append(d.times, time), append(d.least, least), append(d.most, most)
		}
		ways[i] = d
	}
	return ways
}

// In every cell the least time wins, of equal times that of the first way, in whatever order ways
// are tried and whichever are given up. No way is planned twice.
func TestAContestHasTheWinnersOfTryingEverything(t *testing.T) {
	rng := rand.New(rand.NewPCG(28, 11))
	spared, none := 0, 0
	for range 4000 {
		cells := 1 + rng.IntN(4)
		ways := draw(rng, cells)
		c := auto.NewContest(cells, auto.SameTime, 0)
		known := units.Time(math.Inf(1))
		if rng.IntN(4) == 0 {
			known = units.Time(100 + rng.IntN(4))
			for i := range cells {
				c.Known(i, known)
			}
		}
		if err := auto.Run(t.Context(), c, ways); err != nil {
			t.Fatal(err)
		}
		for i := range cells {
			best, winner := known, -1
			for _, d := range ways {
				if !d.infeasible && d.times[i] < best-0.5 {
					best, winner = d.times[i], d.index
				}
			}
			if math.IsInf(float64(best), 1) {
				none++
				continue
			}
			// A way that loses by more than rounding would be found by its offer.
			if got := c.Limit(i); math.Abs(float64(got-best)) > 0.5 || c.Offer(i, winner, best) {
				t.Fatalf("cell %d of %d ways: %v wins, want %v of way %d", i, len(ways), got, best, winner)
			}
			if winner >= 0 && !c.Offer(i, winner-1, best) {
				t.Fatalf("cell %d: way %d should win, an earlier one does", i, winner)
			}
		}
		for _, d := range ways {
			if d.planned > 1 && c.Reason() == nil {
				t.Fatalf("way %d is planned %d times", d.index, d.planned)
			}
			if d.planned == 0 {
				spared++
			}
		}
	}
	if spared < 1000 || none < 10 {
		t.Errorf("%d ways were given up, and %d cells have no plan", spared, none)
	}
}
