package synthesis

import "github.com/lightpath-net/lightpath/flow/matching"

// prices are the values of an outgoing and an incoming port of each node, given a value for every
// circuit. No circuit is worth more than its two ports, so no topology is worth more than all
// ports together, and some fractional topology is worth exactly that.
type prices struct {
	out, in []float64
	total   float64 // value of all ports
}

// priceOf finds the prices for values >= 0 per pair of nodes by solving an assignment problem.
// With d ports the best topology is d times the best permutation, because every topology consists
// of d permutations (König 1916). Dark ports are circuits from a node to itself, which are worth
// nothing. For two-way circuits the values must be symmetric, and the prices then are, too; the
// bound is that of fractional matchings. It takes O(n^3).
func priceOf(n, ports int, value []float64) prices {
	cost := make([][]float64, n)
	for u := range cost {
		cost[u] = make([]float64, n)
		for v := range n {
			cost[u][v] = -value[u*n+v]
		}
	}
	a, err := matching.Assign(cost)
	if err != nil {
		panic("synthesis: " + err.Error()) // no entry is forbidden
	}
	p := prices{out: make([]float64, n), in: make([]float64, n)}
	for u := range n {
		p.out[u], p.in[u] = -a.Row[u], -a.Column[u]
		p.total += float64(ports) * (p.out[u] + p.in[u])
	}
	return p
}

// waste returns how much less a circuit is worth than its ports. Rounding aside, it is >= 0.
func (p *prices) waste(u, v int, value float64) float64 { return max(0, p.out[u]+p.in[v]-value) }

// symmetric averages the values of both directions, which changes nothing for topologies of
// two-way circuits.
func symmetric(n int, value []float64) []float64 {
	same := make([]float64, n*n)
	for e, x := range value {
		same[e] = (x + value[e%n*n+e/n]) / 2
	}
	return same
}
