package digit

import (
	"math"
	"slices"

	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/joint/network"
	"github.com/lightpath-net/lightpath/topology"
)

// This file has tiles of a window at 1, 2, .. t times an offset, over circuits of several
// multiples of the offset: each tile's multiple is a sum of few of those. With two ports and
// circuits of 1 and 3 times the offset, 4 tiles take two hops. The multiples are an additive
// basis; those that reach farthest in a number of hops are the stamps of the postage stamp
// problem (Rohrbach 1937). The cost of a basis depends only on the tiles and the ports.

// basis is a set of such multiples.
type basis struct {
	jumps []int
	width int // circuits of each jump
	takes network.Tally
	paths [][]int32 // by tile: the multiples on its route, from 0 on
}

// basesKey is what bases depend on.
type basesKey struct {
	tiles, ports   int
	stores, capped bool
}

// maxBasisWork limits the work of a search for bases: sets of jumps times tiles times jumps.
const maxBasisWork = 1 << 13

// bases lists the bases for a number of tiles. For every number of jumps that divides the ports,
// from two on, there is the one with the fewest hops and then the least hops of all tiles
// together, and the one with the least hops of all tiles together. With as many jumps as tiles,
// every tile would have its own circuits.
func (m *Machine) bases(memory *planner.Memory, tiles int) []basis {
	if m.Ports < 2 || tiles < 3 {
		return nil
	}
	return planner.Kept(memory, basesKey{tiles, m.Ports, m.Stores, m.Capped}, func() ([]basis, bool) {
		var all []basis
		for k := 2; k <= min(m.Ports, tiles-1); k++ {
			if m.Ports%k != 0 {
				continue // ports would be left over
			}
			low, near := m.bestBases(tiles, k)
			for i, jumps := range [][]int{low, near} {
				if i == 1 && slices.Equal(low, near) {
					continue
				}
				b := newBasis(tiles, jumps, m.Ports/k)
				if !slices.ContainsFunc(all, func(o basis) bool { return o.takes.Hops <= b.takes.Hops && m.Load(o.takes) <= m.Load(b.takes) }) {
					all = append(all, b)
				}
			}
		}
		return all, true
	})
}

// bestBases tries all sets of k jumps that contain 1. If there are too many, it takes jumps that
// grow by the same factor.
func (m *Machine) bestBases(tiles, k int) (low, near []int) {
	sets := 1.0
	for i := range k - 1 {
		sets *= float64(tiles-1-i) / float64(i+1)
	}
	if sets*float64(tiles*k) > maxBasisWork {
		jumps := geometric(tiles+1, k, tiles)
		return jumps, jumps
	}
	type worth struct{ hops, sum int }
	least, shortest := worth{math.MaxInt, math.MaxInt}, worth{math.MaxInt, math.MaxInt}
	hops := make([]int, tiles+1)
	jumps := make([]int, k)
	jumps[0] = 1
	var choose func(i int)
	choose = func(i int) {
		if i == k {
			w := worth{sum: stamps(hops, jumps), hops: slices.Max(hops)}
			if w.hops < least.hops || w.hops == least.hops && w.sum < least.sum {
				least, low = w, slices.Clone(jumps)
			}
			if w.sum < shortest.sum || w.sum == shortest.sum && w.hops < shortest.hops {
				shortest, near = w, slices.Clone(jumps)
			}
			return
		}
		for jumps[i] = jumps[i-1] + 1; jumps[i] <= tiles-(k-1-i); jumps[i]++ {
			choose(i + 1)
		}
	}
	choose(1)
	return low, near
}

// stamps finds the fewest jumps that add up to each of 1, 2, .. and returns the sum of these
// numbers.
func stamps(hops, jumps []int) (sum int) {
	for v := 1; v < len(hops); v++ {
		hops[v] = v
		for _, j := range jumps {
			if j <= v {
				hops[v] = min(hops[v], hops[v-j]+1)
			}
		}
		sum += hops[v]
	}
	return sum
}

// newBasis finds routes of the tiles that even out the load of the jumps.
func newBasis(tiles int, jumps []int, width int) basis {
	hops := make([]int, tiles+1)
	stamps(hops, jumps)
	most := slices.Max(hops)
	mult := slices.Repeat([]int{width}, len(jumps))
	only := make([]int, tiles)
	for k := range only {
		only[k] = k + 1
	}
	// So many points that no route of that many hops goes round.
	points := most*slices.Max(jumps) + tiles + 1
	net := network.New(topology.DirectedCirculant(points, Repeat(jumps, mult)...), topology.Rotations(points, 1))
	takes, ways := net.Even(network.Towards{High: most, Only: only}, 1, true)
	b := basis{jumps: jumps, width: width, takes: takes, paths: make([][]int32, tiles)}
	b.takes.Pair = 1
	for _, w := range ways {
		b.paths[w.Path[len(w.Path)-1]-1] = w.Path
	}
	return b
}
