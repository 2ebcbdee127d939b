package joint

import (
	"math"
	"slices"
)

// maxJumpWork bounds what a search for jumps costs: sets of jumps times points times jumps.
const maxJumpWork = 1 << 17

// bestJumps returns the jumps of the circulants of so many points that are best for a
// message in one step: with the least diameter and then the least mean distance, and with
// the least mean distance. All sets of jumps are looked at, as many as the machine has
// ports, or half of them if they lead both ways. Where there are too many, those with 1:
// every circulant with a jump that has no divisor in common with the points is one of these
// with the points renumbered. None where those are too many.
func (m *machine) bestJumps(points int) [][]int {
	var all [][]int
	for _, twoWay := range []bool{false, true} {
		k, most := m.ports, points-1
		if twoWay {
			k, most = m.ports/2, (points-1)/2
		}
		if !twoWay && m.duplex || twoWay && m.ports%2 == 1 || k < 2 || k > most {
			continue
		}
		sets := 1.0 // with 1
		for i := range k - 1 {
			sets *= float64(most-1-i) / float64(i+1)
		}
		work, last := sets*float64(points*m.ports), 1
		if work > maxJumpWork {
			continue
		}
		if work*float64(most)/float64(k) <= maxJumpWork {
			last = most - (k - 1) // of the first jump
		}
		low, near := best{diameter: points, sum: math.MaxInt}, best{diameter: points, sum: math.MaxInt}
		jumps := make([]int, k)
		var choose func(i int)
		choose = func(i int) {
			if i == k {
				b, connected := measure(points, jumps, twoWay)
				if !connected {
					return
				}
				if b.diameter < low.diameter || b.diameter == low.diameter && b.sum < low.sum {
					low = b
				}
				if b.sum < near.sum {
					near = b
				}
				return
			}
			for jumps[i] = jumps[i-1] + 1; jumps[i] <= most-(k-1-i); jumps[i]++ {
				choose(i + 1)
			}
		}
		for jumps[0] = 1; jumps[0] <= last; jumps[0]++ {
			choose(1)
		}
		all = append(all, low.jumps)
		if !slices.Equal(low.jumps, near.jumps) {
			all = append(all, near.jumps)
		}
	}
	return all
}

// best is the jumps of a circulant, both ways if they lead both, and how far others are.
type best struct {
	jumps         []int
	diameter, sum int
}

// measure finds the distances, and whether all points are connected.
func measure(points int, jumps []int, twoWay bool) (b best, connected bool) {
	b.jumps = slices.Clone(jumps)
	if twoWay {
		for _, j := range jumps {
			b.jumps = append(b.jumps, points-j)
		}
	}
	dist := make([]int, points)
	queue := make([]int, 1, points)
	for i := 0; i < len(queue); i++ {
		v := queue[i]
		b.diameter = max(b.diameter, dist[v])
		b.sum += dist[v]
		for _, j := range b.jumps {
			if w := (v + j) % points; w != 0 && dist[w] == 0 {
				dist[w] = dist[v] + 1
				queue = append(queue, w)
			}
		}
	}
	return b, len(queue) == points
}
