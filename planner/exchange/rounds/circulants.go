package rounds

import (
	"context"
	"math"
	"slices"

	"github.com/lightpath-net/lightpath/planner/exchange/jumpset"
	"github.com/lightpath-net/lightpath/planner/exchange/model"
	"github.com/lightpath-net/lightpath/planner/exchange/routing"
)

// BaseJumps returns the jumps of the paper's circulant base for k ports. For two they are
// m and m+1 of Theorem 22 of Zhao et al., Efficient Direct-Connect Topologies, as in
// Figure 8a. The paper has none for more ports; there they are the best that relay finds.
func BaseJumps(ctx context.Context, nodes, ports int) ([]int, error) {
	if ports == 2 && nodes > 6 {
		m := int(math.Ceil((math.Sqrt(float64(2*nodes-1)) - 1) / 2))
		return []int{m, m + 1}, nil
	}
	seq := jumpset.NewRelaySequence(nodes)
	err := seq.Extend(ctx, ports)
	return seq.Jumps, err
}

// Circulants are topologies of jumps. Pairs are offsets: what holds for one node holds for
// all. A pair takes the first of its shortest ways. Ways go into the first round that has
// room, whatever the hops of those in it (section 4.2).
type Circulants struct {
	Nodes int
	jumps [][]int
	dist  [][]int32
}

func NewCirculants(ctx context.Context, nodes, ports int) (Topologies, error) {
	c := &Circulants{Nodes: nodes}
	base, err := BaseJumps(ctx, nodes, ports)
	c.Add(base)
	return c, err
}

func (c *Circulants) Add(jumps []int) {
	c.jumps = append(c.jumps, jumps)
	c.dist = append(c.dist, jumpset.DistancesOf(c.Nodes, jumps).Hops)
}

func (c *Circulants) pairs() int { return c.Nodes }

func (c *Circulants) Pair(u, v int) int { return (v - u + c.Nodes) % c.Nodes }

func (c *Circulants) Stages() int { return len(c.jumps) }

func (c *Circulants) Circuits(stage int) [][]int { return routing.Rings(c.Nodes, c.jumps[stage]) }

func (c *Circulants) connect(direct []trip) {
	var jumps []int
	for _, t := range direct {
		jumps = append(jumps, t.pair)
	}
	c.Add(jumps)
}

func (c *Circulants) distances(stage int) []int32 { return slices.Clone(c.dist[stage]) }

func (c *Circulants) Trip(stage, o int) trip {
	way := jumpset.ShortestWays(nil, c.jumps[stage], c.dist[stage], o, 0)[0]
	return trip{chunk: model.Chunk{Dest: int32(o)}, pair: o, Ports: way, circuits: way}
}

func (c *Circulants) pack(stage int, trips []trip) []*round {
	return pack(nil, trips, len(c.jumps[stage]))
}

func (c *Circulants) empty(ports int) *model.Schedule {
	s := &model.Schedule{Nodes: c.Nodes, Ports: ports, Group: model.Rotations(c.Nodes)}
	for _, jumps := range c.jumps {
		s.Stages = append(s.Stages, model.Stage{Generators: jumps})
	}
	return s
}
