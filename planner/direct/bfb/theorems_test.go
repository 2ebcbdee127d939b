package bfb_test

import (
	"fmt"
	"iter"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/lightpath-net/lightpath/planner/direct/bfb"
	"github.com/lightpath-net/lightpath/topology"
)

// bases are the graphs to which the theorems on expansions are applied: regular, at
// least two neighbours per node.
var bases = []string{
	"Ring(4)", "Ring(5)", "Ring(6)", "BiRing(4,5)", "Torus(2,3)", "Torus(3,3)", "Q(3)", "Q(4)", "K(4)", "K(5)", "K(2,2)", "K(4,4)",
	"H(2,3)", "Kautz(2,1)", "Kautz(2,2)", "Kautz(3,1)", "GenKautz(2,10)", "GenKautz(3,12)", "C(7;1,2)", "C(9;2,3)", "C(16;3,4)",
	"C(13;1,3,4)", "DC(5;1,2)", "DC(6;1,2,3,4)", "DC(7;1,3)", "DC(8;1,3)", "DC(9;1,2,4)", "DeBruijn(2,3)", "DeBruijn(3,2)",
}

func sum(a, b *big.Rat) *big.Rat     { return new(big.Rat).Add(a, b) }
func product(a, b *big.Rat) *big.Rat { return new(big.Rat).Mul(a, b) }

// lineGraphBound is the right-hand side of Zhao et al., Corollary 1.1, Eq. 6.
func lineGraphBound(g *topology.Graph, bandwidth *big.Rat, k int) *big.Rat {
	n, d := int64(g.Nodes()), int64(g.Degree())
	power := int64(1)
	for range k {
		power *= d
	}
	// d/(d-1) (1/n - 1/(d^k n))
	return sum(bandwidth, product(big.NewRat(d, d-1), big.NewRat(power-1, power*n)))
}

func TestTheorem1BoundsLineGraphs(t *testing.T) {
	for _, expr := range bases {
		g := parse(t, expr)
		steps, bandwidth := cost(t, g)
		for k := 1; k <= 2; k++ {
			lineSteps, line := cost(t, topology.LineGraph(g, k))
			if bound := lineGraphBound(g, bandwidth, k); lineSteps != steps+k || line.Cmp(bound) > 0 {
				t.Errorf("Line(%s,%d): %d steps and %v, want %d and at most %v", expr, k, lineSteps, line, steps+k, bound)
			}
		}
	}
	r := rand.New(rand.NewPCG(1, 1))
	for range 200 {
		g := randomRegular(r, 3+r.IntN(7), 2+r.IntN(2))
		if _, ok := g.Diameter(); !ok || !simple(g) {
			continue
		}
		_, bandwidth := cost(t, g)
		if _, line := cost(t, topology.LineGraph(g, 1)); line.Cmp(lineGraphBound(g, bandwidth, 1)) > 0 {
			t.Errorf("line graph of %s: %v above the bound", g.Name(), line)
		}
	}
}

// TestTheorem10EqualityIsFalse shows that the line graph may do better than the expanded
// schedule, although Theorem 10 says that the latter is the best BFB schedule. Its proof turns
// a schedule of the line graph into one of the graph by averaging, for a node u and a shard v,
// over an out-neighbour u' of u other than v; no single u' is right for all shards, but the
// load that is compared is that of one node (u, u'). In DC(7;1,3) both out-neighbours of u are
// shards of the tight step, so that (u, u') receives one shard less than d times as many, for
// either u'.
func TestTheorem10EqualityIsFalse(t *testing.T) {
	for _, c := range []struct {
		expr        string
		base, claim *big.Rat
		real        *big.Rat
	}{
		{"DC(7;1,3)", big.NewRat(6, 7), big.NewRat(1, 1), big.NewRat(13, 14)},
		{"DC(8;1,3)", big.NewRat(7, 8), big.NewRat(1, 1), big.NewRat(15, 16)},
	} {
		g := parse(t, c.expr)
		_, base := cost(t, g)
		if base.Cmp(c.base) != 0 || lineGraphBound(g, base, 1).Cmp(c.claim) != 0 {
			t.Errorf("%s: %v and %v by Eq. 7, want %v and %v", c.expr, base, lineGraphBound(g, base, 1), c.base, c.claim)
		}
		line := topology.LineGraph(g, 1)
		s := solve(t, line, bfb.Options{})
		if s.Bandwidth.Cmp(c.real) != 0 || !s.BandwidthOptimal {
			t.Errorf("Line(%s): %v, want the optimum %v", c.expr, s.Bandwidth, c.real)
		}
		checkAgainstProgram(t, line, bfb.Options{})
	}
}

func TestTheorem10HoldsOnTheGraphsOfFigure3(t *testing.T) {
	for _, expr := range []string{"K(4,4)", "K(5)", "DC(6;1,2,3,4)", "H(2,3)", "C(16;3,4)"} {
		g := parse(t, expr)
		_, bandwidth := cost(t, g)
		for k := 1; k <= 3; k++ {
			_, line := cost(t, topology.LineGraph(g, k))
			if want := lineGraphBound(g, bandwidth, k); line.Cmp(want) != 0 {
				t.Errorf("Line(%s,%d): %v, want %v", expr, k, line, want)
			}
			// Theorem 2: T_B / T_B* <= 1 + 1/((d-1)N).
			n, d, all := int64(g.Nodes()), int64(g.Degree()), int64(topology.LineGraph(g, k).Nodes())
			limit := product(big.NewRat((d-1)*n+1, (d-1)*n), big.NewRat(all-1, all))
			if line.Cmp(limit) > 0 {
				t.Errorf("Line(%s,%d): %v above %v of Theorem 2", expr, k, line, limit)
			}
		}
	}
}

// expansion compares a BFB schedule of an expanded graph with the schedule that Zhao et
// al. construct for it.
type expansion struct {
	expr               string
	steps, constructed int
	bandwidth, formula *big.Rat
}

// degreeExpansion returns Degree(g,k) and Theorem 11.
func degreeExpansion(t *testing.T, g *topology.Graph, k int) expansion {
	t.Helper()
	n := int64(g.Nodes())
	steps, bandwidth := cost(t, g)
	e := expansion{expr: fmt.Sprintf("Degree(%s,%d)", g.Name(), k), constructed: steps + 1}
	e.formula = sum(bandwidth, big.NewRat(int64(k-1), int64(k)*n))
	e.steps, e.bandwidth = cost(t, topology.DegreeExpansion(g, k))
	return e
}

// cartesianPower returns Power(g,k) and Theorem 12.
func cartesianPower(t *testing.T, g *topology.Graph, k int) expansion {
	t.Helper()
	n := int64(g.Nodes())
	all := int64(1)
	for range k {
		all *= n
	}
	steps, bandwidth := cost(t, g)
	e := expansion{expr: fmt.Sprintf("Power(%s,%d)", g.Name(), k), constructed: k * steps}
	e.formula = product(bandwidth, big.NewRat(n*(all-1), (n-1)*all))
	e.steps, e.bandwidth = cost(t, topology.CartesianPower(g, k))
	return e
}

// TestTheorems11And12AgainstBFB: the constructed schedules of degree expansions and
// powers are not BFB, so that either may win. On these graphs BFB does.
func TestTheorems11And12AgainstBFB(t *testing.T) {
	for _, expr := range bases {
		g := parse(t, expr)
		// Here breadth-first broadcast has a higher bandwidth than the construction.
		worse := map[string]bool{"Power(GenKautz(2,10),2)": true, "Power(DeBruijn(2,3),2)": true}
		cases := []expansion{cartesianPower(t, g, 2)}
		if simple(g) {
			cases = append(cases, degreeExpansion(t, g, 2), degreeExpansion(t, g, 3))
		}
		for _, e := range cases {
			if e.steps > e.constructed || !worse[e.expr] && e.bandwidth.Cmp(e.formula) > 0 {
				t.Errorf("%s: %d steps and %v by BFB, want no more than %d and %v", e.expr, e.steps, e.bandwidth, e.constructed, e.formula)
			}
		}
	}
}

func TestExpansionsThatBFBImproves(t *testing.T) {
	for _, c := range []struct {
		e                  expansion
		bandwidth, formula *big.Rat
	}{
		{degreeExpansion(t, parse(t, "Kautz(2,1)"), 2), big.NewRat(1, 1), big.NewRat(13, 12)},
		{cartesianPower(t, parse(t, "Kautz(2,1)"), 2), big.NewRat(35, 36), big.NewRat(7, 6)},
		{cartesianPower(t, parse(t, "GenKautz(4,12)"), 2), big.NewRat(5, 3), big.NewRat(65, 36)},
	} {
		if c.e.bandwidth.Cmp(c.bandwidth) != 0 || c.e.formula.Cmp(c.formula) != 0 {
			t.Errorf("%s: %v by BFB and %v by construction, want %v and %v", c.e.expr, c.e.bandwidth, c.e.formula, c.bandwidth, c.formula)
		}
	}
}

// TestExpansionsThatBFBMakesWorse: BFB delivers the shard of a copy of a node as early as a
// cycle through the node allows, over only the links of that cycle, whereas the construction
// waits and uses all links. BFB also cannot take the dimensions of a power in turn.
func TestExpansionsThatBFBMakesWorse(t *testing.T) {
	var edges []topology.Edge
	for u, row := range [][2]int{{2, 4}, {2, 4}, {0, 3}, {0, 1}, {1, 3}} {
		edges = append(edges, topology.Edge{From: u, To: row[0], Count: 1}, topology.Edge{From: u, To: row[1], Count: 1})
	}
	five := topology.New(5, "five", edges)
	for _, c := range []struct {
		e                  expansion
		bandwidth, formula *big.Rat
	}{
		{degreeExpansion(t, five, 2), big.NewRat(11, 10), big.NewRat(9, 10)},
		{cartesianPower(t, parse(t, "DeBruijn(2,3)"), 2), big.NewRat(2, 1), big.NewRat(63, 32)},
		{cartesianPower(t, parse(t, "GenKautz(2,10)"), 2), big.NewRat(2, 1), big.NewRat(99, 50)},
	} {
		if c.e.bandwidth.Cmp(c.bandwidth) != 0 || c.e.formula.Cmp(c.formula) != 0 {
			t.Errorf("%s: %v by BFB and %v by construction, want %v and %v", c.e.expr, c.e.bandwidth, c.e.formula, c.bandwidth, c.formula)
		}
	}
	checkAgainstProgram(t, topology.DegreeExpansion(five, 2), bfb.Options{})
}

func TestTheorem13ProductsOfOptimalGraphsAreOptimal(t *testing.T) {
	factors := []string{"UniRing(1,3)", "UniRing(1,4)", "Ring(3)", "Ring(4)", "Ring(5)", "K(2)", "K(4)", "K(3,3)", "DC(5;1,2)", "C(7;1,2)", "DC(7;1,3)"}
	for i, a := range factors {
		for _, b := range factors[i:] {
			g, h := parse(t, a), parse(t, b)
			x, y := solve(t, g, bfb.Options{}), solve(t, h, bfb.Options{})
			s := solve(t, topology.CartesianProduct(g, h), bfb.Options{})
			if !x.BandwidthOptimal || !y.BandwidthOptimal || !s.BandwidthOptimal || s.Steps != x.Steps+y.Steps {
				t.Errorf("Product(%s,%s): %d steps and %v, want %d and the optimum", a, b, s.Steps, s.Bandwidth, x.Steps+y.Steps)
			}
		}
	}
}

// TestTheorem13NeedsSimpleGraphs: with parallel circuits in a factor, which the theorem
// excludes, the product is not optimal.
func TestTheorem13NeedsSimpleGraphs(t *testing.T) {
	g := topology.CartesianProduct(parse(t, "UniRing(1,3)"), parse(t, "UniRing(2,3)"))
	if s := solve(t, g, bfb.Options{}); s.Bandwidth.Cmp(big.NewRat(1, 1)) != 0 {
		t.Errorf("%s: %v, want 1 instead of the optimum 8/9", g.Name(), s.Bandwidth)
	}
}

// subsetGraph joins the k-subsets of 0..n-1 that have the given number of elements in
// common.
func subsetGraph(name string, n, k, common int) *topology.Graph {
	var sets []uint
	for set := range uint(1) << n {
		if ones(set) == k {
			sets = append(sets, set)
		}
	}
	var edges []topology.Edge
	for i, a := range sets {
		for j, b := range sets {
			if i != j && ones(a&b) == common {
				edges = append(edges, topology.Edge{From: i, To: j, Count: 1})
			}
		}
	}
	return topology.New(len(sets), name, edges)
}

func ones(set uint) int {
	n := 0
	for ; set > 0; set &= set - 1 {
		n++
	}
	return n
}

// TestTheorem18DistanceRegularGraphsAreOptimal takes the graphs of Table 7 that subsets
// describe.
func TestTheorem18DistanceRegularGraphsAreOptimal(t *testing.T) {
	for _, c := range []struct {
		g     *topology.Graph
		nodes int
		steps int
	}{
		{subsetGraph("octahedron J(4,2)", 4, 2, 1), 6, 2},
		{subsetGraph("Petersen graph", 5, 2, 0), 10, 2},
		{subsetGraph("J(5,2)", 5, 2, 1), 10, 2},
		{subsetGraph("J(6,3)", 6, 3, 2), 20, 3},
		{subsetGraph("odd graph O4", 7, 3, 0), 35, 3},
		{parse(t, "Q(4)"), 16, 4},
		{parse(t, "H(2,3)"), 9, 2},
	} {
		s := solve(t, c.g, bfb.Options{})
		if s.Nodes != c.nodes || s.Steps != c.steps || !s.BandwidthOptimal {
			t.Errorf("%s: %d nodes, %d steps and bandwidth %v, want %d, %d and the optimum", c.g.Name(), s.Nodes, s.Steps, s.Bandwidth, c.nodes, c.steps)
		}
	}
}

// circulantJumps yields the pairs and triples of different jumps that connect n nodes.
func circulantJumps(n int) iter.Seq[[]int] {
	return func(yield func([]int) bool) {
		last := (n - 1) / 2
		for a := 1; a <= last; a++ {
			for b := a + 1; b <= last; b++ {
				if connects(n, a, b) && !yield([]int{a, b}) {
					return
				}
				for c := b + 1; c <= last; c++ {
					if connects(n, a, b, c) && !yield([]int{a, b, c}) {
						return
					}
				}
			}
		}
	}
}

func connects(n int, jumps ...int) bool {
	for _, a := range jumps {
		for a > 0 {
			n, a = a, n%a
		}
	}
	return n == 1
}
