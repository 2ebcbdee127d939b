package directconnect

import (
	"context"
	"math/big"
	"math/bits"

	"github.com/lightpath-net/lightpath/flow/maxflow"
	"github.com/lightpath-net/lightpath/topology"
)

func distancesOf(g *topology.Graph) [][]int32 {
	all := make([][]int32, g.Nodes())
	for v := range all {
		all[v] = make([]int32, len(all))
		g.Distances(v, all[v], make([]int32, len(all)))
	}
	return all
}

// arrivals is what a node receives in a step: for every shard the set of links that can deliver
// it.
type arrivals struct {
	links  int
	shards []uint
}

// arrivalsOf returns what every node of a graph receives in a step of breadth-first broadcast.
// Parallel circuits count as separate links, and circuits from a node to itself as links that
// deliver nothing.
func arrivalsOf(g *topology.Graph, step int) []arrivals {
	distance := distancesOf(g)
	links := make([][]int, g.Nodes()) // the senders of the links to each node
	for e := range g.Edges() {
		for range e.Count {
			links[e.To] = append(links[e.To], e.From)
		}
	}
	all := make([]arrivals, g.Nodes())
	for u := range all {
		all[u].links = len(links[u])
		for v := range g.Nodes() {
			if int(distance[v][u]) != step {
				continue
			}
			set := uint(0)
			for i, w := range links[u] {
				if w != u && int(distance[v][w]) == step-1 {
					set |= 1 << i
				}
			}
			all[u].shards = append(all[u].shards, set)
		}
	}
	return all
}

// fits reports whether links that carry num/den of a shard each can deliver all shards: the
// linear program (3) as a maximum flow.
func (a *arrivals) fits(num, den int64) (bool, error) {
	m := len(a.shards)
	source, sink := m+a.links, m+a.links+1
	var arcs []maxflow.Arc[int64]
	for i, set := range a.shards {
		arcs = append(arcs, maxflow.Arc[int64]{From: source, To: i, Capacity: den})
		for j := range a.links {
			if set&(1<<j) != 0 {
				arcs = append(arcs, maxflow.Arc[int64]{From: i, To: m + j, Capacity: den})
			}
		}
	}
	for j := range a.links {
		arcs = append(arcs, maxflow.Arc[int64]{From: m + j, To: sink, Capacity: num})
	}
	f, err := maxflow.New(sink+1, arcs)
	if err != nil {
		return false, err
	}
	most, err := f.Solve(source, sink)
	return most == den*int64(m), err
}

// finer is the inverse of how much less than the least time is tried for a step. Loads are
// fractions of shards over links, and their denominators on these graphs are far smaller.
const finer = 1 << 20

// leastLongest reports whether a step of length longest delivers to all nodes what they receive,
// and a slightly shorter step does not.
func leastLongest(all []arrivals, longest *big.Rat) (bool, error) {
	num, den := longest.Num().Int64(), longest.Denom().Int64()
	enough, fewer := true, true
	for i := range all {
		ok, err := all[i].fits(num, den)
		if err != nil {
			return false, err
		}
		less, err := all[i].fits(num*finer-1, den*finer)
		if err != nil {
			return false, err
		}
		enough, fewer = enough && ok, fewer && less
	}
	return enough && !fewer, nil
}

// unlikeTheorem19 counts nodes and steps for which a maximum flow and the theorem disagree.
func unlikeTheorem19(exprs []string) func(ctx context.Context) (float64, error) {
	return func(ctx context.Context) (float64, error) {
		count := 0.0
		for _, expr := range exprs {
			g, err := topology.Parse(expr)
			if err != nil {
				return 0, err
			}
			diameter, _ := g.Diameter()
			for t := 1; t <= diameter; t++ {
				if err := ctx.Err(); err != nil {
					return 0, err
				}
				for _, at := range arrivalsOf(g, t) {
					balanced, err := at.fits(int64(len(at.shards)), int64(at.links))
					if err != nil {
						return 0, err
					}
					if balanced == at.tight() {
						count++
					}
				}
			}
		}
		return count, nil
	}
}

// tight tries all sets of shards for one with too few links.
func (a *arrivals) tight() bool {
	for set := uint(1); set < 1<<len(a.shards); set++ {
		links := uint(0)
		for i, l := range a.shards {
			if set&(1<<i) != 0 {
				links |= l
			}
		}
		if bits.OnesCount(set)*a.links > len(a.shards)*bits.OnesCount(links) {
			return true
		}
	}
	return false
}
