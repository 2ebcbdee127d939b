package lowtrees

import (
	"cmp"
	"math/rand/v2"
	"slices"
)

// This file makes trees of many nodes by a rule. A search by single moves is too slow for them.
//
// With as many trees as circuits per node, the nodes below the root form a class for each tree. The
// nodes of a class are a heap: a tree with at most Degree-1 children per node, which is the top of
// the class's own tree. All heaps have the same form. A node has a slot for every other class: the
// slot for the class d further has either a child in the heap or a circuit to a node of that class,
// its mate. From a mate it gets the mate's tree, and the mate gets its own. A child sends up the
// tree of the class that its slot is for, which it has from the same slot of its own: so a tree
// comes up a run of slots for the same class, from the mate at its end. Its level at the top of the
// run is one more than the mate's plus the length of the run.
//
// So trees are low if the ends of long runs have mates near the top of their heaps. Nodes there
// must leave slots to mates, which makes heaps higher. For each aimed depth, a few shares of such
// slots are tried, and mates are matched so that none exceeds the depth.

// heap is the form that all classes have. Positions are in the order of levels.
type heap struct {
	degree int
	level  []int   // of a position; the top is on 1
	last   []int   // the slot in which a position is a child; 0 for the top
	run    []int   // how many slots in a row lead down to a position and are the same
	child  [][]int // by position and slot, from 1; 0: a mate
}

// free is a slot with a mate: it is at the end of a run.
type free struct{ at, level, run int }

// newHeap returns a heap with a number of positions, in which every node below the top leaves a
// share of its slots to mates, as far as it has slots in which no run ends. Slots for opposite
// classes get as many mates.
func newHeap(positions, degree int, share float64) *heap {
	h := &heap{degree: degree}
	add := func(parent, slot int) {
		at := len(h.level)
		h.level, h.last, h.run = append(h.level, 1), append(h.last, slot), append(h.run, 0)
		h.child = append(h.child, make([]int, degree))
		if at > 0 {
			h.level[at], h.child[parent][slot], h.run[at] = h.level[parent]+1, at, 1
			if h.last[parent] == slot {
				h.run[at] += h.run[parent]
			}
		}
	}
	add(0, 0)
	children, mates := make([]int, degree), make([]int, degree) // by slot
	debt := 0.0
	for at := 0; at < len(h.level) && len(h.level) < positions; at++ {
		if at > 0 {
			debt += share
		}
		leaves := make([]bool, degree)
		for ; debt >= 1; debt-- {
			least := 0
			for slot := 1; slot < degree; slot++ {
				if !leaves[slot] && h.last[at] != slot && (least == 0 || mates[slot] < mates[least]) {
					least = slot
				}
			}
			if least == 0 {
				break
			}
			leaves[least] = true
			mates[least]++
		}
		for slot := 1; slot < degree; slot++ {
			owed := 0 // children that opposite slots need to have as many
			for k := 1; k <= degree/2; k++ {
				owed += max(children[k], children[degree-k]) - min(children[k], children[degree-k])
			}
			rest := positions - len(h.level)
			ahead := children[slot] >= children[degree-slot]
			if leaves[slot] || rest == 0 || ahead && slot != degree-slot && rest < owed+2 || slot == degree-slot && rest <= owed {
				continue
			}
			children[slot]++
			add(at, slot)
		}
	}
	return h
}

// frees lists the slots for a class that have mates.
func (h *heap) frees(slot int) []free {
	var list []free
	for at, children := range h.child {
		if children[slot] == 0 {
			f := free{at: at, level: h.level[at]}
			if h.last[at] == slot {
				f.run = h.run[at]
			}
			list = append(list, f)
		}
	}
	return list
}

// kind is what slots with mates have in common.
type kind struct{ level, run int }

// kinds groups slots, in the order in which their kinds appear.
func kinds(list []free) (all []kind, of map[kind][]int) {
	of = map[kind][]int{}
	for _, f := range list {
		k := kind{f.level, f.run}
		if of[k] == nil {
			all = append(all, k)
		}
		of[k] = append(of[k], f.at)
	}
	return all, of
}

// mates matches slots of two opposite classes so that no tree is deeper than depth, or returns nil.
// It matches kinds, as a flow.
func mates(a, b []free, depth int) [][2]int {
	kindsA, ofA := kinds(a)
	kindsB, ofB := kinds(b)
	allowed := func(i, j int) bool {
		x, y := kindsA[i], kindsB[j]
		return y.level+1+x.run <= depth && x.level+1+y.run <= depth
	}
	given := make([][]int, len(kindsA)) // how many of each kind go to each other kind
	for i := range given {
		given[i] = make([]int, len(kindsB))
	}
	left := make([]int, len(kindsB))
	for j, k := range kindsB {
		left[j] = len(ofB[k])
	}
	for i, x := range kindsA {
		for need := len(ofA[x]); need > 0; {
			moved := widen(i, need, left, given, allowed)
			if moved == 0 {
				return nil
			}
			need -= moved
		}
	}
	pairs := make([][2]int, 0, len(a))
	for i, x := range kindsA {
		for j, y := range kindsB {
			for range given[i][j] {
				u, v := ofA[x], ofB[y]
				pairs = append(pairs, [2]int{u[0], v[0]})
				ofA[x], ofB[y] = u[1:], v[1:]
			}
		}
	}
	return pairs
}

// widen gives up to need more of kind i to other kinds, along a shortest augmenting path, and
// returns how many.
func widen(i, need int, left []int, given [][]int, allowed func(i, j int) bool) int {
	type step struct{ from, kind int } // from: the kind of the other side before it
	seenA, seenB := map[int]step{i: {-1, i}}, map[int]step{}
	queue := []int{i}
	for len(queue) > 0 {
		x := queue[0]
		queue = queue[1:]
		for j := range left {
			if _, seen := seenB[j]; seen || !allowed(x, j) {
				continue
			}
			seenB[j] = step{x, j}
			if left[j] > 0 {
				amount := min(need, left[j])
				for at := j; ; {
					x := seenB[at].from
					if before := seenA[x].from; before >= 0 {
						amount = min(amount, given[x][before])
						at = before
						continue
					}
					break
				}
				left[j] -= amount
				for at := j; ; {
					x := seenB[at].from
					given[x][at] += amount
					before := seenA[x].from
					if before < 0 {
						return amount
					}
					given[x][before] -= amount
					at = before
				}
			}
			for other := range given {
				if _, seen := seenA[other]; !seen && given[other][j] > 0 {
					seenA[other] = step{j, other}
					queue = append(queue, other)
				}
			}
		}
	}
	return 0
}

// made is a heap with mates for the slots 1 to degree/2; those of the others are the same pairs.
type made struct {
	*heap
	pairs [][][2]int // by slot
	depth int
}

// shares are the shares of slots that are tried.
var shares = [...]float64{0, 0.08, 0.1, 0.16, 0.2, 0.28, 0.34, 0.5, 0.76, 1, 1.18, 1.6}

// bestHeap returns a heap with mates whose trees are as low as any that it tries, or nil.
func bestHeap(positions, degree, least int) *made {
	var best *made
	for _, share := range shares {
		h := newHeap(positions, degree, share)
		if share > float64(degree-2) || len(h.level) < positions {
			break
		}
		most := h.level[positions-1] + h.level[positions-1] + 1
		if best != nil {
			most = best.depth - 1
		}
		for depth := least; depth <= most; depth++ {
			if pairs := h.match(depth); pairs != nil {
				best = &made{h, pairs, depth}
				break
			}
		}
	}
	return best
}

// match matches all slots of a heap.
func (h *heap) match(depth int) [][][2]int {
	pairs := make([][][2]int, h.degree/2+1)
	for slot := 1; slot <= h.degree/2; slot++ {
		a, b := h.frees(slot), h.frees(h.degree-slot)
		if len(a) != len(b) {
			return nil
		}
		if pairs[slot] = mates(a, b, depth); pairs[slot] == nil {
			return nil
		}
	}
	return pairs
}

// byRule returns the trees of the rule, or nil. With fewer trees than circuits, it leaves circuits
// unused.
func byRule(s Shape, draw *rand.Rand) *Trees {
	s.Degree = s.Trees
	if !s.Fits() {
		return nil
	}
	l := heaps(s, draw)
	if l == nil {
		return nil
	}
	depth := l.depth()
	l.aim(depth)
	if w := l.sendLastSooner(depth); w != nil {
		return w
	}
	return l.trees()
}

// heaps returns the trees of the rule, or nil if it has none. Nodes beyond classes of the same size
// are put into circuits between mates that bring them all trees.
func heaps(s Shape, draw *rand.Rand) *search {
	d := s.Degree
	positions := (s.Nodes - 1) / d
	if d%2 == 1 && positions%2 == 0 {
		positions--
	}
	if positions < 1 {
		return nil
	}
	m := bestHeap(positions, d, s.Least())
	if m == nil {
		return nil
	}
	l := emptySearch(s, draw)
	of := func(at, class int) int32 { return int32(1 + at*d + class%d) }
	for class := range d {
		for at := range positions {
			v := of(at, class)
			l.next[v], l.back[v], l.tree[v], l.place[v] = make([]int32, d), make([]int32, d), make([]int32, d), make([]int32, d)
			for k := range d {
				l.tree[v][k], l.place[v][(class+k)%d] = int32((class+k)%d), int32(k)
			}
		}
	}
	for class := range d {
		l.next[0], l.back[0], l.tree[0] = append(l.next[0], of(0, class)), append(l.back[0], 0), append(l.tree[0], int32(s.Trees+class))
		l.back[of(0, class)][0] = int32(class)
		for at, children := range m.child {
			for slot, child := range children {
				if child > 0 {
					l.join(of(at, class), int32(slot), of(child, class), 0)
				}
			}
		}
		for slot, pairs := range m.pairs {
			if slot == d-slot && class >= d/2 {
				continue // made from the other end
			}
			for _, p := range pairs {
				l.join(of(p[0], class), int32(slot), of(p[1], class+slot), int32(d-slot))
			}
		}
	}
	l.place[0] = make([]int32, d)
	if !l.insert(m, positions*d+1, of) {
		return nil
	}
	l.reach()
	return l
}

// insert puts the nodes from first on into circuits between mates of the least depth.
func (l *search) insert(m *made, first int, of func(at, class int) int32) bool {
	d, slot := l.Degree, max(1, l.Degree/2*(1-l.Degree%2))
	pairs := slices.Clone(m.pairs[slot])
	down := func(p [2]int) int { return max(m.below(p[0], slot)+m.level[p[1]], m.below(p[1], d-slot)+m.level[p[0]]) }
	slices.SortStableFunc(pairs, func(p, q [2]int) int { return cmp.Compare(down(p), down(q)) })
	put := func(w int32, class int) {
		u, v := of(pairs[0][0], class), of(pairs[0][1], class+slot)
		a, b := int32(slot), int32(d-slot)
		for _, end := range [...]struct{ u, a, tree int32 }{{u, a, l.tree[v][b]}, {v, b, l.tree[u][a]}} {
			l.next[w], l.back[w] = append(l.next[w], end.u), append(l.back[w], end.a)
			l.place[w][end.tree] = int32(len(l.tree[w]))
			l.tree[w] = append(l.tree[w], end.tree)
			l.next[end.u][end.a], l.back[end.u][end.a] = w, int32(len(l.next[w])-1)
		}
	}
	for w := int32(first); int(w) < l.Nodes; w++ {
		if len(pairs) == 0 {
			return false
		}
		l.place[w] = make([]int32, d)
		if d%2 == 0 {
			for class := range d / 2 {
				put(w, class)
			}
		} else { // two nodes together, with a circuit between them
			l.place[w+1] = make([]int32, d)
			for class := 1; class < d; class += 2 {
				put(w, class)
				put(w+1, class+1)
			}
			for _, v := range [...]int32{w, w + 1} {
				l.next[v], l.back[v] = append(l.next[v], 2*w+1-v), append(l.back[v], int32(d-1))
				l.place[v][v-w] = int32(d - 1)
				l.tree[v] = append(l.tree[v], v-w)
			}
			w++
		}
		pairs = pairs[1:]
	}
	return true
}

// below returns one more than the length of the run of slots that ends at a position.
func (h *heap) below(at, slot int) int {
	if h.last[at] == slot {
		return h.run[at] + 1
	}
	return 1
}

// reach finds the levels of all nodes.
func (l *search) reach() {
	for i, level := range l.level {
		for v := range level {
			level[v] = far
		}
		level[0] = 0
		for list := []int32{0}; len(list) > 0; list = list[1:] {
			u := list[0]
			for k, w := range l.next[u] {
				if int(l.tree[w][l.back[u][k]]) == i && level[w] == far {
					level[w] = level[u] + 1
					list = append(list, w)
				}
			}
		}
	}
}
