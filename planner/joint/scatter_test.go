package joint

import (
	"fmt"
	"math"
	"testing"
)

// What is dealt out over a network takes what the ways that are shown put on its links; on a
// one-way ring that has a closed form.
func TestDealtIsWhatTheWaysLoad(t *testing.T) {
	for points := 2; points <= 40; points++ {
		for width := 1; width <= 3; width++ {
			for _, twoWay := range []bool{false, true} {
				n := ring(points, width, twoWay)
				load := map[[2]int32]float64{}
				want := tally{pair: 1}
				seen := map[int32]bool{0: true}
				deal(n, func(path []int32) {
					if to := path[len(path)-1]; path[0] != 0 || seen[to] {
						t.Fatalf("%s: %v", n.graph.Name(), path)
					} else {
						seen[to] = true
					}
					delay := 0.0
					for h := 1; h < len(path); h++ {
						w := n.width[n.class(path[h-1], path[h])]
						load[[2]int32{path[h-1], path[h]}] += 1 / w
						want.peak = max(want.peak, load[[2]int32{path[h-1], path[h]}])
						delay += 1 / w
					}
					want.hops, want.dilation = max(want.hops, len(path)-1), max(want.dilation, delay)
				})
				got := dealt(n)
				near := func(a, b float64) bool { return math.Abs(a-b) <= 1e-9*b }
				if len(seen) != points || got.hops != want.hops || got.pair != want.pair || !near(got.peak, want.peak) || !near(got.dilation, want.dilation) {
					t.Error(fmt.Sprintf("%s: %+v, want %+v", n.graph.Name(), got, want), len(seen))
				}
			}
		}
	}
}
