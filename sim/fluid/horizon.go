package fluid

import (
	"math"

	"github.com/lightpath-net/lightpath/internal/arithmetic"
)

// horizon records when the first stream of each cluster has drained, and finds the earliest
// with a tournament of 16 per match. Changing a time takes O(1). Finding the next of n takes
// O(16 c + n/256), where c is the number of matches whose winner was left open.
type horizon struct {
	at     []float64 // by bundle
	rounds [2][]int32
	stale  [2]worklist // matches whose winner is unknown
}

// players is the number of players in a match.
const players = 16

func newHorizon(n int) horizon {
	h := horizon{at: make([]float64, n)}
	for b := range h.at {
		h.at[b] = math.Inf(1)
	}
	size := 1
	for round := range h.rounds {
		size *= players
		h.rounds[round] = make([]int32, arithmetic.CeilDiv(n, size))
		for match := range h.rounds[round] {
			h.rounds[round][match] = int32(match * size)
		}
		h.stale[round] = newWorklist(len(h.rounds[round]))
	}
	return h
}

// set sets when the first stream of a bundle has drained.
func (h *horizon) set(b int32, at float64) {
	match := b
	for round := range h.rounds {
		match /= players
		switch winner := &h.rounds[round][match]; {
		case at < h.at[*winner]:
			*winner = b
		case b == *winner:
			h.stale[round].add(match)
		}
	}
	h.at[b] = at
}

// next returns the bundle whose first stream drains earliest, and when.
func (h *horizon) next() (b int32, at float64) {
	for _, match := range h.stale[0].take() {
		first := players * match
		from := h.at[first:min(int(first+players), len(h.at))]
		winner := 0
		for b, at := range from {
			if at < from[winner] {
				winner = b
			}
		}
		h.rounds[0][match] = first + int32(winner)
	}
	for _, match := range h.stale[1].take() {
		first := int(players * match)
		h.rounds[1][match] = h.rounds[0][first]
		if b, _ := h.winner(h.rounds[0][first:min(first+players, len(h.rounds[0]))]); b >= 0 {
			h.rounds[1][match] = b
		}
	}
	return h.winner(h.rounds[1])
}

// winner returns the earliest of some bundles.
func (h *horizon) winner(of []int32) (b int32, at float64) {
	b, at = -1, math.Inf(1)
	for _, e := range of {
		if h.at[e] < at {
			b, at = e, h.at[e]
		}
	}
	return b, at
}

// renew updates when the first stream of a bundle has drained.
func (l *levels) renew(b int32) {
	c := &l.clusters[b]
	at := math.Inf(1)
	if l.clusters[b].level > 0 {
		at = c.since + (c.first-c.clock)/l.clusters[b].level
	}
	l.ends.set(b, at)
}
