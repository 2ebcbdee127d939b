package exchange

import (
	"math"
	"testing"

	"github.com/lightpath-net/lightpath/planner/exchange/strategy"
)

// No routes between the ends of the transfers of ways take less than the bound, not even the best
// ones, which package flow finds by linear programs.
func TestNoRoutesBeatTheBoundOfWays(t *testing.T) {
	bounded, tight := 0, 0
	for _, s := range []setting{
		{nodes: 8, ports: 1, size: 1 << 20}, {nodes: 9, ports: 2, size: 1 << 22}, {nodes: 12, ports: 3, size: 1 << 18},
		{nodes: 12, ports: 4, size: 1 << 20, set: map[string]string{"duplex": "true"}}, {nodes: 10, ports: 2, size: 1 << 24},
	} {
		r := s.request(t)
		task, p, _ := fluid(t, &r)
		err := strategy.Search(t.Context(), p, func(int, int) bool { return true }, func(c *strategy.Candidate) error {
			route, err := c.Route(t.Context())
			if err != nil || route.Ways == nil || repeats(route) {
				return err
			}
			least := task.leastAlong(route.Ways)
			if least == 0 {
				return nil
			}
			made, err := task.whole(t.Context(), route, c.Strategy)
			if err != nil {
				return err
			}
			if err := made.Price(); err != nil {
				return err
			}
			before := made.Cost.Total()
			if made, err = task.routedAgain(t.Context(), made, 0); err != nil {
				return err
			}
			bounded++
			if took := min(before, made.Cost.Total()); least > took {
				t.Errorf("%v, %s with %d stages: at least %v, but %v", s, c.Strategy, c.Stages, least, took)
			} else if math.Abs(float64(took-least)) < 1e-9*float64(took) {
				tight++
			}
			return nil
		})
		if err != nil {
			t.Fatalf("%v: %v", s, err)
		}
	}
	if bounded == 0 || tight == 0 {
		t.Errorf("%d bounds, %d tight", bounded, tight)
	}
}
