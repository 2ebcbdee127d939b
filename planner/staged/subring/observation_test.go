package subring

import (
	"context"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/collective/algorithms"
	"github.com/lightpath-net/lightpath/flow"
	"github.com/lightpath-net/lightpath/internal/permutations"
	"github.com/lightpath-net/lightpath/planner/staged/stagedtest"
	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/units"
)

// placements calls visit with the segment lengths of each of the 2^(phases-1) ways to cut the
// phases. It reuses the slice.
func placements(phases int, visit func(lengths []int)) {
	for cuts := range 1 << (phases - 1) {
		lengths := []int{1}
		for i := range phases - 1 {
			if cuts>>i&1 == 1 {
				lengths = append(lengths, 0)
			}
			lengths[len(lengths)-1]++
		}
		visit(lengths)
	}
}

// Balanced segments, exhaustively for up to 12 phases: with equal bytes in each phase and radix^t
// hops in the t-th phase of a segment, the placements of R changes with the fewest hops are
// exactly those whose lengths differ by at most one, in any order. The fewest hops are convex in
// R.
func TestBalancedSegmentsAreTheBestOnes(t *testing.T) {
	for _, radix := range []int{2, 3, 5} {
		for phases := 1; phases <= 12; phases++ {
			s := mustSubring(t, radix, phases, 1)
			hops := func(lengths []int) float64 {
				sum := 0.
				for _, length := range lengths {
					sum += (math.Pow(float64(radix), float64(length)) - 1) / float64(radix-1)
				}
				return sum
			}
			fewest := slices.Repeat([]float64{math.Inf(1)}, phases)
			placements(phases, func(lengths []int) {
				fewest[len(lengths)-1] = min(fewest[len(lengths)-1], hops(lengths))
			})
			if !slices.Equal(fewest, s.sums) {
				t.Errorf("radix %d, %d phases: %v hops, Subring has %v", radix, phases, fewest, s.sums)
			}
			placements(phases, func(lengths []int) {
				balanced := slices.Max(lengths)-slices.Min(lengths) <= 1
				if best := hops(lengths) == fewest[len(lengths)-1]; best != balanced {
					t.Errorf("radix %d: segments %v are balanced: %v, the best: %v", radix, lengths, balanced, best)
				}
			})
			for r := 2; r < phases; r++ {
				if fewest[r-2]-fewest[r-1] < fewest[r-1]-fewest[r] {
					t.Errorf("radix %d, %d phases: %v is not convex", radix, phases, fewest)
				}
			}
		}
	}
}

// exhaustive returns C(R) for all R. It tries every placement of the changes, with each segment
// on the rings of each of its phases, and walks them hop by hop.
func exhaustive(c *collective.Collective, timing Timing, size units.Bytes) []float64 {
	n, phases := c.Nodes, len(c.Steps)
	var offsets []int
	var hop []float64
	for _, step := range c.Steps {
		sent := map[int]int{} // chunks by offset, as node 0 sends them
		for _, m := range step.Base {
			sent[(m.Dst-m.Src+n)%n] += m.Chunks.Len()
		}
		offset, busier := n, 0.
		for o, chunks := range sent {
			offset, busier = min(offset, o), max(busier, float64(chunks))
		}
		if 2*offset == n {
			busier /= 2
		}
		bytes := c.Space.Bytes(float64(size), collective.Single(0)) * busier
		offsets = append(offsets, offset)
		hop = append(hop, float64(timing.Delta.Time()+timing.Bandwidth.Transmit(bytes)))
	}
	distance := func(jump, offset int) float64 {
		for hops, up, down := 0, 0, 0; hops <= n; hops++ {
			if up == offset || down == offset {
				return float64(hops)
			}
			up, down = (up+jump)%n, (down-jump+n)%n
		}
		return math.Inf(1)
	}
	segment := func(first, length int) float64 {
		best := math.Inf(1)
		for k := first; k < first+length; k++ {
			sum := 0.
			for i := first; i < first+length; i++ {
				sum += distance(offsets[k], offsets[i]) * hop[i]
			}
			best = min(best, sum)
		}
		return best
	}
	costs := slices.Repeat([]float64{math.Inf(1)}, phases)
	placements(phases, func(lengths []int) {
		r, first := len(lengths)-1, 0
		sum := float64(phases)*float64(timing.Alpha.Time()) + float64(r)*float64(timing.Reconfig.Time())
		for _, length := range lengths {
			sum += segment(first, length)
			first += length
		}
		costs[r] = min(costs[r], sum)
	})
	return costs
}

// C(R) is the best of all placements, and the search takes the best of all.
func TestSubringIsTheBestOfAllPlacements(t *testing.T) {
	timings := []Timing{
		{Alpha: 1700 * units.Nanosecond, Delta: units.Microsecond, Reconfig: 10 * units.Microsecond, Bandwidth: 400 * units.Gbps},
		{Delta: units.Microsecond, Reconfig: units.Microsecond, Bandwidth: 10 * units.Tbps},
		{Delta: units.Picosecond, Reconfig: units.Millisecond, Bandwidth: units.Gbps},
		{Delta: 0, Reconfig: 0, Bandwidth: units.Gbps},
	}
	for _, kind := range []struct {
		algorithm    string
		radix, nodes int
		share        float64
	}{{"retri", 3, 243, 1. / 3}, {"mirrored-bruck", 2, 128, 1. / 4}} {
		for n, phases := kind.radix, 1; n <= kind.nodes; n, phases = n*kind.radix, phases+1 {
			c, err := algorithms.New(collective.AllToAll, kind.algorithm, n, 2)
			if err != nil {
				t.Fatal(err)
			}
			s := mustSubring(t, kind.radix, phases, kind.share)
			for _, timing := range timings {
				want := exhaustive(c, timing, units.MiB)
				costs := s.Costs(timing, units.MiB)
				for r := range want {
					if !stagedtest.Near(float64(costs[r]), want[r], subringTolerance) {
						t.Fatalf("%s n=%d: C(%d) = %v, want %v", kind.algorithm, n, r, float64(costs[r]), want[r])
					}
				}
				if _, total := s.Search(timing, units.MiB); !stagedtest.Near(float64(total), slices.Min(want), subringTolerance) {
					t.Fatalf("%s n=%d: found %v, want %v", kind.algorithm, n, float64(total), slices.Min(want))
				}
			}
		}
	}
}

// twoPorts returns two-way circuits u to next[u] for all u, two at every node.
func twoPorts(next []int) *topology.Graph {
	var edges []topology.Edge
	for u, v := range next {
		edges = append(edges, topology.Edge{From: u, To: v, Count: 1}, topology.Edge{From: v, To: u, Count: 1})
	}
	return topology.New(len(next), fmt.Sprint(next), edges)
}

// exchangeDemands returns a phase with one unit in each direction.
func exchangeDemands(n, distance int) []flow.Demand {
	var demands []flow.Demand
	for u := range n {
		up, down := (u+distance)%n, (u-distance+n)%n
		if up == down {
			demands = append(demands, flow.Demand{Src: u, Dst: up, Amount: 2})
			continue
		}
		demands = append(demands, flow.Demand{Src: u, Dst: up, Amount: 1}, flow.Demand{Src: u, Dst: down, Amount: 1})
	}
	return demands
}

// isImage reports whether another permutation that is examined has the same circuits up to a
// rotation of the nodes or a reversal: one with a smaller step next[u]-u at node 0.
func isImage(next []int) bool {
	n := len(next)
	for u, v := range next {
		if step := (v - u + n) % n; min(step, n-step) < next[0] {
			return true
		}
	}
	return false
}

// onCycle returns lower bounds for a phase on two-way circuits u-next[u]: the hops to the
// farthest peer, and the units per circuit if all took shortest paths and were spread evenly. It
// reports whether all peers can be reached.
func onCycle(next []int, distance int) (farthest int, average float64, ok bool) {
	n := len(next)
	sum := 0
	for u := range n {
		peer, hops, length := (u+distance)%n, 0, 0
		for v := u; length == 0 || v != u; v = next[v] {
			if v == peer {
				hops = length
			}
			length++
		}
		if hops == 0 {
			return 0, 0, false
		}
		hops = min(hops, length-hops)
		farthest = max(farthest, hops)
		sum += hops
	}
	// As many units down as up, and as many circuits.
	return farthest, float64(sum) / float64(n), true
}

// No topology with two two-way ports serves an interval of phases in fewer hops or with a smaller
// sum of peak loads than the rings of its first phase, shown exhaustively for mirrored Bruck on 8
// nodes and ReTri on 9. Both parts hold separately, so they hold for every mix.
//
// With at most two ports, circuits form paths and cycles. Closing the paths does no harm, so
// every topology is part of a permutation with circuits from u to its image.
func TestNoTwoPortTopologyBeatsTheSubrings(t *testing.T) {
	for _, c := range []struct {
		n         int
		distances []int
	}{{8, []int{1, 2, 4}}, {9, []int{1, 3}}} {
		for next := range permutations.Of(c.n) {
			if isImage(next) {
				continue
			}
			farthest, average := make([]int, len(c.distances)), make([]float64, len(c.distances))
			for first := len(c.distances) - 1; first >= 0; first-- {
				var ok bool
				if farthest[first], average[first], ok = onCycle(next, c.distances[first]); !ok {
					break // nor earlier phases, over whose peers it could reach this one's
				}
				hops, load, ringHops := 0, 0., 0
				for last := first; last < len(c.distances); last++ {
					hops, load = hops+farthest[last], load+average[last]
					ringHops += c.distances[last] / c.distances[first]
					if hops < ringHops {
						t.Fatalf("phases %d..%d take %d hops on %v, %d on rings", first+1, last+1, hops, next, ringHops)
					}
					if load >= float64(ringHops) {
						continue
					}
					peak := 0.
					for _, d := range c.distances[first : last+1] {
						peak += smallestPeak(t, twoPorts(next), exchangeDemands(c.n, d))
					}
					if peak < float64(ringHops)-1e-6 {
						t.Fatalf("phases %d..%d have peaks of %v on %v, %d on rings", first+1, last+1, peak, next, ringHops)
					}
				}
			}
		}
	}
}

// smallestPeak returns a proven bound on the peak load of any routing.
func smallestPeak(t *testing.T, g *topology.Graph, demands []flow.Demand) float64 {
	t.Helper()
	r, err := flow.Solve(context.Background(), flow.Problem{Graph: g, Demands: demands}, flow.Optimal)
	if err != nil {
		t.Fatal(err)
	}
	return r.Bound
}
