// Package powers finds permutations whose powers take every node to every other exactly once: the
// topologies of an exchange in which chunks follow whole paths, by complete search.
package powers

import (
	"context"
	"math/bits"
	"slices"
)

// Whole looks for permutations P_i, one for each set of hop counts, whose powers
// P_i^h with h in the set together take every node to every other exactly once. Sets
// are masks, bit h standing for h hops; together they have n-1 elements. It returns nil
// if there are no such permutations: the search is complete.
//
// Permutations are grown along their cycles, so that every new circuit completes one pair for
// each hop count, which must be new. Nodes may be renumbered, so that the first permutation
// need only be tried once for each cycle type; permutations with equal sets are tried in
// ascending order of the circuit of node 0. The time is exponential: a second for 9 nodes, and
// too long beyond 11.
func Whole(ctx context.Context, n int, sets []uint64) ([][]int, error) {
	s := &search{n: n, sets: sets, used: make([]uint64, n), next: make([][]int, len(sets))}
	for u := range s.used {
		s.used[u] = 1 << u
	}
	for i := range s.next {
		s.next[i] = slices.Repeat([]int{-1}, n)
	}
	if s.firstCycles(ctx, 0, n) {
		return s.next, nil
	}
	return nil, ctx.Err()
}

// search is the state of Whole.
type search struct {
	n     int
	sets  []uint64
	used  []uint64 // destinations that each node has, itself among them
	next  [][]int  // circuits of each permutation, or -1
	steps int

	stopped bool // the answer is no longer wanted
}

// firstCycles makes the first permutation out of cycles of nodes that follow each
// other, in descending order of length: from is the first node without a cycle, and
// cycles have at most the given length.
func (s *search) firstCycles(ctx context.Context, from, longest int) bool {
	if from == s.n {
		return s.permutation(ctx, 1)
	}
	for length := min(longest, s.n-from); length > 0 && !s.stopped; length-- {
		cycle := make([]int, length)
		for i := range cycle {
			cycle[i] = from + i
		}
		if !s.closes(0, cycle) {
			continue
		}
		done := s.claim(0, cycle)
		if done && s.firstCycles(ctx, from+length, length) {
			return true
		}
		s.release(0, cycle)
	}
	return false
}

// permutation finds the permutations from number i on.
func (s *search) permutation(ctx context.Context, i int) bool {
	if i == len(s.sets) {
		return true
	}
	start := slices.Index(s.next[i], -1)
	if start < 0 {
		return s.permutation(ctx, i+1)
	}
	return s.path(ctx, i, []int{start})
}

// path grows a cycle of permutation i that begins with the given nodes, or closes it.
func (s *search) path(ctx context.Context, i int, nodes []int) bool {
	if s.steps++; s.steps%4096 == 0 && ctx.Err() != nil {
		s.stopped = true
	}
	if s.stopped { // all callers stop, too
		return false
	}
	if s.closes(i, nodes) {
		if s.claim(i, nodes) && s.permutation(ctx, i) {
			return true
		}
		s.release(i, nodes)
	}
	for v := s.lowest(i, nodes); v < s.n; v++ {
		if s.next[i][v] >= 0 || slices.Contains(nodes, v) {
			continue
		}
		if grown := append(nodes, v); s.extends(i, grown) && s.path(ctx, i, grown) {
			return true
		}
	}
	return false
}

// lowest returns the first node to which a path may grow.
func (s *search) lowest(i int, nodes []int) int {
	if s.follows(i) && nodes[0] == 0 && len(nodes) == 1 {
		return s.next[i-1][0] + 1
	}
	return 0
}

// follows reports whether a permutation has the set of the one before, so that the circuit
// of node 0 must lead further.
func (s *search) follows(i int) bool { return i > 0 && s.sets[i] == s.sets[i-1] }

// extends reports whether the pairs that end at the last node of a path are new.
func (s *search) extends(i int, nodes []int) bool {
	last := len(nodes) - 1
	for set := s.sets[i]; set != 0; set &= set - 1 {
		if h := bits.TrailingZeros64(set); h <= last && s.used[nodes[last-h]]>>nodes[last]&1 == 1 {
			return false
		}
	}
	return true
}

// closes reports whether a cycle may have that length: no hop count of the set leads
// back to where it starts.
func (s *search) closes(i int, cycle []int) bool {
	for set := s.sets[i]; set != 0; set &= set - 1 {
		if bits.TrailingZeros64(set)%len(cycle) == 0 {
			return false
		}
	}
	return !s.follows(i) || cycle[0] != 0 || cycle[1%len(cycle)] > s.next[i-1][0]
}

// claim sets the circuits of a cycle and takes its pairs. It reports whether all were
// new, and returns at the first that was not; release undoes it in both cases.
func (s *search) claim(i int, cycle []int) bool {
	for k, u := range cycle {
		s.next[i][u] = cycle[(k+1)%len(cycle)]
	}
	for k, u := range cycle {
		for set := s.sets[i]; set != 0; set &= set - 1 {
			v := cycle[(k+bits.TrailingZeros64(set))%len(cycle)]
			if s.used[u]>>v&1 == 1 {
				s.forget(i, cycle, k, bits.TrailingZeros64(set))
				return false
			}
			s.used[u] |= 1 << v
		}
	}
	return true
}

// forget gives back the pairs that claim took before node k and h hops, so that release
// has nothing to give back.
func (s *search) forget(i int, cycle []int, k, h int) {
	for j, u := range cycle[:k+1] {
		for set := s.sets[i]; set != 0; set &= set - 1 {
			hops := bits.TrailingZeros64(set)
			if j == k && hops >= h {
				break
			}
			s.used[u] &^= 1 << cycle[(j+hops)%len(cycle)]
		}
	}
	for _, u := range cycle {
		s.next[i][u] = -1
	}
}

// release undoes claim.
func (s *search) release(i int, cycle []int) {
	if s.next[i][cycle[0]] < 0 {
		return
	}
	for k, u := range cycle {
		s.next[i][u] = -1
		for set := s.sets[i]; set != 0; set &= set - 1 {
			s.used[u] &^= 1 << cycle[(k+bits.TrailingZeros64(set))%len(cycle)]
		}
	}
}
