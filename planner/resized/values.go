package resized

import "github.com/lightpath-net/lightpath/collective"

// sums has a number for the value of each class at each node. Two values that differ have
// different numbers, except by a coincidence of 64 bits; plans are verified anyway.
type sums struct {
	classes int
	of      []uint64
}

func newSums(f *form) *sums { return &sums{len(f.weight), make([]uint64, f.nodes*len(f.weight))} }

func (s *sums) at(node, class int) *uint64 { return &s.of[node*s.classes+class] }

func (s *sums) copy() *sums { return &sums{s.classes, append([]uint64(nil), s.of...)} }

// mark returns the number that stands for a node: the output of splitmix64.
func mark(node int) uint64 {
	x := uint64(node+1) * 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// marks returns the sums before the first step, and after the last: every node has its own mark,
// except one that is left out (-1: none).
func marks(f *form, without int) *sums {
	s := newSums(f)
	for u := range f.nodes {
		if u == without {
			continue
		}
		for k := range s.classes {
			*s.at(u, k) = mark(u)
		}
	}
	return s
}

// whole returns the sum of all marks.
func whole(nodes, without int) uint64 {
	sum := uint64(0)
	for u := range nodes {
		if u != without {
			sum += mark(u)
		}
	}
	return sum
}

// contents returns what is in the values after a step, from what is in them before it.
func contents(before *sums, moves []move) *sums {
	return before.carried(moves, func(m *move) (from, to int) { return m.src, m.dst })
}

// uses returns which results the values before a step will be part of, from which results those
// after it will be.
func uses(after *sums, moves []move) *sums {
	return after.carried(moves, func(m *move) (from, to int) { return m.dst, m.src })
}

// carried returns the sums without what moves overwrite at their targets, and with what each move
// carries from one of its ends to the other.
func (s *sums) carried(moves []move, ends func(m *move) (from, to int)) *sums {
	next := s.copy()
	for i := range moves {
		if m := &moves[i]; m.action != collective.Reduce {
			for _, k := range m.classes {
				*next.at(m.dst, k) = 0
			}
		}
	}
	for i := range moves {
		from, to := ends(&moves[i])
		for _, k := range moves[i].classes {
			*next.at(to, k) += *s.at(from, k)
		}
	}
	return next
}

// overwritten returns the action other than Reduce that brings each class to each node in a step,
// "" if there is none.
func overwritten(f *form, moves []move) func(node, class int) collective.Action {
	all := map[[2]int]collective.Action{}
	for i := range moves {
		if m := &moves[i]; m.action != collective.Reduce {
			for _, k := range m.classes {
				all[[2]int{m.dst, k}] = m.action
			}
		}
	}
	return func(node, class int) collective.Action { return all[[2]int{node, class}] }
}
