package rounds

import (
	"context"
	"math"
	"slices"

	"github.com/lightpath-net/lightpath/internal/arithmetic"
	"github.com/lightpath-net/lightpath/planner/exchange/jumpset"
	"github.com/lightpath-net/lightpath/planner/exchange/routing"
)

// BaseJumps returns the jumps of the paper's circulant base for k ports. For two ports they are
// m and m+1 of Theorem 22 of Zhao et al., Efficient Direct-Connect Topologies, as in Figure 8a.
// The paper gives none for more ports; BaseJumps then returns the best that relay finds.
func BaseJumps(ctx context.Context, nodes, ports int) ([]int, error) {
	if ports == 2 && nodes > 6 {
		m := int(math.Ceil((math.Sqrt(float64(2*nodes-1)) - 1) / 2))
		return []int{m, m + 1}, nil
	}
	seq := jumpset.NewRelaySequence(nodes)
	err := seq.Extend(ctx, ports)
	return seq.Jumps, err
}

// circulants holds topologies of jumps. Pairs are offsets: all nodes look the same, so that a
// circuit stands for all circuits of its jump. A pair takes one of its shortest ways that does
// not contend: the paper breaks ties at random, and jumps may change places along a way.
type circulants struct {
	nodes, ports int
	jumps        [][]int
	dist         [][]int32
	scratch      []int32
}

// NewCirculants starts with the base for k ports.
func NewCirculants(ctx context.Context, nodes, ports int) (*Contraction, error) {
	base, err := BaseJumps(ctx, nodes, ports)
	if err != nil {
		return nil, err
	}
	c := &circulants{nodes: nodes, ports: ports}
	c.add(base)
	return newContraction(ctx, c)
}

// NewShifts returns the sequence for one port: the first d shifts in the paper's order, each
// offset in the stage in which it has the fewest hops.
func NewShifts(nodes, d int) *Contraction {
	t := &circulants{nodes: nodes, ports: 1}
	cover := jumpset.NewCoverage(nodes)
	for _, j := range ShiftOrder(nodes)[:d] {
		t.add([]int{j})
		cover.Add(j)
	}
	c := &Contraction{topologies: t, hops: cover.Hops, by: cover.By, rounds: make([][]*round, d)}
	for o := 1; o < nodes; o++ {
		r := &round{}
		r.take(t.trip(o, make([]int32, cover.Hops[o])), 1)
		c.rounds[cover.By[o]] = append(c.rounds[cover.By[o]], r)
	}
	return c
}

func (c *circulants) add(jumps []int) {
	c.jumps = append(c.jumps, jumps)
	c.dist = append(c.dist, jumpset.DistancesOf(c.nodes, jumps).Hops)
}

func (c *circulants) pairs() int { return c.nodes }

func (c *circulants) pair(u, v int) int { return arithmetic.Offset(u, v, c.nodes) }

func (c *circulants) circuits(stage int) [][]int { return routing.Rings(c.nodes, c.jumps[stage]) }

// connect fills the remaining ports with the offsets that have the most hops.
func (c *circulants) connect(direct []trip, hops []int32) []int {
	var jumps []int
	for _, t := range direct {
		jumps = append(jumps, t.pair)
	}
	rest := make([]int, 0, c.nodes)
	for o := 1; o < c.nodes; o++ {
		if !slices.Contains(jumps, o) {
			rest = append(rest, o)
		}
	}
	slices.SortStableFunc(rest, func(a, b int) int { return int(hops[b] - hops[a]) })
	jumps = append(jumps, rest[:min(len(rest), c.ports-len(jumps))]...)
	c.add(jumps)
	return jumps
}

func (c *circulants) distances(stage int) []int32 { return c.dist[stage] }

// pack puts each offset into the first round that has room for one of its shortest ways: a
// round has room for as many as there are ports (section 4.2). Offsets come in ascending
// order of hops.
func (c *circulants) pack(stage int, pairs []int) []*round {
	ports := len(c.jumps[stage])
	var rounds []*round
	for _, o := range pairs {
		placed := false
		for _, r := range rounds {
			if len(r.trips) >= ports {
				continue
			}
			if way := c.fit(stage, o, r); way != nil {
				r.take(c.trip(o, way), ports)
				placed = true
				break
			}
		}
		if !placed {
			r := &round{}
			r.take(c.trip(o, c.fit(stage, o, r)), ports)
			rounds = append(rounds, r)
		}
	}
	return rounds
}

func (c *circulants) trip(o int, way []int32) trip {
	return trip{pair: o, dst: int32(o), ports: way, circuits: way}
}

// fit returns a shortest way to an offset over circuits that are free in a round, or nil. It
// searches forward from the source. Once the search has become long, it does not try states
// again that were found to lead nowhere, so that it takes O(n * ports) for every number of
// hops.
func (c *circulants) fit(stage, o int, r *round) []int32 {
	jumps, dist := c.jumps[stage], c.dist[stage]
	hops := int(dist[o])
	way := c.scratch[:0]
	var dead []bitset
	steps := 0
	var follow func(left, h int) bool
	follow = func(left, h int) bool {
		if h == hops {
			return true
		}
		if steps++; steps == fitSteps {
			dead = make([]bitset, hops)
			for h := range dead {
				dead[h] = newBitset(c.nodes)
			}
		}
		if dead != nil && dead[h].has(int32(left)) {
			return false
		}
		for p, j := range jumps {
			next := left - j
			if next < 0 {
				next += c.nodes
			}
			if int(dist[next]) == hops-h-1 && r.free(h, int32(p)) {
				way = append(way[:h], int32(p))
				if follow(next, h+1) {
					return true
				}
			}
		}
		if dead != nil {
			dead[h].set(int32(left))
		}
		return false
	}
	found := follow(o, 0)
	c.scratch = way
	if !found {
		return nil
	}
	return slices.Clone(way)
}

// fitSteps is the number of states after which fit remembers those that lead nowhere.
const fitSteps = 256
