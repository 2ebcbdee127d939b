package lowtrees

import (
	"math"
	"math/rand/v2"
)

// search has a two-way graph, in which every circuit to a node belongs to at most one tree. So the
// circuits to a node, and thereby its parents, are a permutation of the trees, filled up with
// places without a tree. Where parents form a cycle, the nodes on and below it are not reached.
//
// The search starts from trees that grow level by level in a random graph, and improves them by
// two kinds of moves: a node exchanges its parents in two trees, or two circuits exchange ends,
// which stay in the trees that they were in. A move is kept if what nodes cost by their levels
// does not rise.
type search struct {
	Shape
	draw *rand.Rand

	degree []int
	next   [][]int32 // neighbors of a node, by place
	back   [][]int32 // the place of the node at that neighbor
	tree   [][]int32 // of the circuit from that neighbor to the node; Trees and more: none
	place  [][]int32 // by node and tree: the place of its parent, if any
	level  [][]int32 // by tree and node; far: not reached

	costs   []float64 // by level
	cost    float64
	stopped func() bool
	accept  func() bool // whether a move is kept; nil: if it costs no more
	undo    []leveled
	queue   []int32
}

// leveled is a level that a node had.
type leveled struct{ tree, node, level int32 }

// far is the level of nodes that are not reached.
const far = math.MaxInt32

// emptySearch returns a search without circuits.
func emptySearch(s Shape, draw *rand.Rand) *search {
	l := &search{Shape: s, draw: draw, degree: make([]int, s.Nodes)}
	for v := range l.degree {
		l.degree[v] = s.Degree
	}
	l.degree[0] = s.rootDegree()
	l.next, l.back, l.tree, l.place = make([][]int32, s.Nodes), make([][]int32, s.Nodes), make([][]int32, s.Nodes), make([][]int32, s.Nodes)
	for range s.Trees {
		l.level = append(l.level, make([]int32, s.Nodes))
	}
	return l
}

// newSearch returns a search with a random graph.
func newSearch(s Shape, draw *rand.Rand) *search {
	l := emptySearch(s, draw)
	for v, edges := range randomGraph(l.degree, draw) {
		l.next[v] = edges
		l.back[v] = make([]int32, len(edges))
		l.tree[v], l.place[v] = make([]int32, len(edges)), make([]int32, max(len(edges), s.Trees))
	}
	for v := range l.next {
		for k, u := range l.next[v] {
			for b, w := range l.next[u] {
				if w == int32(v) {
					l.back[v][k] = int32(b)
				}
			}
			l.tree[v][k], l.place[v][k] = int32(k), int32(k)
		}
	}
	return l
}

// randomGraph returns a random graph with the given degrees, without parallel circuits: random
// pairs of ends; bad pairs exchange ends with others.
func randomGraph(degree []int, draw *rand.Rand) [][]int32 {
	var ends []int32
	for v, d := range degree {
		for range d {
			ends = append(ends, int32(v))
		}
	}
	draw.Shuffle(len(ends), func(i, j int) { ends[i], ends[j] = ends[j], ends[i] })
	count := map[[2]int32]int{}
	key := func(i int) [2]int32 { return [2]int32{min(ends[i], ends[i^1]), max(ends[i], ends[i^1])} }
	bad := func(i int) bool { return ends[i] == ends[i^1] || count[key(i)] > 1 }
	for i := 0; i < len(ends); i += 2 {
		count[key(i)]++
	}
	for again := true; again; {
		again = false
		for i := 0; i < len(ends); i += 2 {
			for bad(i) {
				again = true
				j := draw.IntN(len(ends))
				if j/2 == i/2 {
					continue
				}
				count[key(i)]--
				count[key(j)]--
				ends[i], ends[j] = ends[j], ends[i]
				count[key(i)]++
				count[key(j)]++
			}
		}
	}
	next := make([][]int32, len(degree))
	for i, v := range ends {
		next[v] = append(next[v], ends[i^1])
	}
	return next
}

// grow assigns circuits to trees level by level. In turn, each tree takes the next node that it
// has reached, and goes on from it to all neighbors that it has not reached. Then the other
// circuits go to the trees that nodes are missing from, whatever comes of it.
func (l *search) grow() {
	for v := range l.tree {
		for k := range l.tree[v] {
			l.tree[v][k] = far
		}
	}
	for i := range l.level {
		for v := range l.level[i] {
			l.level[i][v] = far
		}
		l.level[i][0] = 0
	}
	take := func(i int, v int32, k int) bool { // circuit k from v, for tree i
		u, b := l.next[v][k], l.back[v][k]
		if u == 0 || l.tree[u][b] != far || l.level[i][u] != far {
			return false
		}
		l.tree[u][b], l.place[u][i], l.level[i][u] = int32(i), b, l.level[i][v]+1
		return true
	}
	reached := make([][]int32, l.Trees)
	for k := range l.next[0] {
		if i := k % l.Trees; take(i, 0, k) {
			reached[i] = append(reached[i], l.next[0][k])
		}
	}
	for more := true; more; {
		more = false
		for i := range reached {
			if len(reached[i]) == 0 {
				continue
			}
			v := reached[i][0]
			reached[i], more = reached[i][1:], true
			for k := range l.next[v] {
				if take(i, v, k) {
					reached[i] = append(reached[i], l.next[v][k])
				}
			}
		}
	}
	for v := range l.tree {
		missing := int32(0)
		for k := range l.tree[v] {
			if l.tree[v][k] != far {
				continue
			}
			for int(missing) < l.Trees && v > 0 && l.level[missing][v] != far {
				missing++
			}
			if v == 0 {
				missing = int32(l.Trees) // the root has no parents
			}
			l.tree[v][k] = missing
			if int(missing) < len(l.place[v]) {
				l.place[v][missing] = int32(k)
			}
			missing++
		}
	}
	for i := range l.Trees {
		for v := 1; v < l.Nodes; v++ {
			if l.level[i][v] == far {
				l.relevel(int32(i), int32(v))
			}
		}
	}
	l.undo = l.undo[:0]
}

// depth returns the depth of the highest tree; far if some node is not reached.
func (l *search) depth() int {
	depth := int32(0)
	for _, level := range l.level {
		for _, x := range level {
			depth = max(depth, x)
		}
	}
	return int(depth)
}

// parent returns the parent of a node in a tree.
func (l *search) parent(i, v int32) int32 { return l.next[v][l.place[v][i]] }

// relevel sets the levels of a node and of all below it in a tree, once its parent has changed,
// and adds what that costs.
func (l *search) relevel(i, v int32) {
	level := l.level[i]
	top := level[l.parent(i, v)]
	if top != far {
		top++
	}
	list := append(l.queue[:0], v)
	for at := 0; at < len(list); at++ { // all below first, to see cycles
		u := list[at]
		for k, w := range l.next[u] {
			if l.tree[w][l.back[u][k]] != i {
				continue
			}
			if w == v {
				top = far
				continue
			}
			list = append(list, w)
		}
	}
	for at, u := range list {
		now := top
		if at > 0 && top != far {
			now = level[l.parent(i, u)] + 1
		}
		if now != level[u] {
			l.undo = append(l.undo, leveled{i, u, level[u]})
			l.cost += l.of(now) - l.of(level[u])
			level[u] = now
		}
	}
	l.queue = list
}

// of returns the cost of a level.
func (l *search) of(level int32) float64 { return l.costs[min(int(level), len(l.costs)-1)] }

// trees returns the trees.
func (l *search) trees() *Trees {
	w := &Trees{Depth: l.depth()}
	for i := range l.Trees {
		parent, level := make([]int, l.Nodes), make([]int, l.Nodes)
		for v := 1; v < l.Nodes; v++ {
			parent[v], level[v] = int(l.parent(int32(i), int32(v))), int(l.level[i][v])
		}
		w.Parent, w.Level = append(w.Parent, parent), append(w.Level, level)
	}
	return w
}
