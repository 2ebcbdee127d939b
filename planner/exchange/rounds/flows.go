package rounds

import (
	"context"
	"slices"

	"github.com/lightpath-net/lightpath/planner/exchange/jumpset"
	"github.com/lightpath-net/lightpath/planner/exchange/model"
)

// NewGraph returns the rounds on one topology with given circuits, made as on a generalised
// Kautz graph. The paper schedules baselines that have no schedule of their own in this way
// (section 5.1). NewGraph returns nil if some node cannot reach another.
func NewGraph(ctx context.Context, circuits [][]int) (*Contraction, error) {
	nodes := len(circuits[0])
	g := &kautzGraphs{nodes: nodes, ports: len(circuits), wires: [][][]int{circuits}, tree: newPathTree(nodes)}
	if slices.Max(g.distances(0)) >= jumpset.Far {
		return nil, nil
	}
	return newContraction(ctx, g)
}

// NewJumps returns the rounds on one topology of jumps.
func NewJumps(ctx context.Context, nodes int, jumps []int) (*Contraction, error) {
	c := &circulants{nodes: nodes, ports: len(jumps)}
	c.add(jumps)
	return newContraction(ctx, c)
}

// SlotsFor returns the slots that a demand takes in rounds if node u is at place at[u]. Chunks
// with smaller numbers go first (section 5.1): a round is repeated until its largest flow is
// done. Each repetition takes as long as the longest way of the flows that are not done.
func (c *Contraction) SlotsFor(demand model.Demand, at []int) int {
	node := make([]int, len(at))
	for u, p := range at {
		node[p] = u
	}
	_, offsets := c.topologies.(*circulants)
	slots := 0
	for _, list := range c.rounds {
		for _, r := range list {
			longest := make([]int, r.hops+1) // by hops: most chunks of a flow
			for _, t := range r.trips {
				count := 0
				if offsets {
					for p := range at {
						count = max(count, demand.Count(node[p], node[(p+int(t.dst))%len(at)]))
					}
				} else {
					count = demand.Count(node[t.src], node[t.dst])
				}
				longest[len(t.ports)] = max(longest[len(t.ports)], count)
			}
			done := 0
			for h := r.hops; h > 0; h-- {
				if more := longest[h] - done; more > 0 {
					slots += h * more
					done = longest[h]
				}
			}
		}
	}
	return slots
}

// Group finds places for the nodes that bring large flows into the same rounds (section
// 4.4): it exchanges pairs of nodes as long as that lowers SlotsFor.
func (c *Contraction) Group(ctx context.Context, demand model.Demand) ([]int, error) {
	at := make([]int, demand.Nodes())
	for u := range at {
		at[u] = u
	}
	least := c.SlotsFor(demand, at)
	for quiet, u := 0, 0; quiet < len(at); u = (u + 1) % len(at) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		quiet++
		for v := range at {
			other := slices.Clone(at)
			other[u], other[v] = other[v], other[u]
			if slots := c.SlotsFor(demand, other); slots < least {
				at, least, quiet = other, slots, 0
			}
		}
	}
	return at, nil
}
