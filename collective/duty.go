package collective

import (
	"iter"
	"slices"

	"github.com/lightpath-net/lightpath/internal/arithmetic"
)

// Duty is what an operation requires of a chunk: the nodes of From have it at the beginning,
// and every node of To has it at the end. If it Reduces, each node of From has a contribution,
// and the result is their sum. A chunk without bytes has no duty.
type Duty struct {
	From, To []int
	Reduces  bool
}

// Duties returns a function that gives the duty of every chunk of a space. Its results stay
// valid and must not be changed.
func Duties(op Op, s *Space) func(chunk int) Duty {
	everybody := arithmetic.UpTo(s.Nodes)
	return duties(op, s, everybody)
}

// duties shares the list of all nodes among sections: there may be many sections.
func duties(op Op, s *Space, everybody []int) func(chunk int) Duty {
	switch {
	case s.Kind == Sections:
		return sectionDuties(s, everybody)
	case s.Kind == Listed:
		return func(c int) Duty {
			p := &s.Pieces[c]
			return Duty{p.From, p.To, p.Reduces}
		}
	}
	all := s.Members
	if all == nil {
		all = everybody
	}
	n := len(all)
	one := func(member int) []int { return all[member : member+1] }
	return func(c int) Duty {
		block := c / max(1, s.Parts)
		switch op {
		case AllReduce:
			return Duty{all, all, true}
		case ReduceScatter:
			return Duty{all, one(block), true}
		case RootReduce:
			return Duty{all, one(0), true}
		case AllGather:
			return Duty{one(block), all, false}
		case Gather:
			return Duty{one(block), one(0), false}
		case Scatter:
			return Duty{one(0), one(block), false}
		case Broadcast:
			return Duty{one(0), all, false}
		}
		if s.Sizes != nil && s.Sizes[block/n][block%n] == 0 {
			return Duty{}
		}
		return Duty{one(block / n), one(block % n), false}
	}
}

func sectionDuties(s *Space, everybody []int) func(chunk int) Duty {
	parts := make([]func(int) Duty, len(s.Sections))
	firsts := make([]int, len(s.Sections))
	end := 0
	for i := range s.Sections {
		section := &s.Sections[i]
		parts[i] = duties(section.Op, &section.Space, everybody)
		firsts[i] = end
		end += section.Space.Chunks()
	}
	return func(c int) Duty {
		i, starts := slices.BinarySearch(firsts, c)
		if !starts {
			i--
		}
		return parts[i](c - firsts[i])
	}
}

// DutyStarts yields, in ascending order, the chunks of a space at which the duty may change:
// all chunks from one of them up to the next have the same duty.
func DutyStarts(op Op, s *Space) iter.Seq[int] {
	return func(yield func(int) bool) { dutyStarts(op, s, 0, yield) }
}

// dutyStarts yields the starts of a space whose chunks begin with first, until yield returns
// false.
func dutyStarts(op Op, s *Space, first int, yield func(int) bool) bool {
	if s.Kind == Sections {
		for i := range s.Sections {
			section := &s.Sections[i]
			if !dutyStarts(section.Op, &section.Space, first, yield) {
				return false
			}
			first += section.Space.Chunks()
		}
		return true
	}
	chunks, block := s.Chunks(), max(1, s.Parts)
	switch {
	case s.Kind == Listed:
		block = 1
	case op == AllReduce, op == RootReduce, op == Broadcast:
		block = chunks
	}
	for c := 0; c < chunks; c += block {
		if !yield(first + c) {
			return false
		}
	}
	return true
}
