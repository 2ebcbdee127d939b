package topology

import (
	"slices"
	"strings"

	"github.com/lightpath-net/lightpath/internal/each"
)

// liftSize checks Lift(n,w,v,..): the ends of the circuits of the first w of n nodes, equally
// many for each.
func liftSize(x []int, _ []size) (size, *fault) {
	n, w := x[0], x[1]
	switch {
	case n < 2 || n > MaxNodes:
		return size{}, wrong(0, "n must be from 2 to %d, not %d", MaxNodes, n)
	case w < 1 || n%w != 0:
		return size{}, wrong(1, "w must divide n = %d, which %d does not", n, w)
	case len(x) == 2 || (len(x)-2)%w != 0:
		return size{}, wrong(len(x)-1, "the first %d nodes need as many circuits each, but %d ends follow w", w, len(x)-2)
	}
	s := size{nodes: int64(n), degree: int64((len(x) - 2) / w)}
	entering := make([]int64, w) // of all nodes that differ by a multiple of w
	for i, v := range x[2:] {
		if v >= n {
			return size{}, wrong(i+2, "a node is below n = %d, not %d", n, v)
		}
		s.loops = s.loops || v == i/int(s.degree)
		entering[v%w]++
	}
	for _, in := range entering {
		if in != s.degree {
			return size{}, wrong(-1, "as many circuits must enter every node as leave it, %d, not %d", s.degree, in)
		}
	}
	return s, nil
}

// lift is Lift(n,w,v,..): a graph that looks the same when all nodes are moved by w, given by
// the ends of the circuits that leave the first w. It is a lift of a graph of w nodes with
// rotations of a circle of n/w as voltages (Gross and Tucker, Topological Graph Theory, chapter
// 2). Circulants have w = 1.
func lift(name string, x []int) *Graph {
	n, w, ends := x[0], x[1], x[2:]
	d := len(ends) / w
	return fromRows(name, n, d, func(u int, out []int32) []int32 {
		turn, first := u/w*w, u%w*d
		for _, v := range ends[first : first+d] {
			out = append(out, int32((v+turn)%n))
		}
		return out
	})
}

// LiftOf returns the expression Lift(..) of a regular graph that looks the same when its nodes are
// moved by w, which divides their number.
func LiftOf(g *Graph, w int) Expr {
	e := Expr{Family: "Lift", Numbers: []int{g.Nodes(), w}, nodes: g.Nodes()}
	for u := range w {
		to, count := g.Row(u)
		for i, v := range to {
			e.Numbers = append(e.Numbers, slices.Repeat([]int{int(v)}, int(count[i]))...)
		}
	}
	return e
}

// digits of Code(TEXT,n,w): a circuit from u to v is written as the digit v-u-1 modulo n.
const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_"

// mostCoded is the largest number of nodes of a graph that Code can write. With that many nodes
// it cannot write a circuit from a node to itself.
const mostCoded = len(digits) + 1

// decoded returns the numbers of the Lift that a code stands for. An invalid digit becomes a
// node that does not exist.
func decoded(code string, numbers []int) []int {
	n, w := numbers[0], numbers[1]
	x := []int{n, w}
	if w < 1 || len(code)%w != 0 {
		return x
	}
	degree := len(code) / w
	for i := range len(code) {
		v, digit := n, strings.IndexByte(digits, code[i])
		if digit >= 0 && digit < n {
			v = (i/degree + 1 + digit) % n
		}
		x = append(x, v)
	}
	return x
}

// codeSize is liftSize for the Lift that a code stands for.
func codeSize(x []int, g []size) (size, *fault) {
	if x[0] > mostCoded {
		return size{}, wrong(0, "n must be from 2 to %d, not %d", mostCoded, x[0])
	}
	s, f := liftSize(x, g)
	if f != nil && f.at > 1 {
		f = wrong(-1, "the text is not the circuits of %d nodes of %d, as many for each", x[1], x[0])
	}
	return s, f
}

// CodeOf returns the expression Code(..) of a regular graph that looks the same when its nodes
// are moved by w, and false if there is none.
func CodeOf(g *Graph, w int) (Expr, bool) {
	n := g.Nodes()
	if n > mostCoded || w < 1 || n%w != 0 || !g.Regular() {
		return Expr{}, false
	}
	var text strings.Builder
	for u := range w {
		to, count := g.Row(u)
		for i, v := range to {
			if int(v) == u && n == mostCoded {
				return Expr{}, false
			}
			digit := digits[(int(v)-u-1+n)%n]
			text.WriteString(strings.Repeat(string(digit), int(count[i])))
		}
	}
	e := Expr{Family: "Code", Label: text.String(), Numbers: []int{n, w}, nodes: n}
	if built, err := e.Build(); err != nil || !built.Equal(g) {
		return Expr{}, false
	}
	return e, true
}

// insertSize checks Insert(G,c,..): different circuits of a graph whose nodes all have the same
// degree.
func insertSize(x []int, g []size) (size, *fault) {
	s := g[0]
	if s.irregular {
		return size{}, wrong(-1, "a node can be inserted where all others have the same degree")
	}
	if int64(len(x)) > s.degree {
		return size{}, wrong(int(s.degree), "a node of degree %d lies on no more circuits, not %d", s.degree, len(x))
	}
	for i, c := range x {
		if int64(c) >= times(s.nodes, s.degree) {
			return size{}, wrong(i, "the circuits are 0 to %d, not %d", s.nodes*s.degree-1, c)
		}
		for _, other := range x[:i] {
			if other == c {
				return size{}, wrong(i, "circuit %d is listed twice", c)
			}
		}
	}
	s.nodes++
	s.loops = s.loops || int64(len(x)) < s.degree
	return s, nil
}

// insert is Insert(G,c,..): one more node, put into the given circuits. Circuits are counted in
// the order of Edges, parallel ones side by side; circuit c = (u,v) becomes (u,w) and (w,v),
// where w is the new node. The other ports of w lead to itself, unused. The graph stays two-way
// if every circuit is given together with the one the other way.
func insert(name string, g *Graph, at []int) *Graph {
	w := g.Nodes()
	taken := each.Set(at)
	var edges []Edge
	next := 0
	for e := range g.Edges() {
		for range e.Count {
			if taken[next] {
				edges = append(edges, Edge{e.From, w, 1}, Edge{w, e.To, 1})
			} else {
				edges = append(edges, Edge{e.From, e.To, 1})
			}
			next++
		}
	}
	if idle := g.Degree() - len(at); idle > 0 {
		edges = append(edges, Edge{w, w, idle})
	}
	return New(w+1, name, edges)
}

// removeSize checks Remove(G,v,r): a node of a graph whose nodes all have the same degree.
func removeSize(x []int, g []size) (size, *fault) {
	s := g[0]
	switch {
	case s.irregular:
		return size{}, wrong(-1, "a node can be removed where all have the same degree")
	case s.nodes < 3:
		return size{}, wrong(-1, "two nodes must remain of %d", s.nodes)
	case int64(x[0]) >= s.nodes:
		return size{}, wrong(0, "a node is below %d, not %d", s.nodes, x[0])
	case int64(x[1]) >= s.degree:
		return size{}, wrong(1, "r is below the degree, %d, not %d", s.degree, x[1])
	}
	s.nodes--
	s.loops = true // as far as can be told from the size
	return s, nil
}

// remove is Remove(G,v,r): the graph without node v, whose circuits are joined to each other.
// The circuits into v, in the order of their sources and beginning with the r-th, are joined to
// the circuits out of v in the same order, but with neighbours exchanged in pairs. So in a
// two-way graph the neighbours of v are joined in pairs, and one that is left over gets a
// circuit to itself, unused. The numbers of nodes beyond v fall by one.
func remove(name string, g *Graph, v, r int) *Graph {
	var edges []Edge
	var from, to []int
	moved := func(u int) int {
		if u > v {
			return u - 1
		}
		return u
	}
	for e := range g.Edges() {
		switch {
		case e.From == v && e.To == v: // joins nothing
		case e.From == v:
			to = append(to, slices.Repeat([]int{moved(e.To)}, e.Count)...)
		case e.To == v:
			from = append(from, slices.Repeat([]int{moved(e.From)}, e.Count)...)
		default:
			edges = append(edges, Edge{moved(e.From), moved(e.To), e.Count})
		}
	}
	d := len(to)
	for i := range d {
		other := i ^ 1
		if other >= d {
			other = i
		}
		edges = append(edges, Edge{from[(i+r)%d], to[(other+r)%d], 1})
	}
	return New(g.Nodes()-1, name, edges)
}
