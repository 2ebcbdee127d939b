package exchange

import (
	"slices"

	"github.com/lightpath-net/lightpath/planner/exchange/routing"
	"github.com/lightpath-net/lightpath/units"
)

// leastAlong returns a lower bound on the time of a plan that moves every chunk within each stage
// as ways do, over any routes: a chunk makes at least as many hops in a stage as lie between its
// ends there, and all circuits of the stage share what that loads. All nodes look alike, so one
// search per stage finds the hops. The bound is 0 for flows, and where the time of a stage
// depends on more.
func (t *task) leastAlong(w *routing.Ways) units.Time {
	f := &t.request.Fabric
	if _, uniform := f.UniformWait(); w == nil || !uniform || f.CapTheta {
		return 0
	}
	least := units.Time(len(w.Generators)-1) * f.LeastBarrier()
	sums, longest := leastHops(w)
	for i, sum := range sums {
		bytes := float64(sum) / float64(len(w.Generators[i])) * t.pair
		least += f.Alpha.Time() + units.Time(longest[i])*f.Delta.Time() + f.Bandwidth.Transmit(bytes/float64(t.copies))
	}
	return least * (1 - tie)
}

// leastHops returns, for every stage, the hops that the chunks of a node make at least, and the
// hops of the chunk that goes farthest.
func leastHops(w *routing.Ways) (sums, longest []int) {
	sums, longest = make([]int, len(w.Generators)), make([]int, len(w.Generators))
	next := make([][][]int32, len(w.Generators)) // of each stage and generator
	hops := make([][]int32, len(w.Generators))   // from node 0
	for i, generators := range w.Generators {
		for _, g := range generators {
			to := make([]int32, w.Group.Nodes())
			w.Group.Step(g, to)
			next[i] = append(next[i], to)
		}
		hops[i] = hopsOver(next[i])
	}
	for _, way := range w.Legs {
		for len(way) > 0 {
			stage, end := way[0].Stage, int32(0) // where the stage moves a chunk that is at node 0
			for len(way) > 0 && way[0].Stage == stage {
				for range way[0].Hops {
					end = next[stage][way[0].Port][end]
				}
				way = way[1:]
			}
			sums[stage] += int(hops[stage][end])
			longest[stage] = max(longest[stage], int(hops[stage][end]))
		}
	}
	return sums, longest
}

// hopsOver returns the hops from node 0 to all nodes, -1 to those that are not reached.
func hopsOver(next [][]int32) []int32 {
	hops := slices.Repeat([]int32{-1}, len(next[0]))
	hops[0] = 0
	queue := []int32{0}
	for at := 0; at < len(queue); at++ {
		for _, to := range next {
			if v := to[queue[at]]; hops[v] < 0 {
				hops[v] = hops[queue[at]] + 1
				queue = append(queue, v)
			}
		}
	}
	return hops
}
