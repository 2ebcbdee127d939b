package finder

import (
	"math"
	"slices"

	"github.com/lightpath-net/lightpath/topology"
)

// Circulants exist for every n and d. Breadth-first broadcasts on them are bandwidth-optimal:
// Zhao et al. conjecture this of two-way circulants (§E.4), and computing the broadcasts shows
// it of nearly all one-way ones. Circulants differ in diameter. One-way circulants of d jumps
// have up to (k+d)!/(k!d!) nodes within k steps, two-way ones of d/2 jumps far fewer. So
// one-way circulants need about n^(1/d) steps, and two-way ones n^(2/d). Which jumps give the
// least diameter is an open question; the finder searches for them.

// hasCirculants reports whether there are circulants that contain a ring: one-way circuits
// always form one, two-way ones need two ports, and an odd port goes half-way round the circle.
func (k key) hasCirculants() bool {
	return !k.twoWay || k.nodes > 2 && k.degree > 1 && k.degree*k.nodes%2 == 0
}

// outJumps returns all jumps of node 0: in a two-way circulant also the opposite ones,
// and half the circle if the degree is odd.
func outJumps(k key, set []int) []int {
	if !k.twoWay {
		return set
	}
	var all []int
	for _, a := range set {
		all = append(all, a, k.nodes-a)
	}
	if k.degree%2 == 1 {
		all = append(all, k.nodes/2)
	}
	return all
}

// circulantExpr writes two-way circulants as C unless they use half the circle.
func circulantExpr(k key, set []int) topology.Expr {
	if k.twoWay && k.degree%2 == 0 {
		return family("C", append([]int{k.nodes}, set...)...)
	}
	all := slices.Sorted(slices.Values(outJumps(k, set)))
	return family("DC", append([]int{k.nodes}, all...)...)
}

// leastCirculantDiameter returns the least k for which n nodes can be within k steps of one
// node: there are at most as many such nodes as sums of at most k jumps, regardless of order.
// For two one-way jumps it is the bound of Wong and Coppersmith, ceil(sqrt(3n)) - 2.
func leastCirculantDiameter(k key) int {
	if !k.twoWay && k.degree == 2 {
		t := 0
		for (t+2)*(t+2) < 3*k.nodes {
			t++
		}
		return t
	}
	for t := 0; ; t++ {
		if circulantBall(k, t) >= float64(k.nodes) {
			return t
		}
	}
}

// circulantBall bounds the nodes within t steps. The bound is inexact only where it exceeds any
// number of nodes.
func circulantBall(k key, t int) float64 {
	if !k.twoWay {
		return binomial(t+k.degree, k.degree)
	}
	// Points of the integer lattice with at most t for the sum of absolute values.
	ball, axes := 0.0, k.degree/2
	for i := 0; i <= min(axes, t); i++ {
		ball += math.Pow(2, float64(i)) * binomial(axes, i) * binomial(t, i)
	}
	if k.degree%2 == 1 {
		ball *= 2
	}
	return ball
}

func binomial(n, k int) float64 {
	product := 1.0
	for i := 1; i <= k; i++ {
		product = product * float64(n-k+i) / float64(i)
	}
	return math.Round(product)
}
