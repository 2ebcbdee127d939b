package direct

import (
	"slices"

	"github.com/lightpath-net/lightpath/collective"
)

// sharer keeps lists of chunks, and equal lists only once: a node mostly passes the same chunks
// on to several neighbours in a step. Lists are nearly all the memory of a plan. On the line
// graph of a circulant with 4096 GPUs and 4 ports, an eighth of that memory is left; on
// generalized Kautz graphs, between half and most of it.
//
// Comparing lists takes time linear in their runs. If lists have the same sum by chance, only
// the first of them is shared.
type sharer struct {
	known map[uint64]collective.Chunks
	rooms []collective.Chunks // all runs that are kept
	runs  int                 // how many keep has added
}

// Sizes of rooms in runs: each room is twice as large as the one before, up to mostRoom.
const (
	firstRoom = 1 << 8
	mostRoom  = 1 << 15
)

// keep returns a kept list that is equal to the given one. The caller may then reuse the given
// one.
func (s *sharer) keep(list collective.Chunks) collective.Chunks {
	sum := sumOf(list)
	if known, ok := s.known[sum]; ok && slices.Equal(known, list) {
		return known
	}
	last := len(s.rooms) - 1
	if last < 0 || cap(s.rooms[last])-len(s.rooms[last]) < len(list) {
		size := firstRoom
		if last >= 0 {
			size = min(mostRoom, 2*cap(s.rooms[last]))
		}
		s.add(make(collective.Chunks, 0, max(size, len(list))))
		last++
	}
	s.runs += len(list)
	room := append(s.rooms[last], list...)
	s.rooms[last] = room
	kept := room[len(room)-len(list) : len(room) : len(room)]
	if s.known == nil {
		s.known = map[uint64]collective.Chunks{}
	}
	if _, taken := s.known[sum]; !taken {
		s.known[sum] = kept
	}
	return kept
}

// add adds a room, whose runs are kept as they are.
func (s *sharer) add(room collective.Chunks) { s.rooms = append(s.rooms, room) }

// scale cuts every chunk into the given number of chunks. Later lists are not shared with
// earlier ones.
func (s *sharer) scale(by int64) {
	if by == 1 {
		return
	}
	for _, room := range s.rooms {
		for k := range room {
			room[k].First, room[k].Count = room[k].First*int(by), room[k].Count*int(by)
		}
	}
	clear(s.known)
}

// sumOf returns a hash of a list. Different lists nearly always have different sums.
func sumOf(list collective.Chunks) uint64 {
	const multiplier = 0x9e3779b97f4a7c15 // Knuth's multiplicative hashing, 2^64/phi
	sum := uint64(len(list))
	for i := range list {
		sum = (sum ^ uint64(list[i].First)) * multiplier
		sum ^= sum >> 32
		sum = (sum ^ uint64(list[i].Count)) * multiplier
		sum ^= sum >> 29
	}
	return sum
}
