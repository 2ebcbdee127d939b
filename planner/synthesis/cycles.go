package synthesis

import (
	"math"

	"github.com/lightpath-net/lightpath/flow"
	"github.com/lightpath-net/lightpath/internal/arithmetic"
	"github.com/lightpath-net/lightpath/internal/disjoint"
	"github.com/lightpath-net/lightpath/internal/each"
)

// This file bounds steps on topologies with one one-way port per node. Such a topology is a set
// of cycles, or a part of one. Nodes that exchange anything in any step of the interval, directly
// or through others, have to lie on one cycle. The distances along a round trip of demands, from
// node to node and back to the first, then sum to at least the length of that cycle. The cycle
// has as many circuits to share the load, so each circuit carries at least the bytes of the round
// trip. And one of the k demands of a round trip spans at least a k-th of the cycle.
//
// For the steps of recursive doubling, the ring of the smallest offset attains this bound, so
// with one port HARVEST's Observation 4 follows.

// roundTrips bounds the largest load and the longest route of each class.
func (iv *interval) roundTrips() (bytes []float64, hops []int) {
	part, size := iv.components()
	bytes, hops = make([]float64, len(iv.classes)), make([]int, len(iv.classes))
	for i, c := range iv.classes {
		round, rest := make([]float64, iv.Nodes), make([]float64, iv.Nodes) // per part
		trips(iv.Nodes, c.all(), func(nodes []int, amount float64) {
			p := part[nodes[0]]
			round[p] += amount
			hops[i] = max(hops[i], arithmetic.CeilDiv(size[p], len(nodes)))
		}, func(d flow.Demand) { rest[part[d.Src]] += d.Amount })
		for p := range round {
			bytes[i] = max(bytes[i], round[p]+rest[p]/float64(iv.Nodes))
		}
	}
	return bytes, hops
}

// components returns the component of each node, as the number of one of its nodes, and the size
// of each component. Nodes are in one component if demands of any steps join them, in either
// direction.
func (iv *interval) components() (part, size []int) {
	part, size = make([]int, iv.Nodes), make([]int, iv.Nodes)
	joined := disjoint.New(iv.Nodes)
	for _, c := range iv.classes {
		for _, d := range c.all() {
			joined.Join(d.Src, d.Dst)
		}
	}
	for u := range part {
		part[u] = joined.Find(u)
		size[part[u]]++
	}
	return part, size
}

// trips decomposes demands into round trips and a rest. It calls trip with the nodes of each
// round trip and the amount that goes all the way round, and left with each remaining demand. A
// step in which every node sends to one other and receives from one other consists only of round
// trips. Other steps are decomposed in one way of many, by following demands until they return,
// so the bound is valid but may be weak. Each trip uses up a demand and each dead end a node, so
// it takes O(nodes x demands).
func trips(n int, demands []flow.Demand, trip func(nodes []int, amount float64), left func(flow.Demand)) {
	from := make([][]flow.Demand, n)
	for _, d := range demands {
		from[d.Src] = append(from[d.Src], d)
	}
	at := make([]int, n) // place on the current path, from 1
	for start := range n {
		path := []int{start}
		at[start] = 1
		for len(path) > 0 {
			u := path[len(path)-1]
			if len(from[u]) == 0 {
				at[u] = 0
				if path = path[:len(path)-1]; len(path) > 0 {
					before := path[len(path)-1]
					left(from[before][0])
					from[before] = from[before][1:]
				}
				continue
			}
			v := from[u][0].Dst
			if at[v] == 0 {
				path = append(path, v)
				at[v] = len(path)
				continue
			}
			round := path[at[v]-1:]
			goRound(from, round, trip)
			for _, w := range round[1:] {
				at[w] = 0
			}
			path = path[:at[v]]
		}
	}
}

// goRound subtracts the amount that goes all the way round from the first demands of the nodes.
func goRound(from [][]flow.Demand, round []int, trip func([]int, float64)) {
	amount := each.Min(math.Inf(1), round, func(u int) float64 { return from[u][0].Amount })
	trip(round, amount)
	for _, u := range round {
		if from[u][0].Amount -= amount; from[u][0].Amount == 0 {
			from[u] = from[u][1:]
		}
	}
}
