package verify

import (
	"context"

	"github.com/lightpath-net/lightpath/collective"
)

// block is the set of spans that a tally runs at once. A set of spans is words of bits.
type block struct {
	*tally
	*ascent
	low, high int      // chunks
	last      bool     // no block is above it
	base      int      // spans before them
	words     int      // per row
	live      []uint64 // by node and span: it has all, or the only value with its part
	chunks    []int    // by span: its first chunk
	// rest is, by span, the number of reductions until a single value is left, as last counted.
	rest []int32
	done []uint64 // by span: none are left
	// begun counts, by span, the runs of later reductions that begin with it, less those that end
	// before it. They concern spans from dirty on.
	begun   []int32
	dirty   int
	strange []uint64 // by span: counting is not enough
}

func newBlock(t *tally, a *ascent) *block {
	words := (t.width + 63) / 64
	return &block{
		tally: t, ascent: a, words: words, live: make([]uint64, t.nodes*words), begun: make([]int32, t.width+1),
		done: make([]uint64, words), strange: make([]uint64, words),
	}
}

// begin gives every node its spans, from the given chunk on, before the first step.
func (b *block) begin(low, total int) {
	clear(b.live)
	clear(b.done)
	clear(b.strange)
	clear(b.begun)
	b.low, b.high, b.last, b.base = low, total, true, b.number(low)
	b.chunks, b.rest = b.chunks[:0], b.rest[:0]
	var holders []int // of the spans from first on, which have the same holders
	first := 0
	give := func(end int) {
		for _, u := range holders {
			row := b.row(u)
			for w, mask := range words(first, end) {
				row[w] |= mask
			}
		}
	}
	for c := range b.tally.alike.in(low, total) {
		i := len(b.chunks)
		if i == b.width {
			b.high, b.last = c, false
			break
		}
		duty, rest := b.duties(c), 0
		if duty.Reduces {
			rest = max(0, len(duty.From)-1)
		}
		if !same(duty.From, holders) {
			give(i)
			holders, first = duty.From, i
		}
		b.chunks, b.rest = append(b.chunks, c), append(b.rest, int32(rest))
	}
	give(len(b.chunks))
	b.dirty = 0
	b.count()
}

// same reports whether two lists are one list in memory. It may tell two lists with equal
// members apart.
func same(a, b []int) bool { return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0]) }

// words yields the words that hold the spans from..to-1, with the bits of these spans in each.
func words(from, to int) func(yield func(int, uint64) bool) {
	return func(yield func(int, uint64) bool) {
		for w := from / 64; w*64 < to; w++ {
			if !yield(w, maskOf(w, from, to)) {
				return
			}
		}
	}
}

// maskOf returns the bits in a word for the spans from..to-1. At least one of them is in it.
func maskOf(w, from, to int) uint64 {
	mask := ^uint64(0)
	if w == from/64 {
		mask <<= from % 64
	}
	if w == (to-1)/64 {
		mask &= ^uint64(0) >> (63 - (to-1)%64)
	}
	return mask
}

// count subtracts the reductions since the last count from those that are left.
func (b *block) count() {
	runs := int32(0)
	for i := b.dirty; i < len(b.rest); i++ {
		runs += b.begun[i]
		b.begun[i] = 0
		if b.rest[i] -= runs; b.rest[i] == 0 {
			b.done[i/64] |= 1 << (i % 64)
		} else {
			b.done[i/64] &^= 1 << (i % 64)
		}
	}
	b.begun[len(b.rest)] = 0
	b.dirty = len(b.rest)
}

// run runs the block: in every step first all reads, then all writes. Reductions are counted
// before steps that copy. Reducing a complete value makes the number of those left negative for
// good, so it need not be noticed at once.
func (b *block) run(ctx context.Context) error {
	moves := b.tally.moves
	for i := 0; i < len(moves); {
		end, copies := i+1, moves[i].Action == collective.Copy
		for ; end < len(moves) && moves[end].step == moves[i].step; end++ {
			copies = copies || moves[end].Action == collective.Copy
		}
		if copies && b.dirty < len(b.rest) {
			b.count()
		}
		for _, writes := range []bool{false, true} {
			for k := i; k < end; k++ {
				if k%1024 == 0 {
					if err := ctx.Err(); err != nil {
						return err
					}
				}
				b.carry(k, writes)
			}
		}
		i = end
	}
	b.count()
	return nil
}

// carry reads or writes the block's part of a move.
func (b *block) carry(k int, writes bool) {
	if b.due[k] >= b.high {
		return
	}
	m := &b.tally.moves[k]
	apply := b.read
	if writes {
		apply = b.write
	}
	runs, ascends := b.runs(k, b.low)
	for i := range runs {
		r := &runs[i]
		if ascends && r.First >= b.high {
			break
		}
		if r.Stride == 1 {
			if first, end := max(r.First, b.low), min(r.First+r.Count, b.high); first < end {
				apply(m, b.number(first)-b.base, b.number(end)-b.base)
			}
			continue
		}
		for c, end := clipped(*r, b.low, b.high); c < end; c += r.Stride { // every chunk is a span
			at := b.number(c) - b.base
			apply(m, at, at+1)
		}
	}
	if writes && !b.last {
		b.leave(k, b.high)
	}
}

// row returns the spans for which a node is live.
func (b *block) row(node int) []uint64 { return b.live[node*b.words : (node+1)*b.words] }

// read reads the values of a move: a node that sends a part of a sum is spent from then on, and
// only a complete value can be copied.
func (b *block) read(m *move, from, to int) {
	row := b.row(m.Src)
	for w := from / 64; w*64 < to; w++ {
		mask := maskOf(w, from, to)
		if m.Part != collective.WholePart {
			b.strange[w] |= mask
		}
		switch m.Action {
		case collective.Copy:
			b.strange[w] |= mask &^ (row[w] & b.done[w])
		case collective.Reduce:
			b.strange[w] |= mask &^ row[w]
			row[w] &^= mask
		default:
			b.strange[w] |= mask
		}
	}
}

// write writes the values of a move: a complete one to a node that has nothing, a part of a sum
// to a node that has another part.
func (b *block) write(m *move, from, to int) {
	row := b.row(m.Dst)
	switch m.Action {
	case collective.Copy:
		for w := from / 64; w*64 < to; w++ {
			mask := maskOf(w, from, to)
			b.strange[w] |= mask & row[w]
			row[w] |= mask
		}
	case collective.Reduce:
		for w := from / 64; w*64 < to; w++ {
			b.strange[w] |= maskOf(w, from, to) &^ row[w]
		}
		b.begun[from]++
		b.begun[to]--
		b.dirty = min(b.dirty, from)
	}
}

// found returns the spans for which the tally does not know that they get the required result.
func (b *block) found() (chunks []int) {
	var owed []int // the nodes that must have the spans from first on
	first := 0
	look := func(end int) {
		for _, u := range owed {
			row := b.row(u)
			for w, mask := range words(first, end) {
				b.strange[w] |= mask &^ (row[w] & b.done[w])
			}
		}
	}
	for i, c := range b.chunks {
		if to := b.duties(c).To; !same(to, owed) {
			look(i)
			owed, first = to, i
		}
	}
	look(len(b.chunks))
	for i, c := range b.chunks {
		if b.rest[i] < 0 || b.strange[i/64]>>(i%64)&1 != 0 {
			chunks = append(chunks, c)
		}
	}
	return chunks
}
