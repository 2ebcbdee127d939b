package direct

import (
	"cmp"
	"slices"

	"github.com/lightpath-net/lightpath/topology"
)

// compact builds a topology and numbers its GPUs so that the shards that cross a circuit in a
// step form few runs.
//
// The GPUs of Line(G,k) are the walks v_0 .. v_k in G. In step s of an allgather, walk U
// receives the shards of all walks that end as U begins, v_s .. v_k = u_0 .. u_(k-s): they
// share their ends and differ in their beginnings. In a reduce-scatter it is the other way
// round. If walks are sorted by their first nodes, one of these two sets of d^s walks per node
// is a single run, but the other falls into d^s runs. If they are sorted by the middle node
// v_h, then by what follows it, then by what precedes it, backwards, both sets are runs of d^h
// or d^(k-h) walks. So n GPUs, which send n^2 shards, need only about n^1.5 runs. Walks that
// differ only after their middle are a stride apart.
func compact(expr topology.Expr) (g *topology.Graph, stride int, err error) {
	g, err = expr.Build()
	if err != nil || expr.Family != "Line" {
		return g, 1, err
	}
	root, err := expr.Graphs[0].Build()
	if err != nil {
		return nil, 0, err
	}
	k, d := expr.Numbers[0], root.Degree()
	walks := root.Nodes()
	next := make([][]int32, root.Nodes())
	for e := range root.Edges() {
		for range e.Count {
			next[e.From] = append(next[e.From], int32(e.To))
		}
	}
	for u := range next {
		if len(next[u]) != d {
			return g, 1, nil
		}
	}
	for range k {
		walks *= d
	}
	if walks != g.Nodes() {
		return g, 1, nil
	}
	order := make([]int, walks)
	keys := make([][]int32, walks)
	for x := range walks {
		order[x], keys[x] = x, middleFirst(next, x, k, d)
	}
	slices.SortStableFunc(order, func(a, b int) int { return slices.Compare(keys[a], keys[b]) })
	stride = 1
	for range k / 2 {
		stride *= d
	}
	return renumbered(g, order), stride, nil
}

// middleFirst returns the sort key of walk x of k circuits: its middle node, the circuits after
// it, and the nodes before it, the last one first. Walks are numbered by their first node and
// then, circuit by circuit, by which of the d circuits they take.
func middleFirst(next [][]int32, x, k, d int) []int32 {
	h := k / 2
	taken := make([]int32, k)
	for i := k - 1; i >= 0; i-- {
		taken[i] = int32(x % d)
		x /= d
	}
	nodes := []int32{int32(x)}
	for _, c := range taken[:h] {
		nodes = append(nodes, next[nodes[len(nodes)-1]][c])
	}
	key := append([]int32{nodes[h]}, taken[h:]...)
	slices.Reverse(nodes)
	return append(key, nodes[1:]...)
}

// renumbered returns a graph whose node i is node order[i] of the given one.
func renumbered(g *topology.Graph, order []int) *topology.Graph {
	number := make([]int, len(order))
	for i, u := range order {
		number[u] = i
	}
	edges := make([]topology.Edge, 0, g.Bundles())
	for e := range g.Edges() {
		edges = append(edges, topology.Edge{From: number[e.From], To: number[e.To], Count: e.Count})
	}
	slices.SortFunc(edges, func(a, b topology.Edge) int { return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To)) })
	return topology.New(len(order), g.Name()+" renumbered", edges)
}
