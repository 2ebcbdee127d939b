package rounds

import (
	"slices"

	"github.com/lightpath-net/lightpath/planner/exchange/model"
)

// trip is the way of a pair of nodes within a stage: the ports of its hops, and the
// circuits that they are.
type trip struct {
	chunk    model.Chunk // the first of the pair
	pair     int         // its number
	Ports    []int32
	circuits []int32
}

// round is a set of trips that begin in the same slot and do not wait: hop h of all of
// them is in slot h of the round. It takes as many slots as its longest trip.
type round struct {
	hops  int
	trips []trip
	busy  []bitset // circuits in use in each slot
}

// free reports whether the circuits of a trip are not in use.
func (r *round) free(t trip) bool {
	for h, c := range t.circuits {
		if h < len(r.busy) && r.busy[h].has(c) {
			return false
		}
	}
	return true
}

// take adds a trip over that many different circuits.
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

// pack puts each trip into the first of the rounds in which its circuits are free, or into
// a new one, and returns the rounds.
func pack(rounds []*round, trips []trip, circuits int) []*round {
	for _, t := range trips {
		i := slices.IndexFunc(rounds, func(r *round) bool { return r.free(t) })
		if i < 0 {
			i = len(rounds)
			rounds = append(rounds, &round{})
		}
		rounds[i].take(t, circuits)
	}
	return rounds
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

// addRounds makes the rounds of a stage part of a schedule, each repeated for all chunks
// of a pair. The topology of the stage is there already.
func addRounds(s *model.Schedule, stage int, rounds []*round, each int) {
	st := &s.Stages[stage]
	for _, r := range rounds {
		for k := range each {
			for _, t := range r.trips {
				t.chunk.Index = int32(k)
				addTrip(s, stage, t, st.Slots)
			}
			st.Slots += r.hops
		}
	}
	st.SortRuns()
}

// addTrip adds the hops of a trip that begins in a slot, those over one port as a run.
func addTrip(s *model.Schedule, stage int, t trip, slot int) {
	st := &s.Stages[stage]
	at := int(t.chunk.Origin)
	for h, p := range t.Ports {
		if h > 0 && t.Ports[h-1] == p {
			st.Runs[len(st.Runs)-1].Hops++
		} else {
			st.Runs = append(st.Runs, model.Run{Chunk: t.chunk, From: int32(at), Port: p, Slot: int32(slot + h), Hops: 1})
		}
		at = s.Next(stage, int(p), at)
	}
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
