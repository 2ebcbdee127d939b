package auto_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/lightpath-net/lightpath/planner/auto"
	"github.com/lightpath-net/lightpath/units"
)

type bounded struct {
	auto.Bounds
	index int
}

func boundsOf(b bounded) auto.Bounds { return b.Bounds }

// Ways are tried by their lower bounds, after the one with the least upper bound.
func TestOrderOfWays(t *testing.T) {
	rng := rand.New(rand.NewPCG(28, 4))
	moved := 0
	for range 2000 {
		ways := make([]bounded, 1+rng.IntN(6))
		for i := range ways {
			b := auto.Bounds{Least: units.Time(rng.IntN(4)), Most: units.Time(math.Inf(1)), Lost: rng.IntN(5) == 0}
			if rng.IntN(2) == 0 {
				b.Most = b.Least + units.Time(rng.IntN(4))
			}
			ways[i] = bounded{b, i}
		}
		asked := slices.Clone(ways)
		sure := auto.Order(ways, boundsOf)
		rest := ways
		if sure {
			moved++
			first := ways[0]
			rest = ways[1:]
			for _, w := range asked {
				if w.Most < first.Most || w.Most == first.Most && w.index < first.index {
					t.Fatalf("%+v: %+v takes less for sure than %+v", asked, w, first)
				}
			}
			if first.Lost || rest[0].Least > first.Least || math.IsInf(float64(first.Most), 1) {
				t.Fatalf("%+v: %+v is first for no reason", asked, first)
			}
		}
		for i, w := range rest[min(1, len(rest)):] {
			if before := rest[i]; before.Least > w.Least || before.Least == w.Least && before.index > w.index {
				t.Fatalf("%+v: %+v comes before %+v", asked, before, w)
			}
		}
		slices.SortFunc(ways, func(a, b bounded) int { return a.index - b.index })
		if !slices.Equal(ways, asked) {
			t.Fatalf("%+v became %+v", asked, ways)
		}
	}
	if moved < 100 {
		t.Errorf("the safest came first %d times only", moved)
	}
}
