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
	codeForm                // Code(0203,5,1)
	graphForm               // Transpose(G)
	graphsForm              // Product(G,H)
	countForm               // Line(G,3)
)

// rule describes one family or operator of the grammar.
type rule struct {
	name  string
	form  form
	usage string
	least int // fewest numbers or, for graphsForm, operands
	most  int // most of them; 0: any

	// size checks the numbers and returns how large the graph will be.
	size func(x []int, g []size) (size, *fault)
	// build constructs the graph from numbers that size has accepted.
	build func(name string, x []int, g []*Graph) *Graph

	// members, for a family that searches know, lists the numbers of its graphs with n nodes of
	// the given degree. again reports whether these are graphs of an earlier family by
	// definition.
	members func(n, degree int) [][]int
	again   func(n, degree int) bool
	traits  Traits
}

// member returns the expression of a family for numbers that members lists.
func (r *rule) member(numbers []int) Expr {
	if r.form == labelForm {
		return Expr{Family: r.name, Label: distanceRegularGraphs[numbers[0]].name}
	}
	return Expr{Family: r.name, Numbers: numbers}
}

// grammar has the rules by their names.
var grammar = func() map[string]rule {
	all := map[string]rule{}
	for _, list := range [...][]rule{families, operators} {
		for _, r := range list {
			all[r.name] = r
		}
	}
	return all
}()

// fault is what is wrong with an expression: with its number at or, if that is negative, with
// the whole expression.
type fault struct {
	at   int
	text string
}

func wrong(at int, format string, args ...any) *fault {
	return &fault{at, fmt.Sprintf(format, args...)}
}

// size is what can be known of a graph before it is built. All families but DBT, Mesh, Edges
// and user-defined ones are regular, and operators on regular graphs keep them so. The number
// of circuits is nodes times degree if the graph is regular, and less otherwise.
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

// plain returns the size of a graph of a family without operands whose numbers have only lower
// bounds; names are the letters in its usage.
func plain(x []int, names string, least []int, s func() size) (size, *fault) {
	for i, low := range least {
		if x[i] < low {
			return size{}, wrong(i, "%c must be at least %d, not %d", names[i], low, x[i])
		}
	}
	return s(), nil
}

// Usages lists how topologies are written: the members of families, and what operators make of
// other topologies.
func Usages() (members, derived []string) {
	list := func(rules []rule) []string {
		texts := make([]string, len(rules))
		for i := range rules {
			texts[i] = rules[i].usage
		}
		return texts
	}
	return list(families), list(operators)
}
