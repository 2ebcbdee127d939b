package bfb

import "math/bits"

// delivery is what one receiver gets in one step: the shards at one distance, grouped by the
// set of senders that can deliver them. Shards of a group are interchangeable, so that only
// groups need to be assigned to senders; a symmetric node has few groups.
type delivery struct {
	links []link // into the receiver

	// Group g has the shards members[first[g]:first[g+1]], which the senders
	// sender[reach[g]:reach[g+1]] can deliver (indices into links, ascending).
	members []int32
	first   []int32
	sender  []int32
	reach   []int32

	groupOf []int32 // work: group of each shard of the level
	table   []int32 // work: hash table of groups, -1 for a free place
	sample  []int32 // work: a member of each group
}

// groups returns the number of groups.
func (d *delivery) groups() int { return len(d.reach) - 1 }

// size returns the number of shards of a group.
func (d *delivery) size(group int) int64 { return int64(d.first[group+1] - d.first[group]) }

// senders returns the links that can deliver a group.
func (d *delivery) senders(group int) []int32 { return d.sender[d.reach[group]:d.reach[group+1]] }

// load groups the shards at distance t of the search from u. It takes O(1) per shard
// and a word per 64 senders.
func (d *delivery) load(s *search, u, t int) {
	d.links = s.net.links(u)
	level := s.level(t)
	if t == 1 {
		d.loadOwn(level)
		return
	}
	d.sample = d.sample[:0]
	d.groupOf = d.groupOf[:0]
	mask := uint64(d.clearTable(len(level)) - 1)
	for _, v := range level {
		d.groupOf = append(d.groupOf, d.find(s, v, mask))
	}
	d.gather(level)
	d.sender, d.reach = d.sender[:0], append(d.reach[:0], 0)
	for _, v := range d.sample {
		for k, word := range s.mask(v) {
			for ; word != 0; word &= word - 1 {
				d.sender = append(d.sender, int32(64*k+bits.TrailingZeros64(word)))
			}
		}
		d.reach = append(d.reach, int32(len(d.sender)))
	}
}

// loadOwn is load for the first step, when every sender delivers its own shard.
func (d *delivery) loadOwn(level []int32) {
	d.members = append(d.members[:0], level...)
	d.first, d.reach, d.sender = append(d.first[:0], 0), append(d.reach[:0], 0), d.sender[:0]
	for i := range level {
		d.sender = append(d.sender, int32(i))
		d.first = append(d.first, int32(i+1))
		d.reach = append(d.reach, int32(i+1))
	}
}

// clearTable makes room for n groups at a load of at most a half and returns the
// number of places, a power of two.
func (d *delivery) clearTable(n int) int {
	places := 1 << bits.Len(uint(2*n))
	if len(d.table) < places {
		d.table = make([]int32, places)
	}
	for i := range d.table[:places] {
		d.table[i] = -1
	}
	return places
}

// find returns the group of v's set of senders, and adds the group if the set is new.
func (d *delivery) find(s *search, v int32, mask uint64) int32 {
	set := s.mask(v)
	const multiplier = 0x9e3779b97f4a7c15 // Knuth's multiplicative hashing, 2^64/phi
	var h uint64
	for _, word := range set {
		h = (h ^ word) * multiplier
		h ^= h >> 32
	}
	for at := h & mask; ; at = (at + 1) & mask {
		group := d.table[at]
		if group < 0 {
			group = int32(len(d.sample))
			d.table[at] = group
			d.sample = append(d.sample, v)
			return group
		}
		if equal(s.mask(d.sample[group]), set) {
			return group
		}
	}
}

func equal(a, b []uint64) bool {
	for i, word := range a {
		if word != b[i] {
			return false
		}
	}
	return true
}

// gather lists the members of every group, in the order of the level.
func (d *delivery) gather(level []int32) {
	groups := len(d.sample)
	d.first = append(d.first[:0], make([]int32, groups+1)...)
	for _, group := range d.groupOf {
		d.first[group+1]++
	}
	for g := range groups {
		d.first[g+1] += d.first[g]
	}
	d.members = append(d.members[:0], level...) // room; every place is overwritten
	for i, group := range d.groupOf {
		d.members[d.first[group]] = level[i]
		d.first[group]++
	}
	// Every start has moved to the end of its group, where the next one started.
	copy(d.first[1:], d.first[:groups])
	d.first[0] = 0
}
