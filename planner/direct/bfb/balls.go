package bfb

import (
	"context"
	"math/bits"
	"sync/atomic"
)

// balls finds loads from all nodes at once, step by step, in bits: the nodes within
// distance t of u are those within distance t-1 of u or of a sender to u, and of the
// nodes that are new, a sender can deliver those within distance t-1 of itself. So the
// shards that some set of senders can deliver are a union of rows, and those that only
// the other senders can deliver, which Theorem 19 counts, are the rest.
//
// A step takes n/64 words for every bundle and for every set of senders of a receiver,
// which beats a search from every receiver where the diameter and the degree are small.
type balls struct {
	net    *network
	words  int      // per row
	inside []uint64 // row u: nodes within distance t-1 of u
	within []uint64 // row u: nodes within distance t
}

// newBalls starts with every node alone, at distance 0.
func newBalls(net *network) *balls {
	words := (net.nodes + 63) / 64
	b := &balls{net: net, words: words}
	b.inside = make([]uint64, net.nodes*words)
	b.within = make([]uint64, net.nodes*words)
	for u := range net.nodes {
		b.within[u*words+u/64] = 1 << (u % 64)
	}
	return b
}

func (b *balls) row(rows []uint64, u int) []uint64 { return rows[u*b.words : (u+1)*b.words] }

// grow moves on by one step for the receiver u, of which inside holds the last one, and
// reports whether there are new nodes.
func (b *balls) grow(u int) bool {
	old, row := b.row(b.inside, u), b.row(b.within, u)
	copy(row, old)
	for _, w := range b.net.senders(u) {
		for j, word := range b.row(b.inside, int(w)) {
			row[j] |= word
		}
	}
	for j, word := range row {
		if word != old[j] {
			return true
		}
	}
	return false
}

// tally counts shards by sets of senders, for one receiver at a time.
type tally struct {
	subsets
	fresh []uint64 // work: nodes that are new in this step
	left  []uint64 // work: those that are not dealt yet
	union []uint64 // work: of a word of the rows of every set of senders
}

// raise returns the larger of floor and the time that u needs in this step.
func (c *tally) raise(b *balls, u int, floor Frac) Frac {
	c.fresh = c.fresh[:0]
	inside := b.row(b.inside, u)
	for j, word := range b.row(b.within, u) {
		c.fresh = append(c.fresh, word&^inside[j])
	}
	if !floor.Less(b.net.evenTime(c.ceiling(b, u))) || c.dealt(b, u, floor) {
		return floor
	}
	if time := b.net.evenTime(c.densest(b, u)); floor.Less(time) {
		return time
	}
	return floor
}

// ceiling returns a shards/weight that no link needs to exceed: that of the busiest one
// if all links delivered what they can. On graphs that look like trees up to the last
// steps it is what they have to, and all receivers but the first are done here.
func (c *tally) ceiling(b *balls, u int) (shards, weight int64) {
	links := b.net.links(u)
	weight = 1
	for i, w := range b.net.senders(u) {
		deliverable := 0
		row := b.row(b.inside, int(w))
		for j, word := range c.fresh {
			deliverable += bits.OnesCount64(word & row[j])
		}
		if d := int64(deliverable); d*weight > shards*links[i].weight() {
			shards, weight = d, links[i].weight()
		}
	}
	return shards, weight
}

// dealt reports whether the links, one after the other, can each take as many of the shards that
// are left as they carry in the time of the floor, so that none is left. Where it does not, there
// may be another way. It takes a row for every link, and densest one for every set of them.
func (c *tally) dealt(b *balls, u int, floor Frac) bool {
	if b.net.chunks > 0 {
		return false
	}
	left := append(c.left[:0], c.fresh...)
	c.left = left
	links := b.net.links(u)
	for i, w := range b.net.senders(u) {
		free := b.net.carried(links[i], floor)
		row := b.row(b.inside, int(w))
		for j, word := range left {
			if word &= row[j]; word == 0 {
				continue
			}
			if free -= int64(bits.OnesCount64(word)); free < 0 {
				for ; free < 0; free++ {
					word &= word - 1
				}
				left[j] &^= word
				break
			}
			left[j] &^= word
		}
	}
	for _, word := range left {
		if word != 0 {
			return false
		}
	}
	return true
}

// densest returns the largest shards/weight over sets of links into u.
func (c *tally) densest(b *balls, u int) (shards, weight int64) {
	c.load(b.net.links(u))
	sets := len(c.weight)
	c.count = zeros(c.count, sets)
	if len(c.union) < sets {
		c.union = make([]uint64, sets)
	}
	senders := b.net.senders(u)
	for j, fresh := range c.fresh {
		if fresh != 0 {
			c.add(b, senders, j, fresh)
		}
	}
	// What a set cannot deliver is what only its complement can.
	all := c.count[sets-1]
	weight = 1
	for set, deliverable := range c.count {
		only, heavy := int64(all-deliverable), c.weight[sets-1-set]
		if only*weight > shards*heavy {
			shards, weight = only, heavy
		}
	}
	return shards, weight
}

// add counts, for every set of senders, those of the fresh nodes in word j that some
// sender of the set can deliver.
func (c *tally) add(b *balls, senders []int32, j int, fresh uint64) {
	union, count := c.union, c.count
	for i, w := range senders {
		word := b.inside[int(w)*b.words+j] & fresh
		from, into, counts := union[:1<<i], union[1<<i:2<<i], count[1<<i:2<<i]
		for set, covered := range from {
			covered |= word
			into[set] = covered
			counts[set] += int32(bits.OnesCount64(covered))
		}
	}
}

// sweep returns the largest time of each step over the given receivers.
func (b *balls) sweep(ctx context.Context, receivers []int32) ([]Frac, error) {
	workers := workersFor(ctx, b.words*(len(b.net.from)+len(receivers)))
	var peaks []Frac
	for {
		b.inside, b.within = b.within, b.inside
		var grown atomic.Bool
		err := spread(ctx, workers, b.net.nodes, func(int) func(int) {
			return func(u int) {
				if b.grow(u) {
					grown.Store(true)
				}
			}
		})
		if err != nil || !grown.Load() {
			return peaks, err
		}
		peak := make([][]Frac, workers)
		err = spread(ctx, workers, len(receivers), func(w int) func(int) {
			c := tally{}
			peak[w] = []Frac{{0, 1}}
			return func(i int) { peak[w][0] = c.raise(b, int(receivers[i]), peak[w][0]) }
		})
		if err != nil {
			return nil, err
		}
		peaks = append(peaks, highest(peak)...)
	}
}
