package chart

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// Every number is counted once, in the range that contains it.
func TestHistogramsCountEveryNumberOnce(t *testing.T) {
	rng := rand.New(rand.NewPCG(18, 5))
	for range 200 {
		values := make([]float64, 1+rng.IntN(400))
		different := 1 + rng.IntN(100)
		for i := range values {
			values[i] = float64(rng.IntN(different)) * 1e5
		}
		slices.Sort(values)
		for how, columns := range map[string][]column{"singles": singles(values), "ranges": ranges(values, 0, 1e5*float64(different))} {
			total := 0.0
			for _, c := range columns {
				inside := 0.0
				for _, v := range values {
					if v >= c.from && (v < c.to || v == c.from) {
						inside++
					}
				}
				if inside != c.count {
					t.Errorf("%s: %v numbers from %v to %v, counted %v", how, inside, c.from, c.to, c.count)
				}
				total += c.count
			}
			if total != float64(len(values)) {
				t.Errorf("%s: %v of %d are counted", how, total, len(values))
			}
		}
	}
}
