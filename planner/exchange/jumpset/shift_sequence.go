package jumpset

import (
	"container/heap"
	"context"
)

// ShiftSequence finds jumps for one port in the paper's model, each the one that lowers the
// slots most given those before. It can produce any number of jumps.
//
// Only a jump that is coprime to n reaches offset 1, and multiplying all jumps by its inverse
// changes nothing, so the first jump is 1 without loss of generality. With n-1 as the second,
// the bound for two is attained, and j and n-j gain the same. Every offset keeps the smallest of
// its hop counts, so a jump's gain never grows when other jumps are added, and an earlier gain is
// an upper bound. Only the candidate with the largest bound is evaluated again (Minoux,
// Accelerated Greedy Algorithms for Maximizing Submodular Set Functions, 1978). Without the bound
// all n-1 jumps would take O(n^2 log n).
type ShiftSequence struct {
	jumps []int
	Slots []int // slots[d] with the first d jumps
	cover *Coverage
	queue candidates
}

func NewShiftSequence(nodes int) *ShiftSequence {
	s := &ShiftSequence{cover: NewCoverage(nodes), Slots: []int{0}}
	s.take(1)
	if nodes > 2 {
		s.take(nodes - 1)
	}
	for j := 2; 2*j <= nodes; j++ {
		gain := s.cover.gain(j)
		s.queue = append(s.queue, candidate{jump: j, gain: gain, when: 2})
		if 2*j < nodes {
			s.queue = append(s.queue, candidate{jump: nodes - j, gain: gain, when: 2})
		}
	}
	heap.Init(&s.queue)
	return s
}

// Extend makes the sequence at least d long, d < nodes.
func (s *ShiftSequence) Extend(d int) {
	for len(s.jumps) < d {
		for s.queue[0].when != len(s.jumps) {
			top := &s.queue[0]
			top.gain, top.when = s.cover.gain(top.jump), len(s.jumps)
			heap.Fix(&s.queue, 0)
		}
		s.take(heap.Pop(&s.queue).(candidate).jump)
	}
}

// Improved returns d jumps that no exchange of a single jump improves: the better of two
// results. One starts exchanges from the first d jumps of the sequence. The other starts from
// the first d-1 jumps, then adds the best jump and makes exchanges again.
func (s *ShiftSequence) Improved(ctx context.Context, d int) ([]int, error) {
	s.Extend(d)
	jumps, err := swapShifts(ctx, s.cover.nodes, s.jumps[:d])
	if err != nil || d < 3 {
		return jumps, err
	}
	other, err := swapShifts(ctx, s.cover.nodes, s.jumps[:d-1])
	if err != nil {
		return nil, err
	}
	cover := Covered(s.cover.nodes, other)
	best, gain := 0, 0
	for j := 1; j < s.cover.nodes; j++ {
		if g := cover.gain(j); g > gain {
			best, gain = j, g
		}
	}
	if best == 0 {
		return jumps, nil
	}
	if other, err = swapShifts(ctx, s.cover.nodes, append(other, best)); err != nil {
		return nil, err
	}
	if Covered(s.cover.nodes, other).Total < Covered(s.cover.nodes, jumps).Total {
		return other, nil
	}
	return jumps, nil
}

func (s *ShiftSequence) take(jump int) {
	s.cover.Add(jump)
	s.jumps = append(s.jumps, jump)
	s.Slots = append(s.Slots, s.cover.Total)
}

// candidate is a jump with its gain at the time when the set had when jumps.
type candidate struct {
	jump, gain, when int
}

// candidates is a heap, the largest gain on top and the smaller jump among equals.
type candidates []candidate

func (q candidates) Len() int      { return len(q) }
func (q candidates) Swap(i, j int) { q[i], q[j] = q[j], q[i] }
func (q *candidates) Push(x any)   { *q = append(*q, x.(candidate)) }

func (q candidates) Less(i, j int) bool {
	if q[i].gain != q[j].gain {
		return q[i].gain > q[j].gain
	}
	return q[i].jump < q[j].jump
}

func (q *candidates) Pop() any {
	last := (*q)[len(*q)-1]
	*q = (*q)[:len(*q)-1]
	return last
}
