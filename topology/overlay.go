package topology

import (
	"math/bits"
	"math/rand/v2"
	"slices"
)

// unionSize checks that graphs can be laid over each other.
func unionSize(_ []int, g []size) (size, *fault) {
	all := size{nodes: g[0].nodes}
	for _, s := range g {
		if s.nodes != all.nodes {
			return size{}, wrong(-1, "all graphs must have as many nodes as the first, %d, not %d", all.nodes, s.nodes)
		}
		all.degree += s.degree
		all.loops = all.loops || s.loops
		all.irregular = all.irregular || s.irregular
	}
	return all, nil
}

// WithIdlePorts returns the graph with k further ports at every node that lead nowhere:
// circuits from the node to itself, which count as ports and carry nothing.
func WithIdlePorts(g *Graph, k int) *Graph {
	edges := slices.Collect(g.Edges())
	for u := range g.Nodes() {
		edges = append(edges, Edge{From: u, To: u, Count: k})
	}
	return New(g.Nodes(), g.Name(), edges)
}

// petersenSize returns the size of a generalized Petersen graph.
func petersenSize(x []int, _ []size) (size, *fault) {
	if x[0] >= 3 && (x[1] < 1 || x[1] > (x[0]-1)/2) {
		return size{}, wrong(1, "k must be at least 1 and less than m/2, not %d with m = %d", x[1], x[0])
	}
	return plain(x, "m", []int{3}, func() size { return size{nodes: 2 * int64(x[0]), degree: 3} })
}

// generalizedPetersen is GP(m,k): a ring of m nodes, each with a partner m further on; partners
// are joined to the partners k places away. GP(5,2) is the Petersen graph. (Watkins, A theorem
// on Tait colorings, 1969.)
func generalizedPetersen(name string, m, k int) *Graph {
	return fromRows(name, 2*m, 3, func(u int, out []int32) []int32 {
		if u < m {
			return append(out, int32((u+1)%m), int32((u+m-1)%m), int32(u+m))
		}
		return append(out, int32(m+(u+k)%m), int32(m+(u-k)%m), int32(u-m))
	})
}

// cayleySize checks Cayley(m,k,r,g,..): numbers that make a group, and generators in it.
func cayleySize(x []int, _ []size) (size, *fault) {
	for i, least := range []int{1, 1, 1} {
		if x[i] < least {
			return size{}, wrong(i, "%c must be at least 1, not %d", "mkr"[i], x[i])
		}
	}
	m, k, r := int64(x[0]), int64(x[1]), int64(x[2])
	n := times(m, k)
	if n > MaxNodes {
		return size{nodes: n}, nil // refused for its size
	}
	turn := int64(1) % m
	for range k {
		turn = turn * (r % m) % m
	}
	if turn != 1%m {
		return size{}, wrong(2, "r^k must leave remainder 1 modulo m, not %d", turn)
	}
	for i, g := range x[3:] {
		if g < 1 || int64(g) >= n {
			return size{}, wrong(i+3, "a generator is at least 1 and less than m*k = %d, not %d", n, g)
		}
	}
	return size{nodes: n, degree: int64(len(x) - 3)}, nil
}

// cayley is the Cayley graph of the semidirect product of Z_m and Z_k in which the generator of
// Z_k multiplies Z_m by r: node a+m*b stands for the element (a,b), and (a,b)(c,d) = (a+r^b*c,
// b+d). A circuit leads from u to u*g for every generator g. With r = 1 it is a circulant of
// two dimensions, with k = 2 and r = m-1 one of a dihedral group. The graph is two-way if the
// inverse of every generator is a generator. All nodes look alike.
func cayley(name string, x []int) *Graph {
	m, k, generators := x[0], x[1], x[3:]
	turn := make([]int, k) // turn[b] is r^b
	turn[0] = 1 % m
	for b := 1; b < k; b++ {
		turn[b] = turn[b-1] * (x[2] % m) % m
	}
	return fromRows(name, m*k, len(generators), func(u int, out []int32) []int32 {
		a, b := u%m, u/m
		for _, g := range generators {
			out = append(out, int32((a+turn[b]*(g%m))%m+m*((b+g/m)%k)))
		}
		return out
	})
}

// CayleyInverse returns the number of the inverse of element g of the group of
// Cayley(m,k,r,..): (a,b) has the inverse (-r^-b*a, -b).
func CayleyInverse(m, k, r, g int) int {
	a, b := g%m, g/m
	back := (k - b) % k
	turn := 1 % m
	for range back { // r^-b = r^(k-b)
		turn = turn * (r % m) % m
	}
	return (m-turn*a%m)%m + m*back
}

// regularSize returns the size of Regular(n,d,s).
func regularSize(x []int, _ []size) (size, *fault) {
	switch {
	case x[0] < 4:
		return size{}, wrong(0, "n must be at least 4, not %d", x[0])
	case x[1] < 3 || x[1] >= x[0]:
		return size{}, wrong(1, "d must be at least 3 and less than n, not %d with n = %d", x[1], x[0])
	}
	return size{nodes: int64(x[0]), degree: int64(x[1]), loops: x[0]*x[1]%2 == 1}, nil
}

// swapsPerCircuit is how often regular exchanges ends, per circuit: after about ten for each
// circuit the graph is as good as random (Milo et al., On the uniform generation of random
// graphs with prescribed degree sequences, 2003).
const swapsPerCircuit = 10

// regular is a two-way graph that looks random: a ring, which keeps it connected, and further
// two-way circuits whose ends have been exchanged in pairs, as the seed says. It has no
// parallel circuits and no self-loops, except that the last of an odd number of nodes of odd
// degree has one circuit to itself. The same numbers give the same graph on every machine and
// in every version. It takes O(n d^2).
func regular(name string, n, d int, seed uint64) *Graph {
	random := rand.NewPCG(seed, uint64(n)<<32|uint64(d))
	below := func(limit int) int { // every value with the same probability, to within 2^-40
		high, _ := bits.Mul64(random.Uint64(), uint64(limit))
		return int(high)
	}
	peers := make([][]int32, n)
	join := func(u, v int32) { peers[u], peers[v] = append(peers[u], v), append(peers[v], u) }
	var free [][2]int32 // circuits that are not of the ring
	for u := range int32(n) {
		join(u, (u+1)%int32(n))
		for a := int32(2); a <= int32(d/2); a++ {
			free = append(free, [2]int32{u, (u + a) % int32(n)})
		}
		if half := int32(n / 2); d%2 == 1 && u < half {
			free = append(free, [2]int32{u, u + half})
		}
	}
	for _, e := range free {
		join(e[0], e[1])
	}
	joined := func(u, v int32) bool {
		return slices.Contains(peers[u], v)
	}
	replace := func(u, from, to int32) {
		for i, w := range peers[u] {
			if w == from {
				peers[u][i] = to
				return
			}
		}
	}
	for range swapsPerCircuit * len(free) {
		i, j := below(len(free)), below(len(free))
		turn := below(2)
		a, b, c, e := free[i][0], free[i][1], free[j][turn], free[j][1-turn]
		if a == c || a == e || b == c || b == e || joined(a, e) || joined(c, b) {
			continue
		}
		replace(a, b, e)
		replace(b, a, c)
		replace(c, e, b)
		replace(e, c, a)
		free[i], free[j] = [2]int32{a, e}, [2]int32{c, b}
	}
	if n*d%2 == 1 {
		peers[n-1] = append(peers[n-1], int32(n-1))
	}
	return fromRows(name, n, d, func(u int, out []int32) []int32 { return append(out, peers[u]...) })
}
