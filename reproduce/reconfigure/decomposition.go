package reconfigure

import "context"

// permutation has a target for every node.
type permutation [8]int

// decompositions counts the ways, up to the names of nodes, to write the all-to-all of 8 nodes
// as P1 + P1^2 + P1^3 + P2 + P2^2 + P3 + P3^2, with permutations P1, P2 and P3. Because P1, P1^2
// and P1^3 have no fixed point, all cycles of P1 have at least four nodes: up to names, P1 is
// one cycle of eight or two cycles of four. P2 and P3 are tried exhaustively among the remaining
// pairs.
func decompositions(ctx context.Context) (float64, error) {
	count := 0.0
	for _, first := range []permutation{{1, 2, 3, 4, 5, 6, 7, 0}, {1, 2, 3, 0, 5, 6, 7, 4}} {
		var left [8][8]bool // pairs in no power of P1
		for u := range 8 {
			for v := range 8 {
				left[u][v] = u != v
			}
		}
		if !take(&left, first, 3) {
			continue
		}
		each(&left, permutation{}, 0, func(second permutation) {
			rest := left
			if !take(&rest, second, 2) {
				return
			}
			each(&rest, permutation{}, 0, func(third permutation) {
				if last := rest; take(&last, third, 2) {
					count++
				}
			})
		})
	}
	return count, ctx.Err()
}

// take removes the pairs of the first powers of a permutation, and reports whether all of them
// were still there.
func take(left *[8][8]bool, p permutation, powers int) bool {
	at := permutation{0, 1, 2, 3, 4, 5, 6, 7}
	for range powers {
		for u := range at {
			at[u] = p[at[u]]
			if !left[u][at[u]] {
				return false
			}
			left[u][at[u]] = false
		}
	}
	return true
}

// each calls a function with every permutation among the remaining pairs.
func each(left *[8][8]bool, p permutation, from int, do func(permutation)) {
	if from == len(p) {
		do(p)
		return
	}
	for v := range 8 {
		if !left[from][v] {
			continue
		}
		used := false
		for u := range from {
			used = used || p[u] == v
		}
		if !used {
			p[from] = v
			each(left, p, from+1, do)
		}
	}
}
