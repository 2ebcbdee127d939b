package frontier_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/frontier"
	"github.com/lightpath-net/lightpath/units"
)

// lines is a way with known plans, whose best it finds by trying each.
func lines(plans []frontier.Point, asked *int) frontier.Way {
	best := func(wait float64) frontier.Point {
		least := plans[0]
		for _, p := range plans[1:] {
			if at(p, wait) < at(least, wait) {
				least = p
			}
		}
		return least
	}
	return frontier.Way{
		Bound: func(wait float64) float64 { return 0.7 * at(best(wait), wait) },
		Closer: func(wait float64) float64 {
			return 0.9 * at(best(wait), wait)
		},
		Best: func(_ context.Context, wait float64, _ units.Time) (frontier.Point, error) {
			*asked++
			return best(wait), nil
		},
	}
}

func at(p frontier.Point, wait float64) float64 {
	return float64(p.CommunicationNs) + float64(p.Reconfigurations)*wait
}

// With ways of random plans, the frontier is the least of all plans for every wait, and ways
// whose bounds have lost are not asked.
func TestOverIsTheLeastOfAllPlans(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	questions, most := 0, 0
	for range 300 {
		var ways []frontier.Way
		var all []frontier.Point
		calls, count := 0, 0
		for range 1 + rng.IntN(6) {
			var plans []frontier.Point
			for range 1 + rng.IntN(8) {
				plans = append(plans, frontier.Point{Reconfigurations: rng.IntN(20), CommunicationNs: units.Time(100 + rng.Float64()*1e4)})
			}
			all = append(all, plans...)
			ways = append(ways, lines(plans, &calls))
		}
		ways = append(ways, frontier.Way{Best: func(context.Context, float64, units.Time) (frontier.Point, error) {
			return frontier.Point{}, fmt.Errorf("%w here", planner.ErrInfeasible)
		}})
		points, err := frontier.Over(t.Context(), ways, 0, func(n int) { count = n + 1 })
		if err != nil {
			t.Fatal(err)
		}
		questions, most = questions+calls, most+count*(len(ways)-1)
		for range 50 {
			wait := math.Exp(rng.Float64() * 15)
			got, want := math.Inf(1), math.Inf(1)
			for _, p := range points {
				if in := float64(p.FromNs) <= wait && (p.ToNs == nil || wait <= float64(*p.ToNs)); in {
					got = min(got, at(p, wait))
				}
			}
			for _, p := range all {
				want = min(want, at(p, wait))
			}
			if math.Abs(got-want) > 1e-9*want {
				t.Fatalf("at %v %v, want %v: %v of %v", wait, got, want, points, all)
			}
		}
	}
	if questions*2 > most {
		t.Errorf("%d of %d ways were asked: the bounds do nothing", questions, most)
	}
}

func TestOverSaysWhyThereIsNoPlan(t *testing.T) {
	none := fmt.Errorf("%w: too dark", planner.ErrInfeasible)
	broken := errors.New("broken")
	fails := func(err error) frontier.Way {
		return frontier.Way{Best: func(context.Context, float64, units.Time) (frontier.Point, error) { return frontier.Point{}, err }}
	}
	if _, err := frontier.Over(t.Context(), []frontier.Way{fails(none), fails(planner.ErrInfeasible)}, 0, nil); err != none {
		t.Errorf("%v", err)
	}
	if _, err := frontier.Over(t.Context(), []frontier.Way{fails(none), fails(broken)}, 0, nil); err != broken {
		t.Errorf("%v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := frontier.Over(ctx, []frontier.Way{fails(none)}, 0, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}
