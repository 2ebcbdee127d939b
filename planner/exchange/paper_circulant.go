package exchange

import (
	"context"
	"math"
	"slices"
)

// baseJumps returns the jumps of the paper's circulant base for k ports. For two they are
// m and m+1 of Theorem 22 of Zhao et al., Efficient Direct-Connect Topologies, as in
// Figure 8a. The paper has none for more ports; there they are the best that relay finds.
func baseJumps(ctx context.Context, nodes, ports int) ([]int, error) {
	if ports == 2 && nodes > 6 {
		m := int(math.Ceil((math.Sqrt(float64(2*nodes-1)) - 1) / 2))
		return []int{m, m + 1}, nil
	}
	seq := newRelaySequence(nodes)
	err := seq.extend(ctx, ports)
	return seq.jumps, err
}

// circulants are topologies of jumps. Pairs are offsets: what holds for one node holds for
// all. A pair takes the first of its shortest ways. Ways go into the first round that has
// room, whatever the hops of those in it (section 4.2).
type circulants struct {
	nodes int
	jumps [][]int
	dist  [][]int32
}

func newCirculants(ctx context.Context, nodes, ports int) (topologies, error) {
	c := &circulants{nodes: nodes}
	base, err := baseJumps(ctx, nodes, ports)
	c.add(base)
	return c, err
}

func (c *circulants) add(jumps []int) {
	c.jumps = append(c.jumps, jumps)
	c.dist = append(c.dist, distancesOf(c.nodes, jumps).hops)
}

func (c *circulants) pairs() int { return c.nodes }

func (c *circulants) pair(u, v int) int { return (v - u + c.nodes) % c.nodes }

func (c *circulants) stages() int { return len(c.jumps) }

func (c *circulants) circuits(stage int) [][]int { return rings(c.nodes, c.jumps[stage]) }

func (c *circulants) connect(direct []trip) {
	var jumps []int
	for _, t := range direct {
		jumps = append(jumps, t.pair)
	}
	c.add(jumps)
}

func (c *circulants) distances(stage int) []int32 { return slices.Clone(c.dist[stage]) }

func (c *circulants) trip(stage, o int) trip {
	way := shortestWays(nil, c.jumps[stage], c.dist[stage], o, 0)[0]
	return trip{Chunk{Dest: int32(o)}, o, way, way}
}

func (c *circulants) pack(stage int, trips []trip) []*round {
	return pack(nil, trips, len(c.jumps[stage]))
}

func (c *circulants) empty(ports int) *Schedule {
	s := &Schedule{Nodes: c.nodes, Ports: ports, Strategy: Paper, Group: Rotations(c.nodes)}
	for _, jumps := range c.jumps {
		s.Stages = append(s.Stages, Stage{Generators: jumps})
	}
	return s
}
