package paced

import (
	"cmp"
	"math/bits"
	"slices"
)

// spread divides the shards that sets of senders have among the senders. This is a maximum flow
// from the sets to the senders, by augmenting paths over the senders. There are at most
// MostSenders.
type spread struct {
	sets   []int                // that have shards, the smallest first
	amount [][MostSenders]int32 // by the number of a set and sender
	free   [MostSenders]int32   // what each sender can still carry
}

// solve assigns as many shards of the sets as possible if a circuit carries at most pace.
func (s *spread) solve(has, circuits []int32, pace int) {
	s.sets = s.sets[:0]
	for set := 1; set < 1<<len(circuits); set++ {
		if has[set] > 0 {
			s.sets = append(s.sets, set)
		}
	}
	slices.SortStableFunc(s.sets, func(a, b int) int {
		return cmp.Compare(bits.OnesCount(uint(a)), bits.OnesCount(uint(b)))
	})
	if cap(s.amount) < 1<<MostSenders {
		s.amount = make([][MostSenders]int32, 1<<MostSenders)
	}
	for _, set := range s.sets {
		s.amount[set] = [MostSenders]int32{}
	}
	for j, c := range circuits {
		s.free[j] = c * int32(pace)
	}
	for _, set := range s.sets {
		for left := has[set]; left > 0; {
			moved := s.augment(set, left)
			if moved == 0 {
				break
			}
			left -= moved
		}
	}
}

// augment assigns up to most further shards of a set, and returns how many it has assigned: to
// the sender with the most room or, if all are full, to one from which another set can move
// away.
func (s *spread) augment(set int, most int32) int32 {
	var by [MostSenders]struct{ set, via int } // how each sender was reached: via -1 directly
	reached, queue := 0, make([]int, 0, MostSenders)
	reach := func(of, via int) {
		for rest := of &^ reached; rest != 0; rest &= rest - 1 {
			j := bits.TrailingZeros(uint(rest))
			reached |= 1 << j
			by[j] = struct{ set, via int }{of, via}
			queue = append(queue, j)
		}
	}
	reach(set, -1)
	slices.SortStableFunc(queue, func(a, b int) int { return cmp.Compare(s.free[b], s.free[a]) })
	if len(queue) > 1 && s.free[queue[0]] > s.free[queue[1]] {
		most = min(most, max(1, s.free[queue[0]]-s.free[queue[1]]))
	}
	for at := 0; at < len(queue); at++ {
		j := queue[at]
		if s.free[j] > 0 {
			moved := min(most, s.free[j])
			for k := j; by[k].via >= 0; k = by[k].via {
				moved = min(moved, s.amount[by[k].set][by[k].via])
			}
			s.free[j] -= moved
			for k := j; k >= 0; k = by[k].via {
				s.amount[by[k].set][k] += moved
				if via := by[k].via; via >= 0 {
					s.amount[by[k].set][via] -= moved
				}
			}
			return moved
		}
		for _, other := range s.sets {
			if s.amount[other][j] > 0 {
				reach(other, j)
			}
		}
	}
	return 0
}
