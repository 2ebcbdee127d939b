package highs

import (
	"math/rand/v2"

	"github.com/lightpath-net/lightpath/flow"
	"github.com/lightpath-net/lightpath/topology"
)

// shift sends amount from every node u of 0..n-1 to u+k.
func shift(n, k int, amount float64) []flow.Demand {
	demands := make([]flow.Demand, n)
	for u := range n {
		demands[u] = flow.Demand{Src: u, Dst: (u + k) % n, Amount: amount}
	}
	return demands
}

// permutation returns the demands of a random permutation, without its fixed points.
func permutation(rng *rand.Rand, n int, amount func() float64) []flow.Demand {
	var demands []flow.Demand
	for u, v := range rng.Perm(n) {
		if u != v {
			demands = append(demands, flow.Demand{Src: u, Dst: v, Amount: amount()})
		}
	}
	return demands
}

func allToAll(n int, amount func() float64) []flow.Demand {
	var demands []flow.Demand
	for u := range n {
		for v := range n {
			if u != v {
				demands = append(demands, flow.Demand{Src: u, Dst: v, Amount: amount()})
			}
		}
	}
	return demands
}

// connected is a random strongly connected graph: a Hamiltonian cycle and, for every
// further degree, a circuit from each node to a random one. Some circuits are
// parallel, some lead from a node to itself.
func connected(rng *rand.Rand, n, degree int) *topology.Graph {
	var edges []topology.Edge
	order := rng.Perm(n)
	for i, u := range order {
		edges = append(edges, topology.Edge{From: u, To: order[(i+1)%n], Count: 1 + rng.IntN(4)/3*2})
	}
	for range degree - 1 {
		for u, v := range rng.Perm(n) {
			if rng.IntN(3) == 0 {
				v = rng.IntN(n)
			}
			edges = append(edges, topology.Edge{From: u, To: v, Count: 1 + rng.IntN(4)/3*2})
		}
	}
	return topology.New(n, "random", edges)
}
