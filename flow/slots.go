package flow

import (
	"errors"
	"fmt"
	"math"
	"math/bits"
	"slices"
)

// Errors of the division of a demand into slots.
var (
	// ErrMatrix: a demand matrix that is not square, or with an entry off the
	// diagonal that is negative or not finite, or with a sum that is not finite.
	ErrMatrix = errors.New("flow: invalid demand matrix")
	// ErrDelay: a delay between slots that is negative or not finite.
	ErrDelay = errors.New("flow: invalid delay")
)

// Slot is a matching that circuits hold for some time. Times are in bytes: what a
// circuit carries meanwhile.
type Slot struct {
	Match    []int     // destination of each source, or -1; none occurs twice
	Duration float64   // how long the matching holds
	Sent     []float64 // bytes of the demand from each source, at most Duration
}

// SlotsTime returns how long slots take one after the other with a delay between
// them, in bytes: the sum of their durations and a delay for every change.
func SlotsTime(slots []Slot, delay float64) float64 {
	if len(slots) == 0 {
		return 0
	}
	sum := float64(float64(len(slots)-1) * delay)
	for _, s := range slots {
		sum += s.Duration
	}
	return sum
}

// SlotBound returns the largest sum of a row or column of the demand without its
// diagonal. Slots that carry the demand last at least that long, delays apart.
func SlotBound(demand [][]float64) (float64, error) {
	n := len(demand)
	sums := make([]float64, 2*n+1) // rows, columns, and 0 for no demand at all
	for i, row := range demand {
		if len(row) != n {
			return 0, fmt.Errorf("%w: row %d has %d entries, want %d", ErrMatrix, i, len(row), n)
		}
		for j, d := range row {
			if i == j {
				continue
			}
			if !(d >= 0) || math.IsInf(d, 1) {
				return 0, fmt.Errorf("%w: demand %v from %d to %d", ErrMatrix, d, i, j)
			}
			sums[i] += d
			sums[n+j] += d
		}
	}
	bound := slices.Max(sums)
	if math.IsInf(bound, 1) {
		return 0, fmt.Errorf("%w: a sum of demands is not finite", ErrMatrix)
	}
	return bound, nil
}

// BestSlots returns slots that carry the demand and take little time when every
// change of matching costs a delay (in bytes, >= 0): the best of ShortestSlots,
// which is optimal without delay, of FewestSlots, which is optimal when the delay
// exceeds everything else, and of the first 1, 2, 4, .. slots of ShortestSlots
// followed by FewestSlots for what they leave. Among equals it takes the fewer slots.
//
// SlotsTime of the result is at least SlotBound plus a delay for all but one of as
// many slots as a node has peers. In between the problem is NP-hard (Crescenzi, Deng
// and Papadimitriou 2001), and this is a heuristic; FewestSlots is called O(log n)
// times.
func BestSlots(demand [][]float64, delay float64) ([]Slot, error) {
	if !(delay >= 0) || math.IsInf(delay, 1) {
		return nil, fmt.Errorf("%w %v between slots, want one >= 0", ErrDelay, delay)
	}
	r, err := newResidual(demand)
	if err != nil {
		return nil, err
	}
	bound := r.bytes(r.bound)
	var best []Slot
	least := math.Inf(1)
	// What counts is the time of the finished slots, which absorb the leftovers.
	consider := func(list []holding) {
		slots := r.slots(demand, list)
		if t := SlotsTime(slots, delay); t < least {
			best, least = slots, t
		}
	}
	all := peel(r, func(list []holding) bool {
		m := len(list)
		if bits.OnesCount(uint(m)) <= 1 && bound+float64(float64(m+r.peers()-1)*delay) < least {
			consider(cover(r, slices.Clone(list)))
		}
		return true
	})
	consider(all)
	return best, nil
}

// cutGap is the part of a port's share below which slots are not cut: the rounding
// of sums must not make slots of its size.
const cutGap = 1e-12

// OverPorts deals slots out to ports that hold matchings independently, and returns
// the slots of each port in their order. All ports are busy equally long: the slots
// are laid end to end and the whole is cut into equal parts, as McNaughton (1959)
// does with jobs on machines. A slot that is cut continues on the next port, so that
// at most ports-1 slots are added. It panics when ports < 1.
//
// With a delay the ports take the largest SlotsTime among theirs. Ports that have
// to hold the same matching gain nothing from it: there durations are divided by the
// number of ports, and every change costs all of them.
func OverPorts(slots []Slot, ports int) [][]Slot {
	if ports < 1 {
		panic(fmt.Sprintf("flow: slots over %d ports", ports))
	}
	share := SlotsTime(slots, 0) / float64(ports)
	lists := make([][]Slot, ports)
	port, room := 0, share
	for _, s := range slots {
		for port < ports-1 && s.Duration > room+cutGap*share {
			if room > cutGap*share {
				var head Slot
				head, s = s.cut(room)
				lists[port] = append(lists[port], head)
			}
			port++
			room = share
		}
		lists[port] = append(lists[port], s)
		room -= s.Duration
	}
	return lists
}

// cut divides a slot after some time. What is sent is sent as early as possible.
func (s Slot) cut(after float64) (head, tail Slot) {
	head = Slot{slices.Clone(s.Match), after, slices.Clone(s.Sent)}
	tail = Slot{slices.Clone(s.Match), s.Duration - after, slices.Clone(s.Sent)}
	for i, sent := range s.Sent {
		head.Sent[i] = min(sent, after)
		if tail.Sent[i] = sent - head.Sent[i]; tail.Sent[i] == 0 {
			tail.Match[i] = -1
		}
	}
	return head, tail
}
