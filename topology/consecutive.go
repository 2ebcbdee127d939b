package topology

import "github.com/lightpath-net/lightpath/internal/arithmetic"

// Consecutive returns the consecutive-d digraph of Du, Hsu and Hwang on m nodes, in which x has
// circuits to qx+r .. qx+r+d-1 modulo m. With q = d it is a generalized de Bruijn graph, with q =
// r = -d a generalized Kautz graph. If q and m have no common factor, as many circuits lead into
// a node as out of it. It panics if that is not so, or if d >= m.
//
// It looks the same after a rotation by m/t, where t is the greatest common divisor of q-1 and m:
// qc = c modulo m for every multiple c of m/t. So a q near 1 in this sense makes few nodes stand
// for all, and for most m there are such q with distances as short as those of a generalized
// Kautz graph. There are no self-loops if no r .. r+d-1 is a multiple of t.
func Consecutive(d, m, q, r int) *Graph { return family("Consecutive", []int{d, m, q, r}) }

// consecutiveSize returns the size of Consecutive(d,m,q,r).
func consecutiveSize(x []int, _ []size) (size, *fault) {
	for i, least := range []int{1, 2, 1} {
		if x[i] < least {
			return size{}, wrong(i, "%c must be at least %d, not %d", "dmqr"[i], least, x[i])
		}
	}
	d, m, q, r := x[0], x[1], x[2], x[3]
	switch {
	case d >= m:
		return size{}, wrong(1, "m must be more than d, not %d", m)
	case q >= m || arithmetic.GCD(q, m) > 1:
		return size{}, wrong(2, "q must be less than m and have no factor in common with it, not %d with m = %d", q, m)
	case r < 0 || r >= m:
		return size{}, wrong(3, "r must be less than m, not %d", r)
	}
	t := arithmetic.GCD(q-1, m)
	return size{nodes: int64(m), degree: int64(d), loops: arithmetic.CeilDiv(r, t)*t < r+d}, nil
}

// consecutive makes Consecutive(d,m,q,r).
func consecutive(name string, d, m, q, r int) *Graph {
	return fromRows(name, m, d, func(x int, out []int32) []int32 {
		first := (q%m*x + r) % m
		for a := range d {
			out = append(out, int32((first+a)%m))
		}
		return out
	})
}
