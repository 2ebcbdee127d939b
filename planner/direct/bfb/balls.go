package bfb

import (
	"context"
	"math/bits"
	"sync/atomic"

	"github.com/lightpath-net/lightpath/planner/direct/deal"
)

// balls finds the loads of all nodes at once, step by step, on bit sets. The nodes within
// distance t of u are those within distance t-1 of u or of a sender to u. Of the new nodes, a
// sender can deliver those within distance t-1 of itself. So the shards that a set of senders
// can deliver are a union of rows. The rest are the shards that only the other senders can
// deliver, which Theorem 19 counts.
//
// A step takes n/64 words for every bundle and for every set of senders of a receiver,
// which beats a search from every receiver where the diameter and the degree are small.
type balls struct {
	net    *network
	words  int      // per row
	inside []uint64 // row u: nodes within distance t-1 of u
	within []uint64 // row u: nodes within distance t
}

// newBalls starts at distance 0, where every node has only itself.
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

// grow advances receiver u by one step: it fills the row of u in within from the last step, in
// inside, and reports whether there are new nodes.
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
	hands deal.Hands // what each sender can deliver of the nodes that are new in this step
}

// raise returns the larger of floor and the time that u needs in this step.
func (c *tally) raise(b *balls, u int, floor Frac) Frac {
	if !floor.Less(b.net.evenTime(c.ceiling(b, u))) || c.dealt(b.net, u, floor) {
		return floor
	}
	if time := b.net.evenTime(c.densest(b.net.links(u))); floor.Less(time) {
		return time
	}
	return floor
}

// ceiling returns a shards/weight that no link needs to exceed: that of the busiest link if all
// links delivered what they can. On graphs that look like trees up to the last steps, links
// have to deliver just that, and all receivers but the first are done here.
func (c *tally) ceiling(b *balls, u int) (shards, weight int64) {
	links := b.net.links(u)
	weight = 1
	inside := b.row(b.inside, u)
	c.hands.Clear(b.words)
	for i, w := range b.net.senders(u) {
		deliverable := 0
		row := b.row(b.inside, int(w))
		hand := c.hands.Add()
		for j, old := range inside {
			word := row[j] &^ old
			hand[j] = word
			deliverable += bits.OnesCount64(word)
		}
		if d := int64(deliverable); d*weight > shards*links[i].weight() {
			shards, weight = d, links[i].weight()
		}
	}
	return shards, weight
}

// dealt reports whether the links are certain to carry all shards by time floor.
func (c *tally) dealt(net *network, u int, floor Frac) bool {
	links := net.links(u)
	return net.chunks == 0 && c.hands.Dealt(func(i int) int { return int(net.carried(links[i], floor)) })
}

// densest returns the largest shards/weight over sets of links into the receiver.
func (c *tally) densest(links []link) (shards, weight int64) {
	c.load(links)
	reach := c.hands.Reach()
	// What a set cannot deliver is what only its complement can.
	sets := len(reach)
	all := reach[sets-1]
	weight = 1
	for set, deliverable := range reach {
		if only, heavy := int64(all-deliverable), c.weight[sets-1-set]; only*weight > shards*heavy {
			shards, weight = only, heavy
		}
	}
	return shards, weight
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
