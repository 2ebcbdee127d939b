package exchange

import (
	"context"
	"fmt"
	"math"
	"math/bits"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/flow"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/planner/exchange/model"
	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/units"
)

// folded is how many more stages than the fewest a folded plan may have. With more, a plan for all
// GPUs is faster: GPU 0 has twice as much to send and to receive.
const folded = 4

// fold makes plans from those for one GPU less. The last GPU gives all it has to GPU 0, which does
// its part as well, and gets what is for it in the end. The numbers of stages do not depend on the
// delay, so that a shorter delay never makes a plan slower.
func (c *composer) fold(ctx context.Context) error {
	f, n := &c.request.Fabric, c.request.Fabric.Nodes
	m := n - 1
	block := float64(c.request.Size) / float64(n)
	t := task{request: c.request}
	ends := 2 * f.Bandwidth.Transmit(block*float64(m))
	for d := bits.Len(uint(m - 1)); d < bits.Len(uint(m-1))+folded && d < m; d++ {
		relayed := f.Bandwidth.Transmit(block * float64(model.RelayHops(m, 1, d)))
		if !c.useful(t.charges(d+2) + units.Time(d+2)*(f.Alpha.Time()+f.Delta.Time()) + ends + relayed) {
			continue
		}
		from, err := c.fewer(ctx, m, units.Bytes(math.Ceil(block*float64(m))), Options{Stages: d})
		if err != nil {
			return err
		}
		if from == nil {
			continue
		}
		if err := c.take(ctx, fmt.Sprintf("fold to %d GPUs", m), from.Collective.Space.Parts, withLast(from)); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// withLast returns the stages of a plan with one GPU more, for which GPU 0 stands.
func withLast(from *plan.Plan) []plan.Stage {
	m, parts := from.Fabric.Nodes, from.Collective.Space.Parts
	n := m + 1
	own := make([]int, m)
	for u := range own {
		own[u] = u
	}
	block := func(src, dst, part int) int { return (src*n+dst)*parts + part }
	// hand is a stage in which all blocks of the last GPU, or all for it, move at once.
	hand := func(src, dst int, first func(u int) int) plan.Stage {
		var chunks []int
		for u := range m {
			for q := range parts {
				chunks = append(chunks, first(u)+q)
			}
		}
		move := collective.Transfer{Src: src, Dst: dst, Action: collective.Copy, Chunks: collective.Of(chunks)}
		routes := []flow.Route{{Path: []int32{int32(src), int32(dst)}, Share: 1}}
		return plan.Stage{
			Topology: topology.New(n, "", []topology.Edge{{From: 0, To: m, Count: 1}, {From: m, To: 0, Count: 1}}),
			Steps:    []plan.Step{{Base: []plan.Transfer{{Transfer: move, Routes: routes}}}},
		}
	}
	stages := []plan.Stage{hand(m, 0, func(u int) int { return block(m, u, 0) })}
	stages = append(stages, embedded(from, n, [][]int{own}, func(_, chunk int) []int {
		src, dst, part := chunk/parts/m, chunk/parts%m, chunk%parts
		list := []int{block(src, dst, part)}
		if src == 0 {
			list = append(list, block(m, dst, part))
		}
		if dst == 0 {
			list = append(list, block(src, m, part))
		}
		return list
	})...)
	return renamed(append(stages, hand(0, m, func(u int) int { return block(u, m, 0) })))
}
