package lower

import (
	"maps"
	"slices"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/compile/program"
	"github.com/lightpath-net/lightpath/internal/each"
)

// Parts of sums. A rank's own contribution is in its input; before a program in place overwrites
// the input, it copies the contribution to scratch. The sum of what a rank receives, and its side
// sums, are kept a second time, in separate scratch, as long as some later step sends them. A side
// sum that is sent with the rank's own contribution begins with a copy of that.

// apart is the scratch of one rank for one kind of part.
type apart struct {
	part  collective.Part
	units []int32 // ascending; the slot is the index, from first on
	first int32
	last  []int // per slot: the step that reads it last, from 1
	begun []bool
}

// slot returns the slot of a unit, if it has one.
func (a *apart) slot(unit int32) (int, bool) { return slices.BinarySearch(a.units, unit) }

func (a *apart) loc(slot int) program.Loc {
	return program.Loc{Buffer: program.Scratch, Offset: a.first + int32(slot)}
}

// owns reports whether the part begins with the rank's own contribution.
func (a *apart) owns() bool {
	_, own := a.part.Side()
	return own || a.part == collective.OwnPart
}

// sums reports whether what a move brings is added to the part.
func (a *apart) sums(m *move) bool {
	side, _ := a.part.Side()
	return a.part == collective.ReceivedPart || side > 0 && m.sides.Has(side)
}

// keptApart returns the scratch of a rank for a part, nil if it needs none.
func (p *places) keptApart(rank int, part collective.Part) *apart {
	for _, a := range p.kept[rank] {
		if a.part == part {
			return a
		}
	}
	return nil
}

// keepApart reserves scratch for the parts that moves read.
func (p *places) keepApart(all [][][]move) {
	type place struct {
		rank int
		part collective.Part
	}
	last := map[place]map[int32]int{} // by unit: the step that reads it last
	step := 0
	for _, stage := range all {
		for _, moves := range stage {
			step++
			for i := range moves {
				m := &moves[i]
				at := place{m.src(), m.part}
				for u := m.first; u < m.end(); u++ {
					if m.part == collective.WholePart || m.part == collective.OwnPart && !p.inPlace(m.src(), u) {
						continue
					}
					if last[at] == nil {
						last[at] = map[int32]int{}
					}
					last[at][u] = step
				}
			}
		}
	}
	p.kept = make([][]*apart, p.Nodes)
	for r := range p.Nodes {
		p.apartEnds[r] = int32(len(p.homes[r]))
		for _, part := range collective.Parts() {
			read := last[place{r, part}]
			if len(read) == 0 {
				continue
			}
			a := &apart{part: part, first: p.apartEnds[r], units: slices.Sorted(maps.Keys(read)), begun: make([]bool, len(read))}
			a.last = append(a.last, each.Of(a.units, func(u int32) int { return read[u] })...)
			p.kept[r] = append(p.kept[r], a)
			p.apartEnds[r] += int32(len(a.units))
		}
	}
}

// inPlace reports whether a rank's contribution is stored where its value is kept.
func (p *places) inPlace(rank int, unit int32) bool {
	from, has := p.begins(rank, int(unit))
	return has && p.Address(rank, from) == p.Address(rank, p.home(rank, int(unit)))
}

// source returns where a part of a unit is now, if a rank has it.
func (p *places) source(rank, unit int, part collective.Part) (program.Loc, bool) {
	if part == collective.WholePart {
		return p.at(rank, unit)
	}
	if a := p.keptApart(rank, part); a != nil {
		if slot, has := a.slot(int32(unit)); has && a.begun[slot] {
			return a.loc(slot), true
		}
	}
	if part == collective.OwnPart {
		return p.begins(rank, unit)
	}
	return program.Loc{}, false
}

// dueAfter returns the slot of a unit that a step after this one reads, or -1.
func (l *lister) dueAfter(a *apart, unit int32) int {
	if slot, has := a.slot(unit); has && a.last[slot] > l.step {
		return slot
	}
	return -1
}

// save returns the copies that keep a rank's contribution to the units of a move before it is
// overwritten.
func (l *lister) save(rank int, m *move) (list []event) {
	for _, a := range l.kept[rank] {
		if !a.owns() {
			continue
		}
		for u := m.first; u < m.end(); u++ {
			slot := l.dueAfter(a, u)
			if slot < 0 || a.begun[slot] {
				continue
			}
			from, _ := l.begins(rank, int(u))
			a.begun[slot] = true
			list = appendJoined(list, event{kind: program.Copy, src: from, dst: a.loc(slot), count: 1, in: -1, out: -1})
		}
	}
	return list
}

// keeps reports whether some unit of an adding move must also be summed separately.
func (l *lister) keeps(rank int, m *move) bool {
	for _, a := range l.kept[rank] {
		for u := m.first; a.sums(m) && u < m.end(); u++ {
			if l.dueAfter(a, u) >= 0 {
				return true
			}
		}
	}
	return false
}

// twice returns the local operations for a move in scratch that is added to the rank's value
// and, for units that are sent later, to separate sums. The value comes first, so that a reader of
// a separate sum finds both up to date.
func (l *lister) twice(rank int, m *move, from program.Loc) []event {
	var copies, values []event
	for u := m.first; u < m.end(); u++ {
		at, home := from.Plus(int(u-m.first)), l.home(rank, int(u))
		e := event{src: at, dst: home, count: 1, in: -1, out: -1}
		if sum, _ := l.at(rank, int(u)); sum != home {
			e.kind, e.src = program.Copy, sum
			copies = appendJoined(copies, e)
		}
		e.kind, e.src = program.Reduce, at
		values = appendJoined(values, e)
	}
	list := slices.Concat(copies, values)
	for _, a := range l.kept[rank] {
		if a.sums(m) {
			list = append(list, l.addApart(a, m, from)...)
		}
	}
	return list
}

// addApart returns the local operations that add a move in scratch to a separate sum.
func (l *lister) addApart(a *apart, m *move, from program.Loc) (list []event) {
	for u := m.first; u < m.end(); u++ {
		slot := l.dueAfter(a, u)
		if slot < 0 {
			continue
		}
		e := event{kind: program.Copy, src: from.Plus(int(u - m.first)), dst: a.loc(slot), count: 1, in: -1, out: -1}
		if a.begun[slot] {
			e.kind = program.Reduce
		}
		a.begun[slot] = true
		list = appendJoined(list, e)
	}
	return list
}

// appendJoined appends a local operation, or lengthens the last one if the new one continues it.
func appendJoined(list []event, e event) []event {
	if k := len(list) - 1; k >= 0 {
		if last := &list[k]; last.kind == e.kind && last.src.Plus(int(last.count)) == e.src && last.dst.Plus(int(last.count)) == e.dst {
			last.count += e.count
			return list
		}
	}
	return append(list, e)
}
