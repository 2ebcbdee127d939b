package simtest

import (
	"math/rand/v2"

	"github.com/lightpath-net/lightpath/sim"
	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/units"
)

// Case is traffic over shortest paths on circuits that stay for a phase.
type Case struct{ Phases []*sim.Phase }

// Program returns the case as a program.
func (c *Case) Program() sim.Program { return sim.Sequence(c.Phases...) }

// Draw makes a case of one to three phases on rings, tori, circulants and random graphs of 2 to
// 16 nodes, with shifts, all-to-alls or random pairs.
func Draw(seed uint64) *Case {
	rng := rand.New(rand.NewPCG(seed, 11))
	n := 2 + rng.IntN(15)
	c := &Case{}
	for range 1 + rng.IntN(3) {
		p := &sim.Phase{
			Network: sim.Network{
				Graph: drawGraph(rng, n), Bandwidth: units.Gbps * units.Bandwidth(1+rng.IntN(800)), Delay: units.Duration(rng.IntN(1_000_000)),
			},
			Reconfiguration: units.Duration(rng.IntN(2)) * 10 * units.Microsecond, Startup: units.Duration(rng.IntN(500_000)),
		}
		size := units.Bytes(1 + rng.IntN(1<<(4+rng.IntN(14))))
		switch rng.IntN(3) {
		case 0:
			p.Flows = Shift(n, 1+rng.IntN(n), size)
		case 1:
			p.Flows = AllToAll(n, size)
		default:
			for range 1 + rng.IntN(2*n) {
				p.Flows = append(p.Flows, sim.Flow{
					Src: int32(rng.IntN(n)), Dst: int32(rng.IntN(n)), Bytes: units.Bytes(rng.IntN(int(size) + 1)), Start: units.Duration(rng.IntN(3_000_000)),
				})
			}
		}
		c.Phases = append(c.Phases, p)
	}
	return c
}

// drawGraph returns a graph on which every node can reach every other.
func drawGraph(rng *rand.Rand, n int) *topology.Graph {
	switch rng.IntN(4) {
	case 0:
		return topology.DirectedCirculant(n, 1)
	case 1:
		return topology.Torus(n)
	case 2:
		return topology.DirectedCirculant(n, 1, 1+rng.IntN(n-1))
	}
	// A ring, plus random circuits, some of them parallel.
	count := map[[2]int]int{}
	for u := range n {
		count[[2]int{u, (u + 1) % n}]++
	}
	for range rng.IntN(2 * n) {
		u, v := rng.IntN(n), rng.IntN(n)
		if u != v {
			count[[2]int{u, v}]++
		}
	}
	var edges []topology.Edge
	for u := range n {
		for v := range n {
			if k := count[[2]int{u, v}]; k > 0 {
				edges = append(edges, topology.Edge{From: u, To: v, Count: k})
			}
		}
	}
	return topology.New(n, "drawn", edges)
}

// hops returns the distance that a flow of a phase travels.
func (c *Case) hops(phase int, f sim.Flow) int {
	g := c.Phases[phase].Network.Graph
	dist := make([]int, g.Nodes())
	for v := range dist {
		dist[v] = -1
	}
	dist[f.Src] = 0
	for queue := []int{int(f.Src)}; len(queue) > 0; queue = queue[1:] {
		for e := range g.Edges() {
			if e.From == queue[0] && dist[e.To] < 0 {
				dist[e.To] = dist[e.From] + 1
				queue = append(queue, e.To)
			}
		}
	}
	return dist[f.Dst]
}

// widest returns the most circuits between two nodes.
func (c *Case) widest(phase int) int {
	most := 1
	for e := range c.Phases[phase].Network.Graph.Edges() {
		most = max(most, e.Count)
	}
	return most
}

// lastStart returns when the last flow of a phase starts.
func (c *Case) lastStart(phase int) units.Time {
	last := units.Duration(0)
	for _, f := range c.Phases[phase].Flows {
		last = max(last, f.Start)
	}
	return last.Time()
}

// apart reports whether no two flows of a phase can meet on a circuit: every node sends to the
// next one on a ring.
func (c *Case) apart() bool {
	for i, p := range c.Phases {
		seen := map[int32]bool{}
		for _, f := range p.Flows {
			if c.hops(i, f) > 1 || seen[f.Src] {
				return false
			}
			seen[f.Src] = true
		}
	}
	return true
}
