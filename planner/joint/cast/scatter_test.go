package cast

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/lightpath-net/lightpath/planner/joint/network"
	"github.com/lightpath-net/lightpath/topology"
)

// Dealing out over a network loads the links as the listed paths do; for a one-way ring that is a
// closed form.
func TestDealtIsWhatTheWaysLoad(t *testing.T) {
	for points := 2; points <= 40; points++ {
		for width := 1; width <= 3; width++ {
			for _, twoWay := range []bool{false, true} {
				jumps := slices.Repeat([]int{1}, width)
				if twoWay && points > 2 {
					jumps = append(jumps, slices.Repeat([]int{points - 1}, width)...)
				}
				n := network.New(topology.DirectedCirculant(points, jumps...), topology.Rotations(points, 1))
				load := map[[2]int32]float64{}
				want := network.Tally{Pair: 1}
				seen := map[int32]bool{0: true}
				deal(n, func(path []int32) {
					if to := path[len(path)-1]; path[0] != 0 || seen[to] {
						t.Fatalf("%s: %v", n.Graph.Name(), path)
					} else {
						seen[to] = true
					}
					delay := 0.0
					for h := 1; h < len(path); h++ {
						w := float64(n.Graph.Count(int(path[h-1]), int(path[h])))
						load[[2]int32{path[h-1], path[h]}] += 1 / w
						want.Peak = max(want.Peak, load[[2]int32{path[h-1], path[h]}])
						delay += 1 / w
					}
					want.Hops, want.Dilation = max(want.Hops, len(path)-1), max(want.Dilation, delay)
				})
				got := dealt(n)
				near := func(a, b float64) bool { return math.Abs(a-b) <= 1e-9*b }
				if len(seen) != points || got.Hops != want.Hops || got.Pair != want.Pair || !near(got.Peak, want.Peak) || !near(got.Dilation, want.Dilation) {
					t.Error(fmt.Sprintf("%s: %+v, want %+v", n.Graph.Name(), got, want), len(seen))
				}
			}
		}
	}
}
