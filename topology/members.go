package topology

import (
	"fmt"
	"iter"
	"slices"
)

// OfNodes yields the base topologies of Zhao et al., Table 9, with exactly n nodes of the given
// degree, in the order of the table. Other distance-regular graphs follow those of the table.
// Then come the twisted torus of section 6.2 with one side twice the other, and the twisted
// cube of appendix I. Graphs that operators make from smaller ones, such as tori, are left to
// the caller.
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
		for e, first := range members(n, degree, func(*rule) bool { return true }) {
			if first && !yield(e) {
				return
			}
		}
	}
}

// Searched lists the graphs with n nodes of the given degree, in the order of OfNodes, from the
// families that a search of this kind tries. Some of them may also belong to an earlier family.
func Searched(kind Search, n, degree int) (list []Expr) {
	for e := range members(n, degree, func(r *rule) bool { return r.traits.Search == kind }) {
		list = append(list, e)
	}
	return list
}

// members yields the members of some families, and whether each is in no earlier family by
// definition.
func members(n, degree int, of func(*rule) bool) iter.Seq2[Expr, bool] {
	return func(yield func(Expr, bool) bool) {
		if n < 2 || n > MaxNodes || degree < 1 || degree > MaxCircuits/n {
			return
		}
		for i := range families {
			r := &families[i]
			if r.members == nil || !of(r) {
				continue
			}
			first := r.again == nil || !r.again(n, degree)
			for _, numbers := range r.members(n, degree) {
				e := r.member(numbers)
				if e.nodes = n; !yield(e, first) {
					return
				}
			}
		}
	}
}

func completeMembers(n, d int) (list [][]int) {
	if n == d+1 {
		list = append(list, []int{n})
	}
	if n == 2*d && d > 1 {
		list = append(list, []int{d, d})
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

// hammingMembers tries every number of letters q up to the square root of n: words of more than
// one letter make at least q^2 nodes.
func hammingMembers(n, d int) (list [][]int) {
	for q := 2; q <= n/q; q++ {
		if k := exponent(q, n); k > 1 && k*(q-1) == d {
			list = append(list, []int{k, q})
		}
	}
	return list
}

// kautzExponent returns k >= 1 if Kautz(d,k) has n nodes, and otherwise 0.
func kautzExponent(n, d int) int {
	if d < 2 || n%(d+1) != 0 {
		return 0
	}
	return exponent(d, n/(d+1))
}

// isKautz reports whether a generalized Kautz graph is a Kautz graph.
func isKautz(n, d int) bool { return kautzExponent(n, d) > 0 }

func kautzMembers(n, d int) [][]int {
	if k := kautzExponent(n, d); k > 0 {
		return [][]int{{d, k}}
	}
	return nil
}

func genKautzMembers(n, d int) [][]int {
	if d < 2 || n <= d+1 {
		return nil
	}
	return [][]int{{d, n}}
}

func circulantMembers(n, d int) [][]int {
	a, b, ok := OptimalTwoJumps(n)
	if !ok || d%4 != 0 {
		return nil
	}
	return [][]int{slices.Concat([]int{n}, slices.Repeat([]int{a}, d/4), slices.Repeat([]int{b}, d/4))}
}

// directedCirculantMembers lists the circulant with all jumps but the longest, which is one
// step back.
func directedCirculantMembers(n, d int) [][]int {
	if n != d+2 || d < 2 {
		return nil
	}
	numbers := []int{n}
	for a := 1; a <= d; a++ {
		numbers = append(numbers, a)
	}
	return [][]int{numbers}
}

func biRingMembers(n, d int) [][]int {
	if d%2 != 0 || n == 2 {
		return nil
	}
	return [][]int{{d, n}}
}

func uniRingMembers(n, d int) [][]int { return [][]int{{d, n}} }

func modifiedDeBruijnMembers(n, d int) (list [][]int) {
	for _, s := range searchedGraphs {
		var numbers [2]int
		if _, err := fmt.Sscanf(s.expr, "DBJMod(%d,%d)", &numbers[0], &numbers[1]); err == nil && s.has(n, d) {
			list = append(list, numbers[:])
		}
	}
	return list
}

func diamondMembers(n, d int) [][]int {
	if !searched("Diamond").has(n, d) {
		return nil
	}
	return [][]int{nil}
}

func deBruijnMembers(n, d int) [][]int {
	if k := exponent(d, n); k > 0 {
		return [][]int{{d, k}}
	}
	return nil
}

// distanceRegularMembers lists members by their places in the table.
func distanceRegularMembers(n, d int) (list [][]int) {
	for i, g := range distanceRegularGraphs {
		if g.nodes == n && g.degree == d {
			list = append(list, []int{i})
		}
	}
	return list
}

func twistedCubeMembers(n, d int) [][]int {
	if n != 8 || d != 3 {
		return nil
	}
	return [][]int{{3}}
}

func twistedTorusMembers(n, d int) [][]int {
	for a := 2; d == 4 && a <= n/a; a++ {
		if 2*a*a == n {
			return [][]int{{a, 2 * a}}
		}
	}
	return nil
}

// Traits are properties of all graphs of a family, for searches. A search measures other
// properties graph by graph, or takes them not to hold.
type Traits struct {
	// ReverseSymmetric families have graphs that are isomorphic to their transposes, even if they
	// are one-way. (Zhao et al., Table 9; negation turns the circuits of circulants round.)
	ReverseSymmetric bool
	// LinesWithin families contain the line graphs of their graphs: that of GenKautz(d,m) is
	// GenKautz(d,dm), and that of a de Bruijn graph is a de Bruijn graph.
	LinesWithin bool
	// DistanceRegular families have graphs that are two-way and distance-regular, on which
	// breadth-first broadcasts are bandwidth-optimal. (Zhao et al., Theorem 18.)
	DistanceRegular bool
	// Transitive families have graphs in which all nodes look alike by construction. An operator is
	// transitive if its graphs are, provided that those it is applied to are.
	Transitive bool
	// Added families are not from Zhao et al. A search does not give up what it makes from the
	// families of the paper for what it makes from added ones.
	Added bool
	// Search says which searches try the members.
	Search Search
}

// distanceRegular holds the traits of families of distance-regular graphs.
var distanceRegular = Traits{DistanceRegular: true, Added: true, Search: ForBandwidth}

// Search is what a search looks for when it tries the members of a family.
type Search int

// Searches.
const (
	// NotSearched families are not tried: a search chooses their numbers itself, such as the jumps
	// of circulants, or reaches their graphs by operators.
	NotSearched Search = iota
	// ForBandwidth: breadth-first broadcasts are expected to be bandwidth-optimal.
	ForBandwidth
	// ForSteps: the graphs are made for few steps; a breadth-first broadcast may take twice the
	// least bandwidth. (Zhao et al., section E.2 and Figure 12.)
	ForSteps
)

// Transitive reports whether all nodes of the expression's graph look alike by construction.
func (e Expr) Transitive() bool {
	return e.Traits().Transitive && !slices.ContainsFunc(e.Graphs, func(g Expr) bool { return !g.Transitive() })
}

// Traits returns the traits of the expression's family or operator.
func (e Expr) Traits() Traits {
	if own, ok := e.families.family(e.Family); ok {
		return own.Traits
	}
	t := grammar[e.Family].traits
	if e.Label != "" && t.DistanceRegular {
		t.Added = distanceRegularIndex(e.Label) >= publishedGraphs
	}
	return t
}
