package topology

import (
	"iter"
	"slices"
)

// OfNodes yields the base topologies of Zhao et al., Table 9, with exactly n nodes of
// the given degree, in the order of the table, and then the twisted torus of section
// 6.2 with one side twice the other and the twisted cube of appendix I. Graphs that
// operators make of smaller ones, such as tori, are left to the caller.
//
// If a member equals one of an earlier family by definition, only the earlier one is
// yielded: H(1,q), Kautz(d,0), GenKautz(d,m) with as many nodes as a Kautz graph, and
// C(n;1). Circulants come with the jumps of OptimalTwoJumps, each repeated degree/4
// times (appendix E.4).
//
// It takes O(sqrt n + degree) and builds no graph. Graphs beyond MaxNodes or
// MaxCircuits are not yielded.
func OfNodes(n, degree int) iter.Seq[Expr] {
	return func(yield func(Expr) bool) {
		if n < 2 || n > MaxNodes || degree < 1 || degree > MaxCircuits/n {
			return
		}
		for _, list := range [...]func(n, d int) []Expr{
			completeMembers, hammingMembers, kautzMembers, circulantMembers, ringMembers,
			searchedMembers, deBruijnMembers, distanceRegularMembers, twistedMembers,
		} {
			for _, e := range list(n, degree) {
				if e.nodes = n; !yield(e) {
					return
				}
			}
		}
	}
}

func member(family string, numbers ...int) []Expr {
	return []Expr{{Family: family, Numbers: numbers}}
}

func completeMembers(n, d int) (list []Expr) {
	if n == d+1 {
		list = append(list, member("K", n)...)
	}
	if n == 2*d && d > 1 {
		list = append(list, member("K", d, d)...)
	}
	return list
}

// exponent returns k if base^k = n for a k of at least 1, and otherwise 0.
func exponent(base, n int) int {
	if base < 2 {
		return 0
	}
	k := 0
	for ; n > 1 && n%base == 0; n /= base {
		k++
	}
	if n != 1 {
		return 0
	}
	return k
}

// hammingMembers tries every number of letters q up to the square root of n: with
// longer words than one letter there are at least q^2 of them.
func hammingMembers(n, d int) (list []Expr) {
	for q := 2; q <= n/q; q++ {
		if k := exponent(q, n); k > 1 && k*(q-1) == d {
			list = append(list, member("H", k, q)...)
		}
	}
	return list
}

func kautzMembers(n, d int) []Expr {
	if d < 2 || n <= d+1 {
		return nil
	}
	if n%(d+1) == 0 {
		if k := exponent(d, n/(d+1)); k > 0 {
			return member("Kautz", d, k)
		}
	}
	return member("GenKautz", d, n)
}

func circulantMembers(n, d int) (list []Expr) {
	if a, b, ok := OptimalTwoJumps(n); ok && d%4 == 0 {
		jumps := append(slices.Repeat([]int{a}, d/4), slices.Repeat([]int{b}, d/4)...)
		list = append(list, member("C", append([]int{n}, jumps...)...)...)
	}
	if n == d+2 && d > 1 {
		// All jumps but the longest, which is one back.
		numbers := []int{n}
		for a := 1; a <= d; a++ {
			numbers = append(numbers, a)
		}
		list = append(list, member("DC", numbers...)...)
	}
	return list
}

func ringMembers(n, d int) (list []Expr) {
	if d%2 == 0 && n > 2 {
		list = append(list, member("BiRing", d, n)...)
	}
	return append(list, member("UniRing", d, n)...)
}

func searchedMembers(n, d int) (list []Expr) {
	for _, s := range searchedGraphs {
		if len(s.rows) == n && len(s.rows[0]) == d {
			e, _ := ParseExpr(s.expr)
			list = append(list, e)
		}
	}
	return list
}

func deBruijnMembers(n, d int) []Expr {
	if k := exponent(d, n); k > 0 {
		return member("DeBruijn", d, k)
	}
	return nil
}

func distanceRegularMembers(n, d int) (list []Expr) {
	for _, g := range distanceRegularGraphs {
		if g.nodes == n && g.degree == d {
			list = append(list, Expr{Family: "DistReg", Label: g.name})
		}
	}
	return list
}

func twistedMembers(n, d int) []Expr {
	if n == 8 && d == 3 {
		return member("TwistedQ", 3)
	}
	for a := 2; d == 4 && a <= n/a; a++ {
		if 2*a*a == n {
			return member("TwistedTorus", a, 2*a)
		}
	}
	return nil
}
