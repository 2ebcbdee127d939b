package fluid

import "bytes"

// places is a set of small numbers that is visited in ascending order. Marking a number writes
// two bytes whatever they were, without a branch or a dependent load. nowhere is a number that
// may be marked without effect.
type places struct {
	marked []byte // 1 or 0; number i is at 64 + i
	groups []byte // 1 if a number of 64 is, or was, marked
}

const nowhere = -64

func newPlaces(n int) places {
	groups := n/64 + 2
	return places{make([]byte, 64*groups), make([]byte, groups)}
}

func (s *places) mark(i int32) {
	at := uint32(i - nowhere)
	s.marked[at], s.groups[at>>6] = 1, 1
}

func (s *places) clear(i int32) { s.marked[i-nowhere] = 0 }

// move passes the mark of one number on to another.
func (s *places) move(from, to int32) {
	s.clear(to)
	if s.marked[from-nowhere] != 0 {
		s.mark(to)
		s.clear(from)
	}
}

// next returns the first marked number >= from, or -1.
func (s *places) next(from int32) int32 {
	from -= nowhere
	group := int(from >> 6)
	if i := bytes.IndexByte(s.marked[from:64*(group+1)], 1); i >= 0 {
		return from + int32(i) + nowhere
	}
	for {
		skip := bytes.IndexByte(s.groups[group+1:], 1)
		if skip < 0 {
			return -1
		}
		group += 1 + skip
		if i := bytes.IndexByte(s.marked[64*group:64*group+64], 1); i >= 0 {
			return int32(64*group+i) + nowhere
		}
		s.groups[group] = 0
	}
}
