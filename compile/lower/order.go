package lower

import (
	"slices"

	"github.com/lightpath-net/lightpath/compile/program"
)

// contiguous splits moves at units that are not consecutive in a buffer.
func (p *places) contiguous(moves []move) ([]move, error) {
	var split []move
	for _, m := range moves {
		src, dst := m.src(), m.dst()
		type spot struct{ from, to, sum program.Loc }
		look := func(u int32) (spot, error) {
			from, has := p.source(src, int(u), m.part)
			if !has {
				return spot{}, Refuse("the plan sends chunk %d from rank %d, which does not have it; verify it first", int(u)/p.parts, src)
			}
			s := spot{from: from, to: p.home(dst, int(u))}
			if m.reduce {
				if s.sum, has = p.at(dst, int(u)); !has {
					return spot{}, Refuse("the plan reduces chunk %d into rank %d, which has nothing of it; verify it first", int(u)/p.parts, dst)
				}
			}
			return s, nil
		}
		last, err := look(m.first)
		if err != nil {
			return nil, err
		}
		start := m.first
		for u := m.first + 1; u <= m.end(); u++ {
			if u < m.end() {
				next, err := look(u)
				if err != nil {
					return nil, err
				}
				joined := next.from == last.from.Plus(1) && next.to == last.to.Plus(1) && (!m.reduce || next.sum == last.sum.Plus(1))
				last = next
				if joined {
					continue
				}
			}
			one := m
			one.first, one.count = start, u-start
			split = append(split, one)
			start = u
		}
	}
	return split, nil
}

// touched is a set of units of ranks.
type touched struct {
	units int
	bits  []uint64
}

func newTouched(ranks, units int) *touched {
	return &touched{units, make([]uint64, (ranks*units+63)/64)}
}

func (t *touched) has(rank int, unit int32) bool {
	i := rank*t.units + int(unit)
	return t.bits[i/64]>>(i%64)&1 == 1
}

func (t *touched) set(rank int, unit int32, on bool) {
	i := rank*t.units + int(unit)
	if on {
		t.bits[i/64] |= 1 << (i % 64)
	} else {
		t.bits[i/64] &^= 1 << (i % 64)
	}
}

// hazards marks the moves of a step that read what another move writes, or write what another
// reads or writes.
type hazards struct {
	read, wrote, twice *touched
}

func newHazards(g *geometry) *hazards {
	return &hazards{newTouched(g.Nodes, g.units), newTouched(g.Nodes, g.units), newTouched(g.Nodes, g.units)}
}

func (h *hazards) mark(moves []move) {
	note := func(on bool) {
		for i := range moves {
			m := &moves[i]
			for u := m.first; u < m.end(); u++ {
				h.read.set(m.src(), u, on)
				h.twice.set(m.dst(), u, on && h.wrote.has(m.dst(), u) || on && h.twice.has(m.dst(), u))
				h.wrote.set(m.dst(), u, on)
			}
		}
	}
	note(true)
	for i := range moves {
		m := &moves[i]
		for u := m.first; u < m.end() && !m.hazard; u++ {
			m.hazard = h.wrote.has(m.src(), u) || h.read.has(m.dst(), u) || h.twice.has(m.dst(), u)
		}
	}
	note(false)
}

// aligned cuts the moves with hazards such that any two carry either the same units or disjoint
// ones, and cuts all moves into pieces of at most the given number of units.
func aligned(moves []move, most int32) []move {
	var cuts []int32
	for i := range moves {
		if m := &moves[i]; m.hazard {
			cuts = append(cuts, m.first, m.end())
		}
	}
	slices.Sort(cuts)
	cuts = slices.Compact(cuts)
	var all []move
	for _, m := range moves {
		i := len(cuts)
		if m.hazard {
			i, _ = slices.BinarySearch(cuts, m.first+1)
		}
		for first := m.first; first < m.end(); {
			one := m
			one.first, one.count = first, m.end()-first
			if i < len(cuts) && cuts[i] < m.end() {
				one.count = cuts[i] - first
				i++
			}
			first = one.end()
			for ; one.count > most; one.count -= most {
				part := one
				part.count = most
				all = append(all, part)
				one.first += most
			}
			all = append(all, one)
		}
	}
	return all
}

// overCircuits splits moves so that parallel circuits can carry them side by side.
func overCircuits(moves []move) []move {
	all := make([]move, 0, len(moves))
	for _, m := range moves {
		parts := min(m.circuits, m.count)
		for i := range parts {
			one := m
			one.run = m.first
			one.first = m.first + m.count*i/parts
			one.count = m.first + m.count*(i+1)/parts - one.first
			all = append(all, one)
		}
	}
	return all
}
