package exchange

import (
	"container/heap"
	"context"
)

// shiftSequence finds jumps for one port in the paper's model, each of them the one
// that lowers the slots most given those before. It can be asked for ever more jumps.
//
// Offset 1 is reached only by a jump that is prime to n, and multiplying all jumps by its
// inverse changes nothing, so that the first jump is 1 without loss. With n-1 as the second,
// the bound for two is attained, and j and n-j gain the same. What a jump gains never grows
// when other jumps are added (every offset keeps the smallest of its hop counts), so that a
// gain that was found earlier is an upper bound: only the candidate with the largest one is
// looked at again (Minoux, Accelerated Greedy Algorithms for Maximizing Submodular Set
// Functions, 1978). Without the bound all n-1 jumps would take O(n^2 log n).
type shiftSequence struct {
	jumps []int
	slots []int // slots[d] with the first d jumps
	cover *coverage
	queue candidates
}

func newShiftSequence(nodes int) *shiftSequence {
	s := &shiftSequence{cover: newCoverage(nodes), slots: []int{0}}
	s.take(1)
	if nodes > 2 {
		s.take(nodes - 1)
	}
	for j := 2; 2*j <= nodes; j++ {
		gain := s.cover.gain(j)
		s.queue = append(s.queue, candidate{j, gain, 2})
		if 2*j < nodes {
			s.queue = append(s.queue, candidate{nodes - j, gain, 2})
		}
	}
	heap.Init(&s.queue)
	return s
}

// extend makes the sequence at least d long, d < nodes.
func (s *shiftSequence) extend(d int) {
	for len(s.jumps) < d {
		for s.queue[0].when != len(s.jumps) {
			top := &s.queue[0]
			top.gain, top.when = s.cover.gain(top.jump), len(s.jumps)
			heap.Fix(&s.queue, 0)
		}
		s.take(heap.Pop(&s.queue).(candidate).jump)
	}
}

// improved returns d jumps that no exchange of a single one makes better: the best of what
// exchanges make of the first d jumps of the sequence, and of one jump less and one more
// after that.
func (s *shiftSequence) improved(ctx context.Context, d int) ([]int, error) {
	s.extend(d)
	jumps, err := swapShifts(ctx, s.cover.nodes, s.jumps[:d])
	if err != nil || d < 3 {
		return jumps, err
	}
	other, err := swapShifts(ctx, s.cover.nodes, s.jumps[:d-1])
	if err != nil {
		return nil, err
	}
	cover := covered(s.cover.nodes, other)
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
	if covered(s.cover.nodes, other).total < covered(s.cover.nodes, jumps).total {
		return other, nil
	}
	return jumps, nil
}

func (s *shiftSequence) take(jump int) {
	s.cover.add(jump)
	s.jumps = append(s.jumps, jump)
	s.slots = append(s.slots, s.cover.total)
}

// candidate is a jump with what it gained when so many jumps were there.
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

// shifts is the strategy of the best jumps that are found in the paper's model.
type shifts struct {
	uniform
	seq *shiftSequence
}

func newShifts(p *Problem) solver {
	u, ok := newUniform(p, Shifts, loadHops)
	switch {
	case !ok:
		return nil
	case u.ports > 1:
		return &shiftsPorts{u, newShiftStages(u.nodes, u.ports)}
	}
	return &shifts{u, newShiftSequence(u.nodes)}
}

func (s *shifts) draft(ctx context.Context, d, _ int) (*draft, error) {
	jumps, err := s.seq.improved(ctx, d)
	if err != nil {
		return nil, err
	}
	return s.routed(covered(s.nodes, jumps).routing(jumps)), nil
}
