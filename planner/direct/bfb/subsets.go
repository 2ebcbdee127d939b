package bfb

import "slices"

// widest bounds the number of senders for which a table over all their sets is made, so that
// the table stays in the cache. sparsest is the number of sets per shard up to which filling it
// is faster than a maximum flow, as measured on Q(10) and GenKautz(12,2000).
const (
	widest   = 16
	sparsest = 8
)

// subsets finds loads by Theorem 19 of Zhao et al. in its strongest form: the least possible
// load of the links into a node is the maximum, over sets of these links, of the number of
// shards that can only come over the set divided by the set's weight. Counting the shards of
// every set is a sum over subsets (the zeta transform), k 2^k additions for k senders.
type subsets struct {
	links  []link  // of the last receiver
	weight []int64 // of every set of them
	count  []int32 // work: shards that can only come over each set
}

// load weighs the sets of a receiver's links. Most receivers of a graph have the same
// kinds of links, and then there is nothing to do.
func (s *subsets) load(links []link) {
	if slices.Equal(s.links, links) && s.weight != nil {
		return
	}
	s.links = links
	s.weight = append(s.weight[:0], 0)
	for i, l := range links {
		for _, w := range s.weight[:1<<i] {
			s.weight = append(s.weight, w+l.weight())
		}
	}
}

// densest returns the largest shards/weight, given the set of senders of every shard.
func (s *subsets) densest(level []int32, masks []uint64) (shards, weight int64) {
	count := zeros(s.count, len(s.weight))
	s.count = count
	for _, v := range level {
		count[masks[v]]++
	}
	for bit := 1; bit < len(count); bit <<= 1 {
		for low := 0; low < len(count); low += 2 * bit {
			without, with := count[low:low+bit], count[low+bit:low+2*bit]
			for i, c := range without {
				with[i] += c
			}
		}
	}
	weight = 1
	for set, c := range count {
		if int64(c)*weight > shards*s.weight[set] {
			shards, weight = int64(c), s.weight[set]
		}
	}
	return shards, weight
}
