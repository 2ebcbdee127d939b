package online

import (
	"context"
	"math"

	"github.com/lightpath-net/lightpath/units"
)

// Best is what would have been possible had all steps been known.
type Best struct {
	Total  units.Time // of the fastest sequence of states
	States []int      // of each step
	Fixed  units.Time // of the best state for all steps, entered in the first step
	Stays  int        // that state
}

// Hindsight finds the fastest sequence of the given number of states by dynamic programming: it
// asks for steps times states costs, and steps times the square of the states moves.
func Hindsight(ctx context.Context, g Game, states int, progress func(done, total int)) (*Best, error) {
	steps := g.Steps()
	work, fixed := make([]units.Time, states), make([]units.Time, states)
	for s := 1; s < states; s++ {
		work[s] = units.Time(math.Inf(1)) // the first step comes from home
	}
	from := make([][]int, steps)
	for t := range steps {
		if progress != nil {
			progress(t, steps)
		}
		next := make([]units.Time, states)
		from[t] = make([]int, states)
		for to := range next {
			next[to] = units.Time(math.Inf(1))
			for s := range work {
				if math.IsInf(float64(work[s]), 1) {
					continue
				}
				time, err := price(ctx, g, s, to, t)
				if err != nil {
					return nil, err
				}
				if work[s]+time < next[to] {
					next[to], from[t][to] = work[s]+time, s
				}
			}
			before := to
			if t == 0 {
				before = 0
			}
			time, err := price(ctx, g, before, to, t)
			if err != nil {
				return nil, err
			}
			fixed[to] += time
		}
		work = next
	}
	b := &Best{Total: units.Time(math.Inf(1)), Fixed: units.Time(math.Inf(1)), States: make([]int, steps)}
	last := 0
	for s := range work {
		if work[s] < b.Total {
			b.Total, last = work[s], s
		}
		if fixed[s] < b.Fixed {
			b.Fixed, b.Stays = fixed[s], s
		}
	}
	for t := steps - 1; t >= 0; t-- {
		b.States[t] = last
		last = from[t][last]
	}
	return b, nil
}
