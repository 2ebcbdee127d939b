package finder

import "slices"

// returns finds how far the ends of walks on one-way circulants of n nodes are from their
// starts.
type returns struct {
	dist  []int32 // from node 0
	queue []int32
}

func newReturns(n int) *returns {
	return &returns{dist: make([]int32, n), queue: make([]int32, 0, n)}
}

// even returns the largest length, at most longest, up to which all walks of equal length end
// equally far from their start.
func (r *returns) even(jumps []int, longest int) int {
	if longest == 0 {
		return 0
	}
	n := len(r.dist)
	r.search(jumps)
	ends := []int{0}
	for length := 1; length <= longest; length++ {
		var next []int
		for _, v := range ends {
			for _, a := range jumps {
				next = append(next, (v+a)%n)
			}
		}
		slices.Sort(next)
		ends = slices.Compact(next)
		back := r.dist[(n-ends[0])%n]
		if slices.ContainsFunc(ends, func(v int) bool { return r.dist[(n-v)%n] != back }) {
			return length - 1
		}
	}
	return longest
}

// search finds the distances from node 0.
func (r *returns) search(jumps []int) {
	n := len(r.dist)
	for i := range r.dist {
		r.dist[i] = -1
	}
	r.dist[0] = 0
	r.queue = append(r.queue[:0], 0)
	for head := 0; head < len(r.queue); head++ {
		u := r.queue[head]
		for _, a := range jumps {
			v := int(u) + a
			if v >= n {
				v -= n
			}
			if r.dist[v] < 0 {
				r.dist[v] = r.dist[u] + 1
				r.queue = append(r.queue, int32(v))
			}
		}
	}
}
