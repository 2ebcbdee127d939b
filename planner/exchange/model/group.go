package model

import (
	"fmt"

	"github.com/lightpath-net/lightpath/internal/arithmetic"
)

// Group makes a group of the nodes 0..M*Q-1: node a+M*b is the pair (a, b), and
//
//	(a, b) * (c, e) = (a + R^b*c mod M, b+e mod Q), where R^Q = 1 mod M.
//
// Node 0 is the neutral element. With Q = 1 products are sums mod M. With R = 1 they are
// sums of pairs. Any other R makes a group in which order matters: words of k letters
// then reach many more nodes than sums of k numbers do.
//
// When circuits lead from u to u*g, moving every node u to w*u moves circuits to circuits.
type Group struct {
	M, Q, R int
}

// Rotations is the group of sums mod n.
func Rotations(n int) Group { return Group{M: n, Q: 1, R: 1} }

// Nodes returns the number of nodes.
func (g Group) Nodes() int { return g.M * g.Q }

// Commutative reports whether order does not matter.
func (g Group) Commutative() bool { return g.Q == 1 || g.R%g.M == 1%g.M }

// Multiply returns u*v.
func (g Group) Multiply(u, v int) int {
	if g.Q == 1 {
		return (u + v) % g.M
	}
	a, b := u%g.M, u/g.M
	c, e := v%g.M, v/g.M
	return (a+g.twist(b)*c)%g.M + (b+e)%g.Q*g.M
}

// Inverse returns the v with u*v = 0.
func (g Group) Inverse(u int) int {
	a, b := u%g.M, u/g.M
	back := (g.Q - b) % g.Q
	return (g.M-g.twist(back)*a%g.M)%g.M + back*g.M
}

// twist returns R^b mod M.
func (g Group) twist(b int) int {
	power := 1 % g.M
	for range b {
		power = power * g.R % g.M
	}
	return power
}

// Step fills next with where the circuits of a generator lead: next[u] = u*v.
func (g Group) Step(v int, next []int32) {
	c, e := v%g.M, v/g.M
	turn := 1 % g.M
	for b := range g.Q {
		to := next[b*g.M : (b+1)*g.M]
		base, shift := (b+e)%g.Q*g.M, turn*c%g.M
		for a := range to {
			if shift == g.M {
				shift = 0
			}
			to[a] = int32(base + shift)
			shift++
		}
		turn = turn * g.R % g.M
	}
}

// Row fills to with the products of a node with all others: to[v] = u*v.
func (g Group) Row(u int, to []int32) {
	a, b := u%g.M, u/g.M
	turn := g.twist(b)
	for e := range g.Q {
		base, at := (b+e)%g.Q*g.M, a
		for c := range g.M {
			to[e*g.M+c] = int32(base + at)
			if at += turn; at >= g.M {
				at -= g.M
			}
		}
	}
}

// check reports numbers that do not make a group of n nodes.
func (g Group) check(n int) error {
	if g.M < 1 || g.Q < 1 || g.M > n || g.Nodes() != n {
		return fmt.Errorf("a group of %dx%d elements, want %d", g.M, g.Q, n)
	}
	if g.R < 1 || g.R > g.M || g.twist(g.Q) != 1%g.M {
		return fmt.Errorf("twist %d, want one from 1 to %d with power %d equal to 1 mod %d", g.R, g.M, g.Q, g.M)
	}
	return nil
}

// Groups lists the groups of n nodes, sums mod n first, without those that are known to equal
// another one up to renumbering.
func Groups(n int) []Group {
	var list []Group
	for q := 1; q < n; q++ {
		if n%q != 0 {
			continue
		}
		for r := 1; r < n/q; r++ {
			if g := (Group{M: n / q, Q: q, R: r}); g.check(n) == nil && g.distinct() {
				list = append(list, g)
			}
		}
	}
	return list
}

// distinct reports whether a group is not known to equal another one: with M and Q coprime,
// sums of pairs are sums mod n, and twists that are powers of each other make the same group.
func (g Group) distinct() bool {
	if g.Q == 1 {
		return g.R == 1
	}
	return !(g.R == 1 && arithmetic.GCD(g.M, g.Q) == 1) && g.first()
}

// first reports whether R is the smallest of its powers that generate the same twists.
func (g Group) first() bool {
	power := g.R
	for t := 2; t < g.Q; t++ {
		power = power * g.R % g.M
		if arithmetic.GCD(t, g.Q) == 1 && power < g.R {
			return false
		}
	}
	return true
}
