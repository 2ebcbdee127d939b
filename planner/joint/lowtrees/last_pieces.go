package lowtrees

import "slices"

// This file sends the last pieces of a pipeline to the lowest nodes. Once the last piece down a
// tree has passed a circuit, the circuit is idle. A node that is among the lowest of a tree may be
// high in another one, and get the last piece of the first tree from its parent in the second. If
// all of the lowest nodes do, the pipeline is a step shorter. The search goes on until they do:
// with the same moves, it looks for trees of the same depth in which fewer nodes must wait.

// Late is a last piece that comes over a circuit that is idle by then. Step counts from 0, when the
// last pieces leave the root.
type Late struct{ Tree, From, To, Step int }

// maxLooks limits the search: nodes looked at, in all trees.
const maxLooks = 1_000_000

// sendLastSooner looks for trees of a depth whose lowest nodes get the last pieces a step earlier,
// and returns them with these transfers, or nil.
func (l *search) sendLastSooner(depth int) *Trees {
	if depth < 3 || l.depth() > depth {
		return nil
	}
	h := &lastPieces{search: l, depth: int32(depth)}
	h.count()
	waiting := slices.Clone(h.waiting)
	l.accept = func() bool {
		for _, was := range l.undo {
			if l.level[was.tree][was.node] > h.depth {
				return false
			}
		}
		if h.count(); len(h.waiting) > len(waiting) {
			return false
		}
		waiting = append(waiting[:0], h.waiting...)
		return true
	}
	defer func() { l.accept = nil }()
	for range maxLooks / (l.Nodes * l.Trees) {
		if len(waiting) == 0 {
			break
		}
		at := waiting[l.draw.IntN(len(waiting))]
		if i := int32(l.draw.IntN(l.Trees)); l.draw.IntN(2) == 0 {
			l.exchange(i, at)
		} else {
			l.reconnect(i, at, depth)
		}
	}
	if h.count(); len(h.waiting) > 0 {
		return nil
	}
	w := l.trees()
	w.Late = h.late
	return w
}

// lastPieces is how the lowest nodes get the last pieces.
type lastPieces struct {
	*search
	depth   int32
	waiting []int32 // the nodes that get some in the last step
	late    []Late

	slots []slot
	seen  []bool
}

// slot is a step in which a circuit from a neighbor is idle.
type slot struct{ from, step, tree int32 } // and the tree of the last piece that takes it, or -1

// count finds the nodes that must wait for the last step, and what the others get before it.
func (h *lastPieces) count() {
	h.waiting, h.late = h.waiting[:0], h.late[:0]
	for v := int32(1); int(v) < h.Nodes; v++ {
		for i := range h.level {
			if h.level[i][v] == h.depth {
				if !h.match(v) {
					h.waiting = append(h.waiting, v)
				}
				break
			}
		}
	}
}

// match gives each last piece that a node would get in the last step an idle circuit and a step of
// its own, by augmenting paths, and reports whether it can.
func (h *lastPieces) match(v int32) bool {
	h.slots = h.slots[:0]
	for k, u := range h.next[v] {
		since := int32(0)
		if i := h.tree[v][k]; int(i) < h.Trees {
			since = h.level[i][v]
		} else if int(h.tree[u][h.back[v][k]]) >= h.Trees || u == 0 {
			continue // no tree needs this circuit
		}
		for step := since; step < h.depth-1; step++ {
			h.slots = append(h.slots, slot{u, step, -1})
		}
	}
	if h.seen = h.seen[:0]; cap(h.seen) < len(h.slots) {
		h.seen = make([]bool, len(h.slots))
	}
	h.seen = h.seen[:len(h.slots)]
	for i := range h.level {
		if h.level[i][v] == h.depth {
			clear(h.seen)
			if !h.place(int32(i)) {
				return false
			}
		}
	}
	for _, s := range h.slots {
		if s.tree >= 0 {
			h.late = append(h.late, Late{Tree: int(s.tree), From: int(s.from), To: int(v), Step: int(s.step)})
		}
	}
	return true
}

// place finds a slot for the last piece of a tree: the neighbor must have it by then.
func (h *lastPieces) place(tree int32) bool {
	for k := range h.slots {
		s := &h.slots[k]
		if h.seen[k] || h.level[tree][s.from] > s.step {
			continue
		}
		h.seen[k] = true
		if s.tree < 0 || h.place(s.tree) {
			s.tree = tree
			return true
		}
	}
	return false
}
