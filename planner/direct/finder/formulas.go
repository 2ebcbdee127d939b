package finder

import (
	"math/big"

	"github.com/lightpath-net/lightpath/internal/arithmetic"
)

// The formulas below hold for allgathers and, on transposed graphs, for reduce-scatters;
// an allreduce is one of each. halves is 2 for an allreduce and 1 otherwise.

// leastBandwidth returns the bandwidth that no topology of n nodes can beat. (Zhao et al.,
// Theorem 6.)
func leastBandwidth(halves, n int) *big.Rat {
	return big.NewRat(int64(halves)*int64(n-1), int64(n))
}

// lineCost returns the cost of the line graph of a regular graph of n nodes. (Theorem 1.)
func lineCost(c Cost, halves, n int) Cost {
	return Cost{c.Steps + halves, plus(c.Bandwidth, int64(halves), int64(n))}
}

// degreeCost returns the cost of k copies of a graph of n nodes without self-loops. (Theorem
// 11.)
func degreeCost(c Cost, halves, n, k int) Cost {
	return Cost{c.Steps + halves, plus(c.Bandwidth, int64(halves)*int64(k-1), int64(k)*int64(n))}
}

// powerCost returns the cost of the k-th Cartesian power, with all nodes, of a graph of n
// nodes. (Theorem 12.)
func powerCost(c Cost, n, k, all int) Cost {
	factor := big.NewRat(int64(n)*int64(all-1), int64(n-1)*int64(all))
	return Cost{c.Steps * k, factor.Mul(factor, c.Bandwidth)}
}

// productCost returns the cost of the Cartesian product, with all nodes, of simple graphs with
// bandwidth-optimal breadth-first broadcasts of these steps. (Theorem 13.)
func productCost(halves, all int, steps ...int) Cost {
	return Cost{arithmetic.Sum(steps), leastBandwidth(halves, all)}
}

// plus returns x + num/den.
func plus(x *big.Rat, num, den int64) *big.Rat {
	sum := big.NewRat(num, den)
	return sum.Add(sum, x)
}
