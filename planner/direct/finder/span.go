package finder

// span finds the diameters of circulants of n nodes. Node 0 reaches in t steps what it
// reaches in t-1, moved by every jump; with a bit per node, moving is a rotation, which
// takes n/64 words. A diameter D of d jumps takes O(D d n/64).
type span struct {
	nodes int
	reach []uint64 // bit v: node v has been reached
	twice []uint64 // the same n bits two times over, so that rotations need not wrap
}

func newSpan(n int) *span {
	words := (n + 63) / 64
	return &span{nodes: n, reach: make([]uint64, words), twice: make([]uint64, 2*words+2)}
}

// diameter returns the diameter of the circulant whose node 0 has the given out-jumps,
// each in 1..n-1, and false if it is more than limit.
func (s *span) diameter(jumps []int, limit int) (int, bool) {
	clear(s.reach)
	s.reach[0] = 1
	for t := 0; t <= limit; t++ {
		if s.complete() {
			return t, true
		}
		s.step(jumps)
	}
	return 0, false
}

// step adds what all jumps reach.
func (s *span) step(jumps []int) {
	s.double()
	for _, a := range jumps {
		first := s.nodes - a
		from, shift := s.twice[first/64:], uint(first%64)
		low := from[0]
		for w := range s.reach {
			high := from[w+1]
			s.reach[w] |= low>>shift | high<<(64-shift)
			low = high
		}
	}
	s.reach[len(s.reach)-1] &= s.lastWord()
}

// double fills twice.
func (s *span) double() {
	clear(s.twice)
	copy(s.twice, s.reach)
	first, shift := s.nodes/64, uint(s.nodes%64)
	for w, word := range s.reach {
		s.twice[first+w] |= word << shift
		s.twice[first+w+1] |= word >> (64 - shift)
	}
}

func (s *span) complete() bool {
	last := len(s.reach) - 1
	for _, word := range s.reach[:last] {
		if word != ^uint64(0) {
			return false
		}
	}
	return s.reach[last] == s.lastWord()
}

// lastWord has the bits of the nodes in the last word.
func (s *span) lastWord() uint64 { return ^uint64(0) >> (uint(-s.nodes) % 64) }
