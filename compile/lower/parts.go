package lower

import (
	"slices"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/compile/program"
)

// Parts of sums. A rank's own contribution is in its input; before a program in place overwrites
// the input, it copies the contribution to scratch. The sum of what a rank receives is kept a
// second time, in separate scratch, as long as some later step sends it.

// apart is the scratch of one rank for one kind of part.
type apart struct {
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

// keepApart reserves scratch for the parts that moves read.
func (p *places) keepApart(all [][][]move) {
	p.owns, p.received = make([]apart, p.Nodes), make([]apart, p.Nodes)
	type place struct {
		of   *apart
		unit int32
	}
	last := map[place]int{}
	step := 0
	for _, stage := range all {
		for _, moves := range stage {
			step++
			for i := range moves {
				m := &moves[i]
				for u := m.first; u < m.end(); u++ {
					switch m.part {
					case collective.OwnPart:
						if p.inPlace(m.src(), u) {
							last[place{&p.owns[m.src()], u}] = step
						}
					case collective.ReceivedPart:
						last[place{&p.received[m.src()], u}] = step
					}
				}
			}
		}
	}
	for at := range last {
		at.of.units = append(at.of.units, at.unit)
	}
	for r := range p.Nodes {
		for _, a := range []*apart{&p.owns[r], &p.received[r]} {
			slices.Sort(a.units)
			a.begun = make([]bool, len(a.units))
			for _, u := range a.units {
				a.last = append(a.last, last[place{a, u}])
			}
		}
		p.owns[r].first = int32(len(p.homes[r]))
		p.received[r].first = p.owns[r].first + int32(len(p.owns[r].units))
	}
}

// inPlace reports whether a rank's contribution is stored where its value is kept.
func (p *places) inPlace(rank int, unit int32) bool {
	from, has := p.begins(rank, int(unit))
	return has && p.Address(rank, from) == p.Address(rank, p.home(rank, int(unit)))
}

// source returns where a part of a unit is now, if a rank has it.
func (p *places) source(rank, unit int, part collective.Part) (program.Loc, bool) {
	switch part {
	case collective.OwnPart:
		a := &p.owns[rank]
		if slot, has := a.slot(int32(unit)); has && a.begun[slot] {
			return a.loc(slot), true
		}
		return p.begins(rank, unit)
	case collective.ReceivedPart:
		a := &p.received[rank]
		slot, _ := a.slot(int32(unit))
		return a.loc(slot), a.begun[slot]
	}
	return p.at(rank, unit)
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
	a := &l.owns[rank]
	for u := m.first; u < m.end(); u++ {
		slot := l.dueAfter(a, u)
		if slot < 0 || a.begun[slot] {
			continue
		}
		from, _ := l.begins(rank, int(u))
		a.begun[slot] = true
		list = appendJoined(list, event{kind: program.Copy, src: from, dst: a.loc(slot), count: 1, in: -1, out: -1})
	}
	return list
}

// keeps reports whether some unit of an adding move must also be summed separately.
func (l *lister) keeps(rank int, m *move) bool {
	for u := m.first; u < m.end(); u++ {
		if l.dueAfter(&l.received[rank], u) >= 0 {
			return true
		}
	}
	return false
}

// twice returns the local operations for a move in scratch that is added to the rank's value
// and, for units that are sent later, to the separate sum of what was received. The value comes
// first, so that a reader of the separate sum finds both up to date.
func (l *lister) twice(rank int, m *move, from program.Loc) []event {
	var copies, values, apart []event
	a := &l.received[rank]
	for u := m.first; u < m.end(); u++ {
		at, home := from.Plus(int(u-m.first)), l.home(rank, int(u))
		e := event{src: at, dst: home, count: 1, in: -1, out: -1}
		if sum, _ := l.at(rank, int(u)); sum != home {
			e.kind, e.src = program.Copy, sum
			copies = appendJoined(copies, e)
		}
		e.kind, e.src = program.Reduce, at
		values = appendJoined(values, e)
		if slot := l.dueAfter(a, u); slot >= 0 {
			e.kind, e.dst = program.Copy, a.loc(slot)
			if a.begun[slot] {
				e.kind = program.Reduce
			}
			a.begun[slot] = true
			apart = appendJoined(apart, e)
		}
	}
	return slices.Concat(copies, values, apart)
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
