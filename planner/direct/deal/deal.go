// Package deal divides shards among the circuits into a node. Each circuit can deliver some of
// them. It looks for a division that keeps every circuit within its capacity, and counts the
// shards that each set of circuits can deliver. It works on bit sets, 64 shards at a time.
package deal

import "math/bits"

// Hands holds the shards that each circuit into a node can deliver. It can be reused; the zero
// value has no circuits.
type Hands struct {
	words  int
	rows   []uint64 // a row of words for every circuit
	left   []uint64 // work: shards that are not dealt yet
	later  []uint64 // work: per circuit, shards that a later circuit can deliver
	twice  []uint64 // work: shards that two later circuits can deliver
	union  []uint64 // work: a word of what each set of circuits can deliver
	counts []int32
}

// Clear removes all circuits and sets the number of words in a row.
func (h *Hands) Clear(words int) { h.words, h.rows = words, h.rows[:0] }

// Add adds a circuit and returns its row, a bit for every shard, which the caller has to fill.
func (h *Hands) Add() []uint64 {
	h.rows = resized(h.rows, len(h.rows)+h.words)
	return h.rows[len(h.rows)-h.words:]
}

// Circuits returns the number of circuits.
func (h *Hands) Circuits() int {
	if h.words == 0 {
		return 0
	}
	return len(h.rows) / h.words
}

func (h *Hands) row(rows []uint64, i int) []uint64 { return rows[i*h.words : (i+1)*h.words] }

// resized returns s with the given length and its old elements.
func resized[T any](s []T, length int) []T {
	if cap(s) < length {
		s = append(s[:cap(s)], make([]T, length-cap(s))...)
	}
	return s[:length]
}

// Dealt reports whether a greedy division gives the i-th circuit at most room(i) shards. The
// circuits take shards in turn. Each first takes those that no later circuit can deliver, then
// those that only one later circuit can, then any others. If it reports false, another division
// may still work. It takes a few rows for every circuit.
func (h *Hands) Dealt(room func(circuit int) int) bool {
	circuits := h.Circuits()
	if circuits == 0 {
		return true
	}
	h.lookAhead(circuits)
	left := h.left
	for i := range circuits {
		row, later := h.row(h.rows, i), h.row(h.later, i)
		free := room(i)
		for j, word := range row {
			word &= left[j] &^ later[j]
			free -= bits.OnesCount64(word)
			left[j] &^= word
		}
		if free < 0 {
			return false
		}
		if i+1 < circuits {
			free = take(left, row, h.row(h.twice, i), free)
			take(left, row, nil, free)
		}
	}
	return true
}

// lookAhead finds, for each circuit, the shards that later circuits can deliver.
func (h *Hands) lookAhead(circuits int) {
	h.left = resized(h.left, h.words)
	h.later, h.twice = resized(h.later, len(h.rows)), resized(h.twice, len(h.rows))
	last := circuits - 1
	clear(h.row(h.later, last))
	clear(h.row(h.twice, last))
	for i := last; i > 0; i-- {
		later, twice := h.row(h.later, i), h.row(h.twice, i)
		further, again := h.row(h.later, i-1), h.row(h.twice, i-1)
		for j, word := range h.row(h.rows, i) {
			further[j] = later[j] | word
			again[j] = twice[j] | later[j]&word
		}
	}
	for j, word := range h.row(h.rows, 0) {
		h.left[j] = h.later[j] | word
	}
}

// take gives a circuit up to free of the shards that are left and not in except, and returns
// how many more it could take.
func take(left, row, except []uint64, free int) int {
	for j, word := range row {
		if free == 0 {
			break
		}
		word &= left[j]
		if except != nil {
			word &^= except[j]
		}
		count := bits.OnesCount64(word)
		for ; count > free; count-- {
			word &= word - 1
		}
		free -= count
		left[j] &^= word
	}
	return free
}

// any reports whether some circuit can deliver a shard of a word.
func (h *Hands) any(word int) bool {
	for ; word < len(h.rows); word += h.words {
		if h.rows[word] != 0 {
			return true
		}
	}
	return false
}

// Reach counts, for every set of circuits, the shards that at least one of them can deliver.
// The result is valid until the next call. It takes a row for every set.
func (h *Hands) Reach() []int32 {
	circuits := h.Circuits()
	h.union, h.counts = resized(h.union, 1<<circuits), resized(h.counts, 1<<circuits)
	h.union[0] = 0
	clear(h.counts)
	for j := range h.words {
		if !h.any(j) {
			continue
		}
		for i := range circuits {
			word := h.rows[i*h.words+j]
			from, into, counts := h.union[:1<<i], h.union[1<<i:2<<i], h.counts[1<<i:2<<i]
			for set, covered := range from {
				covered |= word
				into[set] = covered
				counts[set] += int32(bits.OnesCount64(covered))
			}
		}
	}
	return h.counts
}
