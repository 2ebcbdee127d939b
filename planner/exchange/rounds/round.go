package rounds

import "slices"

// trip is the way of a pair of nodes within a stage: the ports and circuits of its hops.
type trip struct {
	pair     int // its number
	src, dst int32
	ports    []int32
	circuits []int32
}

// round is a set of trips that begin in the same slot and do not wait: all trips make hop h in
// slot h of the round. It takes as many slots as its longest trip.
type round struct {
	hops  int
	trips []trip
	busy  []bitset // circuits in use in each slot
}

// free reports whether a circuit is not in use in a slot.
func (r *round) free(slot int, circuit int32) bool {
	return slot >= len(r.busy) || !r.busy[slot].has(circuit)
}

// take adds a trip. circuits is the number of different circuits.
func (r *round) take(t trip, circuits int) {
	for h, c := range t.circuits {
		if h == len(r.busy) {
			r.busy = append(r.busy, newBitset(circuits))
		}
		r.busy[h].set(c)
	}
	r.trips = append(r.trips, t)
	r.hops = max(r.hops, len(t.circuits))
}

// disjoint reports whether two rounds use different circuits in every slot.
func (r *round) disjoint(other *round) bool {
	for h := range min(len(r.busy), len(other.busy)) {
		if r.busy[h].meets(other.busy[h]) {
			return false
		}
	}
	return true
}

// combine joins rounds that do not contend, longer ones first.
func combine(rounds []*round, circuits int) []*round {
	rounds = slices.Clone(rounds)
	slices.SortStableFunc(rounds, func(a, b *round) int { return b.hops - a.hops })
	var kept []*round
	for _, r := range rounds {
		i := slices.IndexFunc(kept, r.disjoint)
		if i < 0 {
			kept = append(kept, r)
			continue
		}
		for _, t := range r.trips {
			kept[i].take(t, circuits)
		}
	}
	slices.Reverse(kept)
	return kept
}

// roundSlots returns the slots of rounds one after the other.
func roundSlots(rounds []*round) int {
	sum := 0
	for _, r := range rounds {
		sum += r.hops
	}
	return sum
}

// totalSlots returns the slots of the rounds of all stages.
func totalSlots(stages [][]*round) int {
	sum := 0
	for _, rounds := range stages {
		sum += roundSlots(rounds)
	}
	return sum
}

// bitset is a set of small numbers.
type bitset []uint64

func newBitset(size int) bitset { return make(bitset, (size+63)/64) }

func (b bitset) has(i int32) bool { return b[i/64]>>(i%64)&1 == 1 }

func (b bitset) set(i int32) { b[i/64] |= 1 << (i % 64) }

// meets reports whether two sets have a common element.
func (b bitset) meets(other bitset) bool {
	for i, w := range b {
		if w&other[i] != 0 {
			return true
		}
	}
	return false
}
