package topology

import (
	"fmt"

	"github.com/lightpath-net/lightpath/internal/capped"
)

// form is the shape of what stands between a name's parentheses.
type form int

const (
	bareForm    form = iota // Diamond
	numbersForm             // Torus(4,4)
	jumpsForm               // C(16;3,4)
	labelForm               // DistReg(Petersen)
	graphForm               // Transpose(G)
	graphsForm              // Product(G,H)
	countForm               // Line(G,3)
)

// rule describes one family or operator of the grammar.
type rule struct {
	form  form
	usage string
	least int // fewest numbers or, for graphsForm, operands
	most  int // most of them; 0: any

	// size checks the numbers and returns how large the graph will be.
	size func(x []int, g []size) (size, *fault)
	// build constructs the graph from numbers that size has accepted.
	build func(name string, x []int, g []*Graph) *Graph
}

// fault is what is wrong with an expression: with its number at, or, if that is
// negative, with the whole of it.
type fault struct {
	at   int
	text string
}

func wrong(at int, format string, args ...any) *fault {
	return &fault{at, fmt.Sprintf(format, args...)}
}

// size is what can be known of a graph before it is built. Every family but DBT is
// regular and every operator keeps that, so nodes times degree is the number of
// circuits; where a graph is irregular, it is more.
type size struct {
	nodes, degree int64
	loops         bool // has self-loops
	irregular     bool // some nodes have fewer circuits than the degree
}

// ceiling stands for any number that is too large; products of two numbers below it
// and the limits cannot overflow.
const ceiling = 1 << 40

// times multiplies, stopping at the ceiling; a and b are not negative.
func times(a, b int64) int64 { return capped.Times(a, b, ceiling) }

// power raises base >= 1 to k, stopping at the ceiling.
func power(base, k int64) int64 { return capped.Power(base, k, ceiling) }

func (s size) fault() *fault {
	if s.nodes > MaxNodes {
		return wrong(-1, "it would have more than %d nodes", MaxNodes)
	}
	if times(s.nodes, s.degree) > MaxCircuits {
		return wrong(-1, "it would have more than %d circuits", MaxCircuits)
	}
	return nil
}

// plain fills in a family without operands whose numbers have lower bounds; names
// are those of the usage.
func plain(x []int, names string, least []int, s func() size) (size, *fault) {
	for i, low := range least {
		if x[i] < low {
			return size{}, wrong(i, "%c must be at least %d, not %d", names[i], low, x[i])
		}
	}
	return s(), nil
}

var grammar = map[string]rule{
	"Ring": {numbersForm, "Ring(m)", 1, 1, func(x []int, _ []size) (size, *fault) {
		return plain(x, "m", []int{2}, func() size { return size{nodes: int64(x[0]), degree: int64(min(x[0]-1, 2))} })
	}, func(name string, x []int, _ []*Graph) *Graph { return torus(name, x) }},

	"UniRing": {numbersForm, "UniRing(d,m)", 2, 2, func(x []int, _ []size) (size, *fault) {
		return plain(x, "dm", []int{1, 2}, func() size { return size{nodes: int64(x[1]), degree: int64(x[0])} })
	}, func(name string, x []int, _ []*Graph) *Graph { return uniRing(name, x[0], x[1]) }},

	"BiRing": {numbersForm, "BiRing(d,m)", 2, 2, func(x []int, _ []size) (size, *fault) {
		if x[0]%2 != 0 {
			return size{}, wrong(0, "d must be even, not %d: half of the circuits go each way", x[0])
		}
		return plain(x, "dm", []int{2, 2}, func() size { return size{nodes: int64(x[1]), degree: int64(x[0])} })
	}, func(name string, x []int, _ []*Graph) *Graph { return biRing(name, x[0], x[1]) }},

	"Torus": {numbersForm, "Torus(a,b,..)", 1, 0, torusSize,
		func(name string, x []int, _ []*Graph) *Graph { return torus(name, x) }},

	"TwistedTorus": {numbersForm, "TwistedTorus(a,b)", 2, 2, twistedTorusSize,
		func(name string, x []int, _ []*Graph) *Graph { return twistedTorus(name, x[0], x[1]) }},

	"Q": {numbersForm, "Q(n)", 1, 1, func(x []int, _ []size) (size, *fault) {
		return plain(x, "n", []int{1}, func() size { return size{nodes: power(2, int64(x[0])), degree: int64(x[0])} })
	}, func(name string, x []int, _ []*Graph) *Graph { return hypercube(name, x[0]) }},

	"TwistedQ": {numbersForm, "TwistedQ(3)", 1, 1, func(x []int, _ []size) (size, *fault) {
		if x[0] != 3 {
			return size{}, wrong(0, "the twisted cube is TwistedQ(3), not of dimension %d", x[0])
		}
		return size{nodes: 8, degree: 3}, nil
	}, func(name string, _ []int, _ []*Graph) *Graph { return twistedCube(name) }},

	"K": {numbersForm, "K(m) or K(a,a)", 1, 2, completeSize, func(name string, x []int, _ []*Graph) *Graph {
		if len(x) == 2 {
			return completeBipartite(name, x[0])
		}
		return complete(name, x[0])
	}},

	"H": {numbersForm, "H(n,q)", 2, 2, func(x []int, _ []size) (size, *fault) {
		return plain(x, "nq", []int{1, 2}, func() size {
			n, q := int64(x[0]), int64(x[1])
			return size{nodes: power(q, n), degree: times(n, q-1)}
		})
	}, func(name string, x []int, _ []*Graph) *Graph { return hamming(name, x[0], x[1]) }},

	// Zhao et al., Table 9: the Kautz graph is the n-th line graph of K(d+1).
	"Kautz": {numbersForm, "Kautz(d,n)", 2, 2, func(x []int, _ []size) (size, *fault) {
		return plain(x, "dn", []int{1, 0}, func() size {
			d, n := int64(x[0]), int64(x[1])
			return size{nodes: times(power(d, n), d+1), degree: d}
		})
	}, func(name string, x []int, _ []*Graph) *Graph { return line(name, complete("", x[0]+1), x[1]) }},

	"GenKautz": {numbersForm, "GenKautz(d,m)", 2, 2, func(x []int, _ []size) (size, *fault) {
		if x[0] >= 1 && x[1] <= x[0] {
			return size{}, wrong(1, "m must be more than d, not %d", x[1])
		}
		return plain(x, "dm", []int{1, 2}, func() size {
			return size{nodes: int64(x[1]), degree: int64(x[0]), loops: x[1]%(x[0]+1) != 0}
		})
	}, func(name string, x []int, _ []*Graph) *Graph { return genKautz(name, x[0], x[1]) }},

	"DeBruijn": {numbersForm, "DeBruijn(d,n)", 2, 2, func(x []int, _ []size) (size, *fault) {
		return plain(x, "dn", []int{2, 1}, func() size {
			return size{nodes: power(int64(x[0]), int64(x[1])), degree: int64(x[0]), loops: true}
		})
	}, func(name string, x []int, _ []*Graph) *Graph { return deBruijn(name, x[0], x[1]) }},

	"DBJMod": {numbersForm, "DBJMod(d,n)", 2, 2, modifiedDeBruijnSize,
		func(name string, _ []int, _ []*Graph) *Graph { return searched(name).build() }},

	"Diamond": {bareForm, "Diamond", 0, 0,
		func([]int, []size) (size, *fault) { return searched("Diamond").size(), nil },
		func(name string, _ []int, _ []*Graph) *Graph { return searched(name).build() }},

	"C": {jumpsForm, "C(n;a,b,..)", 2, 0, func(x []int, _ []size) (size, *fault) {
		for i, a := range x[1:] {
			if a < 1 || a > (x[0]-1)/2 {
				return size{}, wrong(i+1, "a circulant jump is at least 1 and less than n/2, not %d with n = %d", a, x[0])
			}
		}
		return size{nodes: int64(x[0]), degree: 2 * int64(len(x)-1)}, nil
	}, func(name string, x []int, _ []*Graph) *Graph { return circulant(name, x[0], twoWay(x[0], x[1:])) }},

	"DC": {jumpsForm, "DC(n;a,b,..)", 2, 0, func(x []int, _ []size) (size, *fault) {
		for i, a := range x[1:] {
			if a < 1 || a >= x[0] {
				return size{}, wrong(i+1, "a directed circulant jump is at least 1 and less than n, not %d with n = %d", a, x[0])
			}
		}
		return size{nodes: int64(x[0]), degree: int64(len(x) - 1)}, nil
	}, func(name string, x []int, _ []*Graph) *Graph { return circulant(name, x[0], x[1:]) }},

	"DBT": {numbersForm, "DBT(m)", 1, 1, func(x []int, _ []size) (size, *fault) {
		return plain(x, "m", []int{2}, func() size { return doubleTreeSize(x[0]) })
	}, func(name string, x []int, _ []*Graph) *Graph { return doubleTree(name, x[0]) }},

	"DistReg": {labelForm, "DistReg(NAME)", 0, 0, func(x []int, _ []size) (size, *fault) {
		g := distanceRegularGraphs[x[0]]
		return size{nodes: int64(g.nodes), degree: int64(g.degree)}, nil
	}, func(name string, x []int, _ []*Graph) *Graph { return distanceRegularGraphs[x[0]].build().Named(name) }},

	"Edges": {jumpsForm, "Edges(n;u,v,count,..)", 4, 0, edgesSize,
		func(name string, x []int, _ []*Graph) *Graph { return edges(name, x) }},

	"GP": {numbersForm, "GP(m,k)", 2, 2, petersenSize,
		func(name string, x []int, _ []*Graph) *Graph { return generalizedPetersen(name, x[0], x[1]) }},

	"Cayley": {numbersForm, "Cayley(m,k,r,g,..)", 4, 0, cayleySize,
		func(name string, x []int, _ []*Graph) *Graph { return cayley(name, x) }},

	"Regular": {numbersForm, "Regular(n,d,seed)", 3, 3, regularSize,
		func(name string, x []int, _ []*Graph) *Graph { return regular(name, x[0], x[1], uint64(x[2])) }},

	// Zhao et al., Def. 2 and Theorem 1, expand regular graphs; how many nodes the line
	// graph of another has does not follow from its nodes and degree.
	"Line": {countForm, "Line(G,k)", 1, 1, func(x []int, g []size) (size, *fault) {
		if g[0].irregular {
			return size{}, wrong(-1, "line expansion needs a graph in which all nodes have the same degree")
		}
		return plain(x, "k", []int{1}, func() size {
			return size{nodes: times(g[0].nodes, power(g[0].degree, int64(x[0]))), degree: g[0].degree, loops: g[0].loops}
		})
	}, func(name string, x []int, g []*Graph) *Graph { return line(name, g[0], x[0]) }},

	"Degree": {countForm, "Degree(G,k)", 1, 1, func(x []int, g []size) (size, *fault) {
		if g[0].loops {
			return size{}, wrong(-1, "degree expansion needs a graph without self-loops")
		}
		return plain(x, "k", []int{1}, func() size {
			k := int64(x[0])
			return size{nodes: times(g[0].nodes, k), degree: times(g[0].degree, k), irregular: g[0].irregular}
		})
	}, func(name string, x []int, g []*Graph) *Graph { return degree(name, g[0], x[0]) }},

	"Power": {countForm, "Power(G,k)", 1, 1, func(x []int, g []size) (size, *fault) {
		return plain(x, "k", []int{1}, func() size {
			k := int64(x[0])
			return size{power(g[0].nodes, k), times(g[0].degree, k), g[0].loops, g[0].irregular}
		})
	}, func(name string, x []int, g []*Graph) *Graph {
		return CartesianPower(g[0], x[0]).Named(name)
	}},

	"Product": {graphsForm, "Product(G,H,..)", 2, 0, func(_ []int, g []size) (size, *fault) {
		all := size{nodes: 1}
		for _, s := range g {
			all = size{times(all.nodes, s.nodes), all.degree + s.degree, all.loops || s.loops, all.irregular || s.irregular}
		}
		return all, nil
	}, func(name string, _ []int, g []*Graph) *Graph { return product(name, g) }},

	"Union": {graphsForm, "Union(G,H,..)", 2, 0, unionSize,
		func(name string, _ []int, g []*Graph) *Graph { return Union(name, g...) }},

	"Idle": {countForm, "Idle(G,k)", 1, 1, func(x []int, g []size) (size, *fault) {
		return plain(x, "k", []int{1}, func() size {
			return size{nodes: g[0].nodes, degree: g[0].degree + int64(x[0]), loops: true, irregular: g[0].irregular}
		})
	}, func(name string, x []int, g []*Graph) *Graph { return WithIdlePorts(g[0], x[0]).Named(name) }},

	"Transpose": {graphForm, "Transpose(G)", 1, 1, func(_ []int, g []size) (size, *fault) { return g[0], nil },
		func(name string, _ []int, g []*Graph) *Graph { return g[0].Transpose(name) }},

	"Bidirect": {graphForm, "Bidirect(G)", 1, 1, func(_ []int, g []size) (size, *fault) {
		return size{g[0].nodes, 2 * g[0].degree, g[0].loops, g[0].irregular}, nil
	}, func(name string, _ []int, g []*Graph) *Graph { return Union(name, g[0], g[0].Transpose("")) }},
}

func torusSize(x []int, _ []size) (size, *fault) {
	s := size{nodes: 1}
	for i, side := range x {
		if side < 2 {
			return s, wrong(i, "a side must be at least 2, not %d", side)
		}
		s.nodes = times(s.nodes, int64(side))
		s.degree += int64(min(side-1, 2))
	}
	return s, nil
}

func completeSize(x []int, _ []size) (size, *fault) {
	if len(x) == 1 {
		return plain(x, "m", []int{2}, func() size { return size{nodes: int64(x[0]), degree: int64(x[0] - 1)} })
	}
	if x[0] != x[1] {
		return size{}, wrong(1, "the two sides of K(a,a) must be equal, not %d and %d", x[0], x[1])
	}
	return plain(x, "aa", []int{1}, func() size { return size{nodes: times(2, int64(x[0])), degree: int64(x[0])} })
}
