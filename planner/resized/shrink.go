package resized

import (
	"slices"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/flow"
	"github.com/lightpath-net/lightpath/topology"
)

// shrunk returns the form without GPU b, whose part GPU h takes over; nil if that is impossible.
//
// From b's point of view nothing changes, except that it has no vector of its own and needs no
// result. For every class, h holds its own value or that of b, whichever is still of use. If both
// are, they must be equal, or be part of the same results: then h holds their sum from then on.
func (f *form) shrunk(b, h int, twoWay bool) *form {
	var steps [][]move
	for _, l := range f.layers {
		steps = append(steps, l.steps...)
	}
	after := make([]*sums, len(steps))
	for i, all := len(steps)-1, marks(f, b); i >= 0; i-- {
		after[i] = all
		all = uses(all, steps[i])
	}
	made := &form{nodes: f.nodes - 1, weight: f.weight}
	s := shrinking{form: f, gone: b, host: h, before: marks(f, b), holds: make([]bool, len(f.weight))}
	at := 0
	for _, l := range f.layers {
		less := layer{graph: removed(l.graph, b, twoWay)}
		trees := map[int]*tree{}
		search := func(from int) *tree {
			if trees[from] == nil {
				trees[from] = treeFrom(less.graph, from)
			}
			return trees[from]
		}
		for _, moves := range l.steps {
			moves, ok := s.step(moves, after[at])
			if !ok {
				return nil
			}
			at++
			for k := range moves {
				if moves[k] = s.rerouted(moves[k], less.graph, search); moves[k].routes == nil {
					return nil
				}
			}
			less.steps = append(less.steps, joined(moves))
		}
		made.layers = append(made.layers, less)
	}
	return made
}

// shrinking follows the values of a form from step to step.
type shrinking struct {
	*form
	gone, host int
	before     *sums  // what is in the values before the step
	holds      []bool // for every class: the host holds the value of the GPU that is gone
}

// step returns the moves of a step of the smaller form, with the nodes and routes of the larger
// one. It returns false if the host cannot take over what the other GPU would do.
func (s *shrinking) step(moves []move, after *sums) ([]move, bool) {
	next := contents(s.before, moves)
	lost := overwritten(s.form, moves)
	var made []move
	arrivals := map[int]*[2][]arrival{} // by class: at the host, and at the GPU that is gone
	for i := range moves {
		m := moves[i]
		src, dst := m.src, m.dst
		if src == s.gone {
			src = s.host
		}
		var classes []int
		for _, k := range m.classes {
			switch {
			case *s.before.at(m.src, k) == 0 || *after.at(dst, k) == 0:
				continue // nothing is sent, or nothing comes of it
			case m.src == s.host && s.holds[k], m.src == s.gone && !s.holds[k] && *s.before.at(s.host, k) != *s.before.at(s.gone, k):
				return nil, false
			case dst != s.host && dst != s.gone:
				classes = append(classes, k)
				continue
			}
			if arrivals[k] == nil {
				arrivals[k] = &[2][]arrival{}
			}
			which := 0
			if dst == s.gone {
				which = 1
			}
			arrivals[k][which] = append(arrivals[k][which], arrival{m, src})
		}
		if classes != nil {
			m.src, m.classes = src, classes
			made = append(made, m)
		}
	}
	made, ok := once(made)
	if !ok {
		return nil, false
	}
	for k := range s.weight {
		got := arrivals[k]
		if got == nil {
			got = &[2][]arrival{}
		}
		more, ok := s.hold(k, got, next, after, lost)
		if !ok {
			return nil, false
		}
		made = append(made, more...)
	}
	s.before = next
	return made, true
}

// arrival is a move to the host or to the GPU that is gone, from the node that sends it now.
type arrival struct {
	move
	from int
}

// hold decides which value of a class the host holds after a step, and returns the moves that
// lead to it.
func (s *shrinking) hold(k int, got *[2][]arrival, next, after *sums, lost func(node, class int) collective.Action) ([]move, bool) {
	ends := [2]int{s.host, s.gone}
	var active [2]bool
	for i, u := range ends {
		active[i] = *next.at(u, k) != 0 && *after.at(u, k) != 0
	}
	held := *s.before.at(s.host, k) // by the host before the step
	if s.holds[k] {
		held = *s.before.at(s.gone, k)
	}
	// build returns the moves that lead to the values of some of the two.
	build := func(which ...int) ([]move, bool) {
		var remote []arrival
		kept := uint64(0)
		copied := false
		for _, i := range which {
			if lost(ends[i], k) == "" {
				kept += *s.before.at(ends[i], k)
			}
			for _, a := range got[i] {
				copied = copied || a.action == collective.Copy
				if a.from == s.host {
					kept += *s.before.at(a.move.src, k)
				} else {
					remote = append(remote, a)
				}
			}
		}
		action := collective.Reduce
		switch {
		case kept == held && held != 0 && (!copied || len(remote) == 0):
		case kept != 0 || copied && len(remote) != 1:
			return nil, false
		case copied:
			action = collective.Copy
		case held != 0:
			action = collective.Replace
		}
		var moves []move
		for _, a := range remote {
			m := a.move
			m.src, m.dst, m.action, m.classes = a.from, s.host, action, []int{k}
			if slices.ContainsFunc(moves, func(n move) bool { return n.src == m.src }) {
				return nil, false
			}
			moves = append(moves, m)
		}
		return moves, true
	}
	switch {
	case !active[0] && !active[1]:
		s.holds[k] = false
		*next.at(s.host, k) = held // whatever it is, nobody needs it
		return nil, true
	case !active[1]:
		s.holds[k] = false
		return build(0)
	case !active[0]:
		s.holds[k] = true
		return build(1)
	case *next.at(s.host, k) == *next.at(s.gone, k):
		s.holds[k] = false
		moves, ok := build(0)
		if others, also := build(1); !ok || also && len(others) < len(moves) {
			return others, also
		}
		return moves, ok
	case *after.at(s.host, k) == *after.at(s.gone, k):
		s.holds[k] = false
		*next.at(s.host, k) += *next.at(s.gone, k)
		*next.at(s.gone, k) = 0
		return build(0, 1)
	}
	return nil, false
}

// once drops copies of a class that a step sends between the same nodes twice. It returns false if
// something else is sent twice.
func once(moves []move) ([]move, bool) {
	seen, ok := map[[3]int]bool{}, true
	for i := range moves {
		m := &moves[i]
		m.classes = slices.DeleteFunc(m.classes, func(k int) bool {
			key := [3]int{m.src, m.dst, k}
			twice := seen[key]
			ok = ok && (!twice || m.action == collective.Copy)
			seen[key] = true
			return twice
		})
	}
	return moves, ok
}

// rerouted returns a move on the circuits of the smaller form. It has no routes if there are none.
func (s *shrinking) rerouted(m move, g *topology.Graph, search func(from int) *tree) move {
	down := func(u int) int {
		if u > s.gone {
			return u - 1
		}
		return u
	}
	var routes []flow.Route
	for _, r := range m.routes {
		visits := []int32{int32(down(m.src))}
		for _, u := range r.Path[1 : len(r.Path)-1] {
			if int(u) != s.gone {
				visits = append(visits, int32(down(int(u))))
			}
		}
		path := shortened(append(visits, int32(down(m.dst))), g, search)
		if len(path) < 2 {
			m.routes = nil
			return m
		}
		routes = append(routes, flow.Route{Path: path, Share: r.Share})
	}
	m.src, m.dst, m.routes = down(m.src), down(m.dst), routes
	return m
}
