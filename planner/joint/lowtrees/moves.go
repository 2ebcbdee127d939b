package lowtrees

import "math"

// This file has the moves of the search.

// steep is how many times more a level costs than the one above it.
const steep = 3

// closely is how many moves there are for one that is looked at closely although it lets another
// node sink.
const closely = 4

// steps is the number of levels below the aim whose costs still grow.
const steps = 12

// aim sets the costs of levels, so that the search lifts nodes below a level first.
func (l *search) aim(depth int) {
	l.costs = make([]float64, depth+steps+1)
	for i := range l.costs {
		l.costs[i] = math.Pow(steep, float64(i-depth))
	}
	l.cost = 0
	for _, level := range l.level {
		for _, x := range level {
			l.cost += l.of(x)
		}
	}
}

// climb looks for trees of a depth by a number of moves.
func (l *search) climb(depth, moves int) {
	low := l.low(nil, depth)
	for k := range moves {
		if k%1024 == 0 && l.stopped() {
			return
		}
		if len(low) == 0 {
			if low = l.low(low, depth); len(low) == 0 {
				return
			}
		}
		at := l.draw.IntN(len(low))
		i, v := low[at].tree, low[at].node
		if l.level[i][v] <= int32(depth) {
			low[at] = low[len(low)-1]
			low = low[:len(low)-1]
			continue
		}
		if l.draw.IntN(4) == 0 {
			l.exchange(i, v)
		} else {
			l.reconnect(i, v, depth)
		}
	}
}

// low lists the nodes below a depth, by tree.
func (l *search) low(list []leveled, depth int) []leveled {
	for i, level := range l.level {
		for v, x := range level {
			if int(x) > depth {
				list = append(list, leveled{int32(i), int32(v), x})
			}
		}
	}
	return list
}

// keep keeps a move if it costs no more than before, and reports whether it did.
func (l *search) keep(before float64) bool {
	if l.accept == nil && l.cost <= before*(1+1e-12) || l.accept != nil && l.accept() {
		l.undo = l.undo[:0]
		return true
	}
	for k := len(l.undo) - 1; k >= 0; k-- {
		l.level[l.undo[k].tree][l.undo[k].node] = l.undo[k].level
	}
	l.undo, l.cost = l.undo[:0], before
	return false
}

// swap exchanges the trees of two circuits to a node.
func (l *search) swap(v, a, b int32) {
	tree := l.tree[v]
	tree[a], tree[b] = tree[b], tree[a]
	l.settle(v, a)
	l.settle(v, b)
}

// settle notes the place of a circuit's tree.
func (l *search) settle(v, k int32) {
	if i := l.tree[v][k]; int(i) < len(l.place[v]) {
		l.place[v][i] = k
	}
}

// exchange tries to exchange a node's parents in a tree and another one.
func (l *search) exchange(i, v int32) {
	a, b := l.place[v][i], int32(l.draw.IntN(l.degree[v]))
	if a == b {
		return
	}
	before := l.cost
	l.swap(v, a, b)
	l.relevel(i, v)
	if j := l.tree[v][a]; int(j) < l.Trees {
		l.relevel(j, v)
	}
	if !l.keep(before) {
		l.swap(v, a, b)
	}
}

// reconnect tries to give a node another neighbor as its parent: of the circuits between v and its
// parent and between the new parent and one of its neighbors, the ends are exchanged. Each end
// keeps its trees.
func (l *search) reconnect(i, v int32, depth int) {
	var u int32
	for try := 0; ; try++ {
		if u = int32(l.draw.IntN(l.Nodes)); int(l.level[i][u]) < depth && u != v {
			break
		}
		if try == 20 {
			return
		}
	}
	a := l.place[v][i]
	p, b := l.next[v][a], l.back[v][a]
	c := int32(l.draw.IntN(l.degree[u]))
	x, d := l.next[u][c], l.back[u][c]
	if u == p || x == v || x == p || l.joined(v, u) || l.joined(p, x) {
		return
	}
	if l.draw.IntN(closely) > 0 && (l.sinks(x, d, p, depth) || l.sinks(p, b, x, depth) || l.sinks(u, c, v, depth)) {
		return
	}
	before := l.cost
	l.join(v, a, u, c)
	l.join(p, b, x, d)
	l.relevelAll(v, a, u, c, p, b, x, d)
	if !l.keep(before) {
		l.join(v, a, p, b)
		l.join(u, c, x, d)
	}
}

// sinks reports whether another neighbor at the end of a circuit would take a node further below a
// depth in the circuit's tree. That rarely pays, and following it takes longest.
func (l *search) sinks(v, a, neighbor int32, depth int) bool {
	i := l.tree[v][a]
	if int(i) >= l.Trees {
		return false
	}
	now := l.level[i][neighbor]
	return now == far || int(now) >= depth && now >= l.level[i][v]
}

// relevelAll sets levels below four ends of circuits, each a node and a place.
func (l *search) relevelAll(ends ...int32) {
	for k := 0; k < len(ends); k += 2 {
		if i := l.tree[ends[k]][ends[k+1]]; int(i) < l.Trees {
			l.relevel(i, ends[k])
		}
	}
}

// joined reports whether there is a circuit between two nodes.
func (l *search) joined(v, u int32) bool {
	for _, w := range l.next[v] {
		if w == u {
			return true
		}
	}
	return false
}

// join makes a circuit between two nodes, each at a place.
func (l *search) join(v, a, u, c int32) {
	l.next[v][a], l.back[v][a] = u, c
	l.next[u][c], l.back[u][c] = v, a
}
