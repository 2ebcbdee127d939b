package rotated

// A step takes as long as its busiest circuit, and nodes that differ have different numbers of
// shards at a distance. But a shard that a node does not pass on may come later, when the circuit
// has room: of 16 384 nodes with 4 two-way ports, the busiest circuits of all steps then carry 1.3%
// more than the average, not 4.1%.

// late is a shard that comes later than in the step of its distance.
type late struct {
	to, shard int32 // to a node below the width
}

// postpone moves shards from steps of one hop into the steps after them: from every circuit that
// carries more than the average of its step, as many as it does not have to carry now. A shard may
// move several times. If the whole does not get faster, nothing is moved. It takes O(w n d) for
// every step.
func (g *Gather) postpone(c Costs) {
	passed := g.passedOn()
	moved := &Gather{chosen: g.chosen, Ends: g.Ends, shards: g.shards, first: g.first, later: make([][]late, len(g.Ends)), left: make([][]uint64, g.Width)}
	for b := range moved.left {
		moved.left[b] = make([]uint64, (g.Nodes+63)/64)
	}
	begin := 0
	for i, end := range g.Ends {
		over := newCount(g)
		for t := begin + 1; t <= end; t++ {
			over.add(begin, t)
		}
		for _, l := range moved.later[i] {
			over.over[l.to][g.by[l.to][l.shard]]++
		}
		if end == begin+1 && i+1 < len(g.Ends) {
			moved.level(i, over, passed)
		}
		load := over.most()
		moved.Loads = append(moved.Loads, load)
		moved.Time += c.of(end-begin, float64(load))
		begin = end
	}
	if moved.Time < g.Time {
		*g = *moved
	}
}

// level postpones shards of step i, a step of one hop.
func (g *Gather) level(i int, over *count, passed [][]uint64) {
	sum, ports := 0, len(g.from[0])
	for b := range over.over {
		for _, load := range over.over[b] {
			sum += int(load)
		}
	}
	average := int32((sum + g.Width*ports - 1) / (g.Width * ports))
	later := g.later[i]
	g.later[i] = nil
	for _, l := range later {
		if at := &over.over[l.to][g.by[l.to][l.shard]]; *at > average {
			*at--
			g.later[i+1] = append(g.later[i+1], l)
		} else {
			g.later[i] = append(g.later[i], l)
		}
	}
	for b := range g.Width {
		for _, v := range g.at(b, g.Ends[i]) {
			at := &over.over[b][g.by[b][v]]
			if *at > average && passed[b][v/64]>>(v%64)&1 == 0 {
				*at--
				g.left[b][v/64] |= 1 << (v % 64)
				g.later[i+1] = append(g.later[i+1], late{int32(b), v})
			}
		}
	}
}

// passedOn returns, for every node below the width, the set of shards that other nodes get from it.
func (g *Gather) passedOn() [][]uint64 {
	sets := make([][]uint64, g.Width)
	for b := range sets {
		sets[b] = make([]uint64, (g.Nodes+63)/64)
	}
	for b, far := range g.to {
		for v, t := range far {
			if t < 2 {
				continue // a node's own shard does not arrive
			}
			_, _, from := g.last(int32(b), int32(v))
			first := from % int32(g.Width)
			shard := g.moved(int32(v), g.Nodes-int(from-first)) % int32(g.Nodes)
			sets[first][shard/64] |= 1 << (shard % 64)
		}
	}
	return sets
}

// stays reports whether a shard comes in the step of its distance.
func (g *Gather) stays(b int, v int32) bool {
	return g.left == nil || g.left[b][v/64]>>(v%64)&1 == 0
}
