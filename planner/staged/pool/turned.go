package pool

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/lightpath-net/lightpath/flow"
	"github.com/lightpath-net/lightpath/internal/arithmetic"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/staged/pricing"
	"github.com/lightpath-net/lightpath/topology"
)

// Limits on the search for digraphs that rotations leave as they are.
const (
	leastTurned  = mostKnown + 1 // nodes from which on it is made
	turnedFirst  = 4             // nodes from which distances are searched for at first
	turnedSecond = 8             // digraphs whose distances are then searched for from all nodes
	// sameTotal is the relative difference of sums of distances below which more rotations decide.
	sameTotal = 1e-3
)

// Peaks of routes in multiples of what the sum of distances bounds them by, for the exchange of
// every node with every other. Consecutive digraphs had up to 1.01, and so had generalised Kautz
// graphs whose number of ports has no factor in common with their nodes: these are consecutive
// digraphs. In other generalised Kautz graphs some circuits are on more shortest paths than
// others: 15 of 16 with 800 to 1100 nodes and 3 to 8 ports had 1.02 to 1.34, one 1.008. With
// fewer nodes it may be as little as 1.004.
const (
	evenPeak   = 1.01
	unevenPeak = 1.0175
	manyUneven = 800 // nodes from which on unevenPeak is assumed
)

// turned is a consecutive digraph with r = 1, with the sum of distances from a node, on average,
// and the longest distance.
type turned struct {
	q        int
	turns    int // rotations that leave it as it is
	total    float64
	diameter int
}

// turnedKey is everything that the digraphs depend on.
type turnedKey struct{ nodes, ports int }

// turnedExpander returns a digraph to take the place of the expander for the exchange of every
// node with every other, or nil if the expander is likely faster. Rotations leave that digraph as
// it is, so few nodes stand for all: 1024 GPUs with 6 ports are routed from 128 of them, and the
// plan lists an eighth of a million transfers. Its circuits also carry more equal loads.
func (p *Pool) turnedExpander(ctx context.Context, w *pricing.Workload) *topology.Graph {
	f := p.Fabric
	if f.Duplex || f.Restricts() || !f.Open() || f.Ports < 2 || f.Ports >= f.Nodes || f.Nodes < leastTurned || len(w.Steps) != 1 || w.Classes[0].Uniform == 0 {
		return nil
	}
	key := turnedKey{f.Nodes, f.Ports}
	all := planner.Kept(w.Kept, key, func() ([]turned, bool) { return key.turned(ctx), ctx.Err() == nil })
	if len(all) == 0 {
		return nil
	}
	price := func(total, peak float64, diameter int) float64 {
		return w.Price(flow.Load{Peak: w.Classes[0].Uniform * total * peak / float64(f.Ports), Hops: diameter}, 0)
	}
	other := topology.GenKautz(f.Ports, f.Nodes)
	average, _ := other.AverageDistance()
	mean, _ := average.Float64()
	diameter, _ := other.Diameter()
	peak := evenPeak
	if f.Nodes >= manyUneven && arithmetic.GCD(f.Ports, f.Nodes) > 1 {
		peak = unevenPeak
	}
	least := price(mean*float64(f.Nodes-1), peak, diameter)
	best := slices.MinFunc(all, func(a, b turned) int {
		return cmp.Compare(price(a.total, evenPeak, a.diameter), price(b.total, evenPeak, b.diameter))
	})
	time := price(best.total, evenPeak, best.diameter)
	if time >= least*(1-sameTotal) && (time > least*(1+pricing.TieTolerance) || best.turns <= arithmetic.GCD(f.Ports+1, f.Nodes)) {
		return nil
	}
	return topology.Consecutive(f.Ports, f.Nodes, best.q, 1)
}

// turned returns the digraphs with the least sums of distances, as far as a few nodes tell.
func (k turnedKey) turned(ctx context.Context) []turned {
	search := distanceSearch{key: k, hops: make([]int32, k.nodes), queue: make([]int32, 0, k.nodes)}
	var all []turned
	for _, turns := range arithmetic.Divisors(k.nodes) {
		if turns <= k.ports || turns == k.nodes {
			continue // some circuits would lead from nodes to themselves
		}
		for q := 1 + turns; q < k.nodes; q += turns {
			if ctx.Err() != nil {
				return nil
			}
			if arithmetic.GCD(q, k.nodes) > 1 || arithmetic.GCD(q-1, k.nodes) != turns {
				continue
			}
			t := turned{q: q, turns: turns}
			if search.from(&t, turnedFirst) {
				all = append(all, t)
			}
		}
	}
	slices.SortStableFunc(all, func(a, b turned) int { return cmp.Compare(a.total, b.total) })
	all = all[:min(len(all), turnedSecond)]
	var joined []turned
	for _, t := range all {
		if search.from(&t, k.nodes) {
			joined = append(joined, t)
		}
	}
	return joined
}

// distanceSearch searches for the distances in consecutive digraphs.
type distanceSearch struct {
	key         turnedKey
	hops, queue []int32
}

// from sets the sum of distances, on average, and the longest distance of a digraph, from up to
// count of the nodes that stand for all. It reports false if a node is not reached.
func (s *distanceSearch) from(t *turned, count int) bool {
	n := s.key.nodes
	stand := n / t.turns
	count = min(count, stand)
	sum := 0
	t.diameter = 0
	for i := range count {
		for v := range s.hops {
			s.hops[v] = math.MaxInt32
		}
		u := i * stand / count
		s.hops[u] = 0
		s.queue = append(s.queue[:0], int32(u))
		for at := 0; at < len(s.queue); at++ {
			x := int(s.queue[at])
			hops := s.hops[x] + 1
			for v, a := (t.q*x+1)%n, 0; a < s.key.ports; a++ {
				if s.hops[v] > hops {
					s.hops[v] = hops
					s.queue = append(s.queue, int32(v))
					sum += int(hops)
				}
				if v++; v == n {
					v = 0
				}
			}
			t.diameter = max(t.diameter, int(hops)-1)
		}
		if len(s.queue) < n {
			return false
		}
	}
	t.total = float64(sum) / float64(count)
	return true
}
