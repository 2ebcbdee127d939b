package topology

// edgesSize checks Edges(n;u,v,count,..), which lists circuits one by one, for graphs that have
// no name.
func edgesSize(x []int, _ []size) (size, *fault) {
	n := x[0]
	if n < 2 || n > MaxNodes {
		return size{}, wrong(0, "n must be from 2 to %d, not %d", MaxNodes, n)
	}
	if len(x)%3 != 1 {
		return size{}, wrong(len(x)-1, "circuits are written u,v,count, but %d numbers follow n", len(x)-1)
	}
	s := size{nodes: int64(n)}
	out, in := make([]int64, n), make([]int64, n)
	for i := 1; i < len(x); i += 3 {
		for k := range 2 {
			if x[i+k] >= n {
				return size{}, wrong(i+k, "a node is below n = %d, not %d", n, x[i+k])
			}
		}
		if x[i+2] < 1 {
			return size{}, wrong(i+2, "a count is at least 1, not %d", x[i+2])
		}
		s.loops = s.loops || x[i] == x[i+1]
		out[x[i]] += int64(x[i+2])
		in[x[i+1]] += int64(x[i+2])
	}
	for u := range n {
		s.degree = max(s.degree, out[u], in[u])
		s.irregular = s.irregular || out[u] != out[0] || in[u] != out[0]
	}
	return s, nil
}

// edges builds the graph of Edges(n;u,v,count,..).
func edges(name string, x []int) *Graph {
	all := make([]Edge, 0, len(x)/3)
	for i := 1; i < len(x); i += 3 {
		all = append(all, Edge{From: x[i], To: x[i+1], Count: x[i+2]})
	}
	return New(x[0], name, all)
}

// EdgesOf returns the expression that lists the circuits of a graph. Equal graphs have the same
// expression.
func EdgesOf(g *Graph) Expr {
	e := Expr{Family: "Edges", Numbers: []int{g.Nodes()}, nodes: g.Nodes()}
	for edge := range g.Edges() {
		e.Numbers = append(e.Numbers, edge.From, edge.To, edge.Count)
	}
	return e
}
