package exchange

// coverage holds, for a set of jumps, in how many hops of one and the same jump each
// offset is reached: the paper's model with one port.
type coverage struct {
	nodes int
	hops  []int32 // fewest hops to each offset
	by    []int32 // position in the sequence of the jump that does it, the first of equals
	total int     // sum of hops
	most  int32   // largest of hops
	count int     // jumps so far
}

// newCoverage is that of no jumps: every offset counts as nodes hops, which no jump
// takes.
func newCoverage(nodes int) *coverage {
	c := &coverage{nodes: nodes, hops: make([]int32, nodes), by: make([]int32, nodes)}
	for o := 1; o < nodes; o++ {
		c.hops[o], c.by[o] = int32(nodes), -1
	}
	c.total, c.most = nodes*(nodes-1), int32(nodes)
	return c
}

// gain returns by how much one more jump lowers the total, in O(most).
func (c *coverage) gain(jump int) int {
	gain, o := 0, jump
	for h := int32(1); h < c.most && o != 0; h++ {
		gain += int(max(c.hops[o]-h, 0))
		if o += jump; o >= c.nodes {
			o -= c.nodes
		}
	}
	return gain
}

// add takes one more jump into the set, in O(nodes).
func (c *coverage) add(jump int) {
	o := jump
	for h := int32(1); h < c.most && o != 0; h++ {
		if c.hops[o] > h {
			c.total -= int(c.hops[o] - h)
			c.hops[o], c.by[o] = h, int32(c.count)
		}
		if o += jump; o >= c.nodes {
			o -= c.nodes
		}
	}
	c.count++
	c.most = 0
	for _, h := range c.hops {
		c.most = max(c.most, h)
	}
}

// routing returns the routing with one stage for every jump of the sequence that
// made the coverage.
func (c *coverage) routing(jumps []int) *routing {
	r := &routing{group: Rotations(c.nodes), ports: 1, legs: make([][]leg, c.nodes)}
	for _, j := range jumps {
		r.generators = append(r.generators, []int{j})
	}
	for o := 1; o < c.nodes; o++ {
		r.legs[o] = []leg{{stage: c.by[o], hops: c.hops[o]}}
	}
	return r
}

// covered returns the coverage of a sequence of jumps.
func covered(nodes int, jumps []int) *coverage {
	c := newCoverage(nodes)
	for _, j := range jumps {
		c.add(j)
	}
	return c
}
