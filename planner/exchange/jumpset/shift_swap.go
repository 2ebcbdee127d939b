package jumpset

import (
	"context"
	"slices"
)

// swapShifts exchanges single jumps for better ones until no exchange lowers the
// slots.
//
// A walk along the multiples of a candidate tells the effect of each of the d exchanges for it.
// Offsets that it reaches in fewer hops than any jump does gain, whichever jump is removed.
// Offsets of the removed jump fall back on the candidate or on their second best jump (the
// bookkeeping of Schubert and Rousseeuw, Fast and Eager k-Medoids Clustering, 2021). Hop counts
// are about n/d, so that looking at all exchanges takes about O(n^2/d); making one takes
// O(n*d).
func swapShifts(ctx context.Context, nodes int, jumps []int) ([]int, error) {
	jumps = slices.Clone(jumps)
	r := newRivals(nodes, jumps)
	for quiet, j := 0, 0; quiet < nodes-1; j = (j + 1) % (nodes - 1) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if i, gain := r.exchange(j + 1); gain > 0 {
			jumps[i] = j + 1
			r.find(jumps)
			quiet = 0
		} else {
			quiet++
		}
	}
	return jumps, nil
}

// rivals holds the two smallest hop counts of each offset, from different jumps.
type rivals struct {
	nodes         int
	first, second []int32
	by            []int32 // the jump of first, by position
	loss          []int   // by how much the sum of first grows without each jump
	most          int32   // largest of second
	less          []int   // by how much a candidate lowers each loss
}

func newRivals(nodes int, jumps []int) *rivals {
	r := &rivals{nodes: nodes, first: make([]int32, nodes), second: make([]int32, nodes), by: make([]int32, nodes),
		loss: make([]int, len(jumps)), less: make([]int, len(jumps))}
	r.find(jumps)
	return r
}

// find sets the hop counts for a set of jumps. An offset that no jump reaches counts as nodes
// hops, more than any jump takes. Hop counts are about n/d. Walks end after a few times that
// number, and are repeated with more hops if they leave an offset without two counts.
func (r *rivals) find(jumps []int) {
	for hops := 4 * (r.nodes/len(jumps) + 1); ; hops *= 4 {
		r.walk(jumps, int32(min(hops, r.nodes)))
		if r.most = slices.Max(r.second); int(r.most) <= hops || hops >= r.nodes {
			break
		}
	}
	clear(r.loss)
	for o := 1; o < r.nodes; o++ {
		r.loss[r.by[o]] += int(r.second[o] - r.first[o])
	}
}

// walk sets the hop counts that are at most the given one.
func (r *rivals) walk(jumps []int, hops int32) {
	for o := 1; o < r.nodes; o++ {
		r.first[o], r.second[o] = int32(r.nodes), int32(r.nodes)
	}
	for i, jump := range jumps {
		o := jump
		for h := int32(1); h <= hops && o != 0; h++ {
			if h < r.first[o] {
				r.second[o] = r.first[o]
				r.first[o], r.by[o] = h, int32(i)
			} else if h < r.second[o] {
				r.second[o] = h
			}
			if o += jump; o >= r.nodes {
				o -= r.nodes
			}
		}
	}
}

// exchange returns the position of the jump that is best to replace by a candidate, and by how
// much that lowers the slots.
func (r *rivals) exchange(jump int) (position, gain int) {
	clear(r.less)
	gain, o := 0, jump
	for h := int32(1); h < r.most && o != 0; h++ {
		switch {
		case h < r.first[o]:
			gain += int(r.first[o] - h)
			r.less[r.by[o]] += int(r.second[o] - r.first[o])
		case h < r.second[o]:
			r.less[r.by[o]] += int(r.second[o] - h)
		}
		if o += jump; o >= r.nodes {
			o -= r.nodes
		}
	}
	for i := range r.loss {
		if r.loss[i]-r.less[i] < r.loss[position]-r.less[position] {
			position = i
		}
	}
	return position, gain - (r.loss[position] - r.less[position])
}
