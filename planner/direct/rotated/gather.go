package rotated

import (
	"context"
	"math"
	"slices"
)

// Costs are what steps take.
type Costs struct {
	Start float64 // of a step
	Hop   float64 // of a hop of a step
	Shard float64 // of a shard on the busiest circuit
	// OneHop says that a step has only one hop.
	OneHop bool
}

// of returns the time of a step.
func (c Costs) of(hops int, load float64) float64 {
	return c.Start + c.Hop*float64(hops) + c.Shard*load
}

// Gather is an allgather on the circuits of a wiring.
type Gather struct {
	*chosen
	// Ends holds, for each step, the distance from which it brings the farthest shards.
	Ends []int
	// Loads holds, for each step, the number of shards on the busiest circuit.
	Loads []int
	Time  float64

	shards [][]int32  // by node below the width: all shards, the nearest first
	first  [][]int32  // first[b][t] is where those at distance t begin
	later  [][]late   // by step: shards from earlier steps
	left   [][]uint64 // by node below the width: the set of shards that come later; nil: none
}

// mostTransfers is the largest number of transfers to nodes below the width. They take some
// hundred bytes each.
const mostTransfers = 1 << 20

// Solve returns an allgather on given circuits: the fastest whose steps take all shards of some
// consecutive distances, with some shards postponed if that makes it faster. It returns nil if some
// node cannot be reached.
func Solve(ctx context.Context, w *Wiring, c Costs) *Gather {
	g := joined(ctx, w, c)
	if g != nil && ctx.Err() == nil {
		g.postpone(c)
	}
	return g
}

// joined returns the fastest allgather whose steps take all shards of some consecutive distances:
// a dynamic program over distances. The load of a step of several hops is
// counted circuit by circuit, along the paths that steps of one hop would have taken: O(w n D^2)
// for the D distances, but a step is not made longer once its load costs more than all start-ups.
// It returns nil if some node cannot be reached.
func joined(ctx context.Context, w *Wiring, c Costs) *Gather {
	d := distancesOf(w)
	if d == nil {
		return nil
	}
	g := &Gather{chosen: choose(d)}
	g.sort()
	time := make([]float64, d.steps+1) // until all shards up to a distance have arrived
	before := make([]int, d.steps+1)   // the distance at which the last step until then begins
	loads := make([]int, d.steps+1)
	for t := 1; t <= d.steps; t++ {
		time[t] = math.Inf(1)
	}
	for a := range d.steps {
		count := newCount(g)
		transfers := 0
		for b := a + 1; b <= d.steps && (b == a+1 || !c.OneHop) && ctx.Err() == nil; b++ {
			count.add(a, b)
			for u := range g.first {
				transfers += int(g.first[u][b+1] - g.first[u][b])
			}
			load := count.most()
			if b > a+1 && (transfers > mostTransfers || c.Shard*float64(load) > float64(d.steps)*c.Start+c.Shard*float64(g.Nodes)/float64(len(g.from[0]))) {
				break
			}
			if ended := time[a] + c.of(b-a, float64(load)); ended < time[b] {
				time[b], before[b], loads[b] = ended, a, load
			}
		}
	}
	for t := d.steps; t > 0; t = before[t] {
		g.Ends, g.Loads = append(g.Ends, t), append(g.Loads, loads[t])
	}
	slices.Reverse(g.Ends)
	slices.Reverse(g.Loads)
	g.Time = time[d.steps]
	return g
}

// sort lists the shards of every node below the width by distance.
func (g *Gather) sort() {
	g.shards, g.first = make([][]int32, g.Width), make([][]int32, g.Width)
	for b, far := range g.to {
		first := make([]int32, g.steps+2)
		for _, t := range far {
			first[t+1]++
		}
		for t := range g.steps + 1 {
			first[t+1] += first[t]
		}
		next := slices.Clone(first)
		list := make([]int32, g.Nodes)
		for v, t := range far {
			list[next[t]] = int32(v)
			next[t]++
		}
		g.shards[b], g.first[b] = list, first
	}
}

// at returns the shards at distance t from a node below the width.
func (g *Gather) at(b, t int) []int32 { return g.shards[b][g.first[b][t]:g.first[b][t+1]] }

// last returns the circuit over which shard v reaches node u, as the number of the node below the
// width that stands for u and the number of its circuit, and the node from which the circuit leads.
func (g *Gather) last(u, v int32) (b int, by uint8, from int32) {
	b = int(u) % g.Width
	turn := int(u) - b
	by = g.by[b][g.moved(v, g.Nodes-turn)]
	return b, by, g.moved(g.from[b][by], turn)
}

// count counts the shards that cross each circuit in a step.
type count struct {
	*Gather
	over [][MostPorts]int32
}

func newCount(g *Gather) *count { return &count{g, make([][MostPorts]int32, g.Width)} }

// add lets the shards at distance b come from nodes at distance a.
func (n *count) add(a, b int) {
	for first := range n.Width {
		for _, v := range n.at(first, b) {
			u := int32(first)
			for range b - a {
				at, by, from := n.last(u, v)
				n.over[at][by]++
				u = from
			}
		}
	}
}

// most returns the number of shards on the busiest circuit.
func (n *count) most() int {
	most := int32(0)
	for i := range n.over {
		most = max(most, slices.Max(n.over[i][:]))
	}
	return int(most)
}
