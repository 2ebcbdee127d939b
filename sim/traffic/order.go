package traffic

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
)

// Number numbers the bundles that routes use, in the order of the graph. home returns the
// bundle that represents another.
func (b *Traffic) Number(home func(e int) int) {
	b.Class = make([]int32, len(b.From))
	homes := make([]int32, len(b.From))
	for e := range homes {
		homes[e] = int32(home(e))
		b.Class[e] = -1
	}
	const taken = 0
	for i := range b.Hops {
		b.Class[homes[b.Hops[i].Bundle]] = taken
	}
	for e, c := range b.Class {
		if c == taken {
			b.Class[e] = int32(len(b.Used))
			b.Used = append(b.Used, int32(e))
		}
	}
	for e, h := range homes {
		b.Class[e] = b.Class[h]
	}
}

// Sort sorts streams and hops. given says that routes were given, so that no two streams share
// hops.
func (b *Traffic) Sort(given bool) {
	b.InTime = b.sortByStart()
	b.sortHops(given)
}

// sortHops sorts hops by their bundles, so that what a bundle looks up while it serves is close
// in memory. With given routes, which are as many as streams, the hops of a bundle are then
// roughly in the order in which streams start.
func (b *Traffic) sortHops(given bool) {
	start := make([]int32, len(b.Used)+1)
	for i := range b.Hops {
		start[b.Class[b.Hops[i].Bundle]+1]++
	}
	for i := range b.Used {
		start[i+1] += start[i]
	}
	place := slices.Repeat([]int32{unplaced}, len(b.Hops))
	put := func(h int32) {
		at := &start[b.Class[b.Hops[h].Bundle]]
		place[h] = *at
		*at++
	}
	if given {
		for _, s := range b.InTime {
			for h := b.Streams[s].First; h != Arrived && place[h] == unplaced; h = b.Hops[h].Next {
				put(h)
			}
		}
	}
	for h := range place {
		if place[h] == unplaced {
			put(int32(h))
		}
	}
	sorted := make([]Hop, len(b.Hops))
	for i, h := range b.Hops {
		if h.Next != Arrived {
			h.Next = place[h.Next]
		}
		sorted[place[i]] = h
	}
	b.Hops = sorted
	for i := range b.Streams {
		b.Streams[i].First = place[b.Streams[i].First]
	}
}

// unplaced marks a hop whose place is not known yet.
const unplaced = -1

// sortByStart returns the streams by their starts; those that start together stay in the order
// of the phase.
func (b *Traffic) sortByStart() []int32 {
	first, last := int64(math.MaxInt64), int64(math.MinInt64)
	for i := range b.Streams {
		first, last = min(first, b.Streams[i].Start), max(last, b.Streams[i].Start)
	}
	list := make([]int32, len(b.Streams))
	width := bits.Len(uint(len(list)))
	if first < last && bits.Len64(uint64(last-first))+width > 64 {
		for i := range list {
			list[i] = int32(i)
		}
		slices.SortStableFunc(list, func(x, y int32) int { return cmp.Compare(b.Streams[x].Start, b.Streams[y].Start) })
		return list
	}
	keys := make([]uint64, len(list))
	for i := range b.Streams {
		keys[i] = uint64(b.Streams[i].Start-first)<<width | uint64(i)
	}
	for i, key := range sortKeys(keys, width) {
		list[i] = int32(key & (1<<width - 1))
	}
	return list
}

// GroupBy sorts 0 to count-1 into bins: those of bin b are list[start[b]:start[b+1]], in
// ascending order. Numbers with bin -1 are left out.
func GroupBy(count, bins int, bin func(int) int) (start, list []int32) {
	start = make([]int32, bins+2)
	for i := range count {
		if b := bin(i); b >= 0 {
			start[b+2]++
		}
	}
	for b := range bins {
		start[b+2] += start[b+1]
	}
	list = make([]int32, start[bins+1])
	for i := range count {
		if b := bin(i); b >= 0 {
			list[start[b+1]] = int32(i)
			start[b+1]++
		}
	}
	return start[:bins+1], list
}
