package jumpset

import (
	"github.com/lightpath-net/lightpath/planner/exchange/model"
	"github.com/lightpath-net/lightpath/planner/exchange/routing"
)

// Coverage holds, for a set of jumps, how many hops of a single jump reach each offset: the
// paper's model with one port.
type Coverage struct {
	nodes int
	Hops  []int32 // fewest hops to each offset
	By    []int32 // position in the sequence of the jump with the fewest hops, the first of equals
	Total int     // sum of hops
	most  int32   // largest of hops
	Count int     // jumps so far
}

// NewCoverage returns the coverage without jumps: every offset counts as nodes hops, more
// than any jump needs.
func NewCoverage(nodes int) *Coverage {
	c := &Coverage{nodes: nodes, Hops: make([]int32, nodes), By: make([]int32, nodes)}
	for o := 1; o < nodes; o++ {
		c.Hops[o], c.By[o] = int32(nodes), -1
	}
	c.Total, c.most = nodes*(nodes-1), int32(nodes)
	return c
}

// gain returns by how much one more jump lowers the total, in O(most).
func (c *Coverage) gain(jump int) int {
	gain, o := 0, jump
	for h := int32(1); h < c.most && o != 0; h++ {
		gain += int(max(c.Hops[o]-h, 0))
		if o += jump; o >= c.nodes {
			o -= c.nodes
		}
	}
	return gain
}

// Add adds one more jump to the set, in O(nodes).
func (c *Coverage) Add(jump int) {
	o := jump
	for h := int32(1); h < c.most && o != 0; h++ {
		if c.Hops[o] > h {
			c.Total -= int(c.Hops[o] - h)
			c.Hops[o], c.By[o] = h, int32(c.Count)
		}
		if o += jump; o >= c.nodes {
			o -= c.nodes
		}
	}
	c.Count++
	c.most = 0
	for _, h := range c.Hops {
		c.most = max(c.most, h)
	}
}

// Ways returns the routing with one stage for every jump of the sequence that
// made the coverage.
func (c *Coverage) Ways(jumps []int) *routing.Ways {
	r := &routing.Ways{Group: model.Rotations(c.nodes), Ports: 1, Legs: make([][]model.Leg, c.nodes)}
	for _, j := range jumps {
		r.Generators = append(r.Generators, []int{j})
	}
	for o := 1; o < c.nodes; o++ {
		r.Legs[o] = []model.Leg{{Stage: c.By[o], Hops: c.Hops[o]}}
	}
	return r
}

// Covered returns the coverage of a sequence of jumps.
func Covered(nodes int, jumps []int) *Coverage {
	c := NewCoverage(nodes)
	for _, j := range jumps {
		c.Add(j)
	}
	return c
}
