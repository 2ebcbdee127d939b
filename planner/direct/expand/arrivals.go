package expand

import (
	"context"
	"fmt"

	"github.com/lightpath-net/lightpath/flow/maxflow"
	"github.com/lightpath-net/lightpath/planner/direct/arrival"
	"github.com/lightpath-net/lightpath/planner/direct/bfb"
	"github.com/lightpath-net/lightpath/topology"
)

// Arrivals returns the bandwidth-optimal allgather in which shards arrive in the steps given by
// times; they may wait before they are sent on. Table 9 of Zhao et al. has base graphs on which
// such schedules are optimal and breadth-first broadcast is not.
//
// A maximum flow from the shards through the neighbours that have them spreads what a node
// receives in a step evenly over all circuits to it. The error says where that is impossible.
func Arrivals(ctx context.Context, g *topology.Graph, times arrival.Times) (*Allgather, error) {
	if err := times.Check(g); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrInput, err)
	}
	steps := make([][]bfb.Transfer, times.Steps())
	from := g.Transpose("")
	for i := range steps {
		for u := range g.Nodes() {
			transfers, err := arrivals(from, times, u, i+1)
			if err != nil {
				return nil, err
			}
			steps[i] = append(steps[i], transfers...)
		}
	}
	a, err := Given(ctx, g, steps)
	if err != nil {
		return nil, err
	}
	a.Method, a.Derivation = "arrivals", "Arrivals("+g.Name()+")"
	return a, nil
}

// arrivals returns what u gets in a step; from is the transpose of the graph.
func arrivals(from *topology.Graph, times arrival.Times, u, step int) ([]bfb.Transfer, error) {
	var shards []int
	for v, arrives := range times[u] {
		if arrives == step {
			shards = append(shards, v)
		}
	}
	senders, _ := from.Row(u)
	ports := int64(from.OutDegree(u))
	arcs, choices := spreadArcs(from, times, u, step, shards)
	network, err := maxflow.New(2+len(shards)+len(senders), arcs)
	if err != nil {
		return nil, err
	}
	if _, err := network.Solve(0, 1); err != nil {
		return nil, err
	}
	var transfers []bfb.Transfer
	at := make([]int64, len(shards)) // parts of each shard that have come; a shard has ports parts
	for k := choices; k < len(arcs); k++ {
		i, j := arcs[k].From-2, arcs[k].To-2-len(shards)
		if parts := network.Flow(k); parts > 0 {
			transfers = append(transfers, bfb.Transfer{
				Shard: shards[i], Src: int(senders[j]), Dst: u, From: ratio(at[i], ports), To: ratio(at[i]+parts, ports),
			})
			at[i] += parts
		}
	}
	return transfers, nil
}

// spreadArcs returns the network that spreads shards over the circuits to u: from node 0 to the
// shards, from the shards to the senders, and from the senders to node 1. The arcs between
// shards and senders start at choices.
func spreadArcs(from *topology.Graph, times arrival.Times, u, step int, shards []int) (arcs []maxflow.Arc[int64], choices int) {
	senders, circuits := from.Row(u)
	ports := int64(from.OutDegree(u)) // parts of a shard
	first := 2 + len(shards)          // of the senders
	for i := range shards {
		arcs = append(arcs, maxflow.Arc[int64]{From: 0, To: 2 + i, Capacity: ports})
	}
	for j, c := range circuits {
		arcs = append(arcs, maxflow.Arc[int64]{From: first + j, To: 1, Capacity: int64(c) * int64(len(shards))})
	}
	choices = len(arcs)
	for i, v := range shards {
		for j, w := range senders {
			if times[w][v] < step {
				arcs = append(arcs, maxflow.Arc[int64]{From: 2 + i, To: first + j, Capacity: ports})
			}
		}
	}
	return arcs, choices
}
