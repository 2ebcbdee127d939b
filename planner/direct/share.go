package direct

import (
	"slices"

	"github.com/lightpath-net/lightpath/collective"
)

// sharer keeps lists of chunks, those that are equal once: what a node passes on goes mostly to
// several neighbours in the same step. On the line graph of a circulant, 4096 GPUs with 4 ports,
// an eighth of the memory is left, which is nearly all that a plan takes; on generalized Kautz
// graphs a half to most of it.
//
// Lists are compared in time linear in their runs; of those whose sums are the same by chance only
// the first is kept for others.
type sharer struct {
	known map[uint64]collective.Chunks
	rooms []collective.Chunks // all runs that are kept
	runs  int                 // how many keep has added
}

// Rooms are of so many runs, each twice as large as the one before.
const (
	firstRoom = 1 << 8
	mostRoom  = 1 << 15
)

// keep returns a list that is equal to the given one, which may be used for something else then.
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

// add takes in a room whose runs are kept as they are.
func (s *sharer) add(room collective.Chunks) { s.rooms = append(s.rooms, room) }

// scale cuts every chunk into so many. Lists that come later are not those of earlier ones.
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

// sumOf tells lists apart, nearly always.
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
