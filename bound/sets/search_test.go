package sets

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/lightpath-net/lightpath/internal/samples"
)

// The search finds the least bound of all shapes.
func TestTheSearchEqualsEnumeration(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 23))
	for range samples.Draws(24, 200) {
		nodes, count := 3+r.IntN(12), 1+r.IntN(3)
		c := Costs{Start: float64(1 + r.IntN(1000)), Hop: float64(100 + r.IntN(900)), Whole: math.Exp(12 * r.Float64())}
		loads := NewLoads(nodes)
		got := loads.Least(count, c, math.Inf(1))
		s := search{loads, c, count}
		least := math.Inf(1)
		var visit func(i int, of Shape)
		visit = func(i int, of Shape) {
			if i == count {
				time := s.time(&of)
				if count == 1 {
					time = max(time, s.ring(&of))
				}
				least = min(least, time)
				return
			}
			at := &of.Stages[i]
			for at.Steps = 1; at.Steps <= 2*nodes && (at.Steps == 1 || !of.inner(i)); at.Steps++ {
				for at.Spare = 0; at.Spare <= at.Steps*(nodes-2) || of.inner(i); at.Spare++ {
					if c.latency(&of)+c.Whole*loads.fewest() >= least {
						break
					}
					visit(i+1, of)
				}
				at.Spare = 0
			}
		}
		first := Shape{Count: count}
		for i := range count {
			first.Stages[i] = Stage{1, 0}
		}
		visit(0, first)
		if math.Abs(got/least-1) > 1e-6 {
			t.Errorf("%d GPUs, %d stages, %+v: %v, of all shapes %v", nodes, count, c, got, least)
		}
		if limit := least * 0.9; loads.Least(count, c, limit) < limit*(1-1e-6) {
			t.Errorf("%d GPUs, %d stages, %+v: the limit %v is not reached", nodes, count, c, limit)
		}
	}
}
