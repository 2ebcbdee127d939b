package bfb

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
)

// A receiver is served in time U if every set S of its senders can carry the shards that only S
// can deliver: circuits * rate * (U - latency), summed over the senders of S with a latency
// below U, must be at least the size of these shards. That is the cut condition of the flow
// from shards to senders, and Theorem 19 of Zhao et al. if all senders are equal. The least U
// is the one at which the most demanding set is just satisfied.
//
// Deviation from LP (13) of their appendix D.3: a link that carries nothing may have a latency
// above U. They solve the program, remove such a link and solve again. Here the capacity of
// such a link is 0, which is where their iteration ends.

// least returns the smallest U at which the links of a set carry the given number of
// shards. ranked lists the set by ascending latency. It takes O(links of the set), and
// its square with whole chunks.
func (net *network) least(ranked []link, shards int64) Frac {
	// With the links so far, U would be busy/weight; a link joins while that exceeds
	// its latency.
	busy, weight := net.shard*shards, int64(0)
	for _, l := range ranked {
		if weight > 0 && !(Frac{l.latency, 1}).Less(Frac{busy, weight}) {
			break
		}
		weight += l.weight()
		busy += l.weight() * l.latency
	}
	if net.chunks == 0 {
		return reduced(busy, weight)
	}
	return net.leastWhole(ranked, Frac{busy, weight}, shards*net.chunks)
}

// evenTime is least for a set of links of that weight in an even network, where the set
// acts as one bundle.
func (net *network) evenTime(shards, weight int64) Frac {
	return net.least([]link{{weight, 1, 0}}, shards)
}

// carried returns how many whole shards a link of an even network is certain to carry in a
// time, if shards may be cut anywhere. It returns 0 if the numbers exceed 64 bits.
func (net *network) carried(l link, in Frac) int64 {
	high, low := bits.Mul64(uint64(in.Num), uint64(l.weight()))
	over, under := bits.Mul64(uint64(in.Den), uint64(net.shard))
	if high > 0 || over > 0 {
		return 0
	}
	return int64(min(low/under, uint64(net.nodes)))
}

// leastWhole raises u until the links carry the given number of whole chunks. Rounding down
// loses less than a chunk per circuit, so u advances to the time of some link's next chunk at
// most once per link.
func (net *network) leastWhole(ranked []link, u Frac, chunks int64) Frac {
	for {
		var carried int64
		next := Frac{math.MaxInt64, 1}
		for _, l := range ranked {
			each := net.wholeChunks(l, u, chunks)
			if carried += boundedProduct(l.circuits, each, chunks); carried >= chunks {
				return reduced(u.Num, u.Den)
			}
			fine := net.chunks * l.rate
			if arrival := (Frac{l.latency*fine + net.shard*(each+1), fine}); arrival.Less(next) {
				next = arrival
			}
		}
		u = next
	}
}

// wholeChunks returns how many chunks a circuit of the link carries by time u, at most
// enough.
func (net *network) wholeChunks(l link, u Frac, enough int64) int64 {
	// chunks * rate * (u - latency) / shard, with numerator and denominator times u.Den
	high, low := bits.Mul64(uint64(net.chunks*l.rate), uint64(remaining(l, u)))
	shard := uint64(net.shard * u.Den)
	if high >= shard {
		return enough
	}
	quotient, _ := bits.Div64(high, low, shard)
	return int64(min(quotient, uint64(enough)))
}

// remaining returns (u - latency) * u.Den, or 0 if u is before the latency.
func remaining(l link, u Frac) int64 {
	if u.Less(Frac{l.latency, 1}) {
		return 0
	}
	return u.Num - l.latency*u.Den
}

// capacity returns what a link carries by time u, at most enough. It counts in parts; a shard has
// parts(u) of them.
func (net *network) capacity(l link, u Frac, enough int64) int64 {
	if net.chunks > 0 {
		return boundedProduct(l.circuits, net.wholeChunks(l, u, enough), enough)
	}
	return boundedProduct(l.weight(), remaining(l, u), enough)
}

// parts returns the number of parts into which a shard is divided so that all links carry a
// whole number of parts by time u.
func (net *network) parts(u Frac) int64 {
	if net.chunks > 0 {
		return net.chunks
	}
	return net.shard * u.Den
}

// boundedProduct returns the smaller of a*b and bound.
func boundedProduct(a, b, bound int64) int64 {
	high, low := bits.Mul64(uint64(a), uint64(b))
	if high > 0 || low > uint64(bound) {
		return bound
	}
	return int64(low)
}

// byLatency sorts links, keeping the order of equal ones.
func byLatency(links []link) {
	slices.SortStableFunc(links, func(a, b link) int { return cmp.Compare(a.latency, b.latency) })
}
