package plan

import (
	"context"
	"math/bits"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/internal/threads"
)

// tally follows many chunks at once by a bit of every node, where that proves as much as
// following each with the sets of contributions that nodes hold of it.
//
// A node's bit of a chunk says that it has something of it that counts. A node that sends a part
// of a sum is from then on spent: nobody may send its value again, or add to it. So no
// contribution is in two values that count: at first every node has its own, and a reduction
// takes what a spent value had to one that counts. As many values are left as there were nodes
// with a contribution, less those that were spent: where that is one, it is complete, and a copy
// of it is complete as well. A chunk that is not reduced is complete from the start. That is how
// plans add up that reduce along trees and then spread the sum, or spread what one node has. Of
// whatever else a plan does, be it right or wrong, the tally says that it does not know: a copy
// of a part, a second copy to a node that has all, a replacement.
//
// Bits are in rows by node, so that a run of 64 chunks is one operation on words of two rows; no
// event is listed or sorted. Blocks of chunks go one after the other through all moves, on each
// thread others. Time is linear in the words that transfers carry, and for every block in the
// runs of the moves.
type tally struct {
	moves  []move
	duties func(chunk int) collective.Duty
	alike  spans
	rank   []int32 // of the words of alike: how many spans start before
	nodes  int
	width  int // spans of a block at most
}

// A block has so many bits, 32 MB, or more where it would be of few spans.
const (
	bitsAtOnce = 1 << 28
	leastWidth = 64
)

// newTally returns nil where spans are not looked for.
func newTally(p *Plan, moves []move, alike spans) *tally {
	if alike.starts == nil {
		return nil
	}
	n := p.Fabric.Nodes
	t := &tally{moves: moves, alike: alike, nodes: n, width: max(leastWidth, bitsAtOnce/n), rank: make([]int32, len(alike.starts)+1)}
	t.duties = collective.Duties(p.Collective.Op, &p.Collective.Space)
	for i, w := range alike.starts {
		t.rank[i+1] = t.rank[i] + int32(bits.OnesCount64(w))
	}
	return t
}

// glances is how many moves, looked at in vain, take as long as the event of a chunk that is
// listed, sorted and followed.
const glances = 8

// pays reports whether to go through all moves for every block takes no longer than to follow
// what the moves carry event by event, as it does where each carries little of few blocks.
func (t *tally) pays(total int) bool {
	spans := int(t.rank[len(t.rank)-1])
	blocks := (spans + t.width - 1) / t.width
	return blocks <= 1 || 2*blocks*len(t.moves) <= glances*countEvents(t.moves, t.alike, 0, total)
}

// number returns how many spans start before a chunk.
func (t *tally) number(chunk int) int {
	if w := chunk / 64; w < len(t.alike.starts) {
		return int(t.rank[w]) + bits.OnesCount64(t.alike.starts[w]&(1<<(chunk%64)-1))
	}
	return int(t.rank[len(t.rank)-1])
}

// unknown returns the spans of which counting does not show that they become what they should.
func (t *tally) unknown(ctx context.Context, total int) (spans, error) {
	blocks := t.blocks(total)
	parts := min(len(blocks), threads.Of(ctx))
	strange, errs := make([][]int, parts), make([]error, parts)
	threads.Each(ctx, parts, func(part int) {
		b := newBlock(t)
		for k := len(blocks) * part / parts; k < len(blocks)*(part+1)/parts; k++ {
			b.begin(blocks[k], total)
			if errs[part] = b.run(ctx); errs[part] != nil {
				return
			}
			strange[part] = append(strange[part], b.found()...)
		}
	})
	left := spans{make([]uint64, len(t.alike.starts))}
	for part, chunks := range strange {
		if errs[part] != nil {
			return spans{}, errs[part]
		}
		for _, c := range chunks {
			left.cut(c, total)
		}
	}
	return left, nil
}

// blocks returns the chunks with which blocks begin.
func (t *tally) blocks(total int) (first []int) {
	count := 0
	for c := range t.alike.in(0, total) {
		if count%t.width == 0 {
			first = append(first, c)
		}
		count++
	}
	return first
}

// block is the spans that are followed at once, a bit each.
type block struct {
	*tally
	*ascent
	low, high int      // chunks
	base      int      // spans before them
	words     int      // of a row
	counts    []uint64 // rows by node: it has something that counts
	whole     []uint64 // what counts is complete
	strange   []uint64 // counting is not enough
	left      []uint64 // rows by binary digit: the values that are to be spent until one is complete
	digits    int
	chunks    []int // by span: its first chunk
	spent     bool  // in the step under way
}

func newBlock(t *tally) *block {
	width := min(t.width, int(t.rank[len(t.rank)-1]))
	b := &block{tally: t, ascent: newAscent(t.moves, t.alike), words: (width + 63) / 64, digits: bits.Len(uint(t.nodes))}
	b.counts, b.left = make([]uint64, t.nodes*b.words), make([]uint64, b.digits*b.words)
	b.whole, b.strange = make([]uint64, b.words), make([]uint64, b.words)
	return b
}

// each calls a function with the words of the spans from..to-1 and which of their bits these are.
func each(from, to int, f func(word int, mask uint64)) {
	for from < to {
		w := from / 64
		mask := ^uint64(0) << (from % 64)
		if end := (w + 1) * 64; to < end {
			mask &= 1<<(to%64) - 1
		}
		f(w, mask)
		from = (w + 1) * 64
	}
}

// begin gives every node what it has of the spans from a chunk on before the first step.
func (b *block) begin(low, total int) {
	clear(b.counts)
	clear(b.left)
	clear(b.strange)
	b.low, b.high, b.base = low, total, b.number(low)
	b.chunks = b.chunks[:0]
	for c := range b.tally.alike.in(low, total) {
		if len(b.chunks) == b.width {
			b.high = c
			break
		}
		b.chunks = append(b.chunks, c)
	}
	for i, end := 0, 0; i < len(b.chunks); i = end {
		duty := b.duties(b.chunks[i])
		for end = i + 1; end < len(b.chunks); end++ {
			if next := b.duties(b.chunks[end]); next.Reduces != duty.Reduces || !sameList(next.From, duty.From) {
				break
			}
		}
		others := 0
		if duty.Reduces {
			others = max(0, len(duty.From)-1)
		}
		each(i, end, func(w int, mask uint64) {
			for _, u := range duty.From {
				b.counts[u*b.words+w] |= mask
			}
			for d := range b.digits {
				if others>>d&1 == 1 {
					b.left[d*b.words+w] |= mask
				}
			}
		})
	}
	b.complete()
}

// sameList reports whether two lists are one in memory, as those of many chunks are.
func sameList(a, b []int) bool {
	return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0])
}

// complete finds the spans of which no more values are to be spent.
func (b *block) complete() {
	clear(b.whole)
	for i, more := range b.left {
		b.whole[i%b.words] |= more
	}
	for w, more := range b.whole {
		b.whole[w] = ^more
	}
}

// run follows the block: in every step first all reads, then all writes.
func (b *block) run(ctx context.Context) error {
	moves := b.tally.moves
	for i := 0; i < len(moves); {
		end := i + 1
		for end < len(moves) && moves[end].step == moves[i].step {
			end++
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
		if b.spent {
			b.complete()
			b.spent = false
		}
		i = end
	}
	return nil
}

// carry reads or writes what a move carries of the block.
func (b *block) carry(k int, writes bool) {
	if b.due[k] >= b.high {
		return
	}
	m := &b.tally.moves[k]
	runs, ascends := b.runs(k, b.low)
	for i := range runs {
		r := &runs[i]
		if ascends && r.First >= b.high {
			break
		}
		if r.Stride == 1 {
			if first, end := max(r.First, b.low), min(r.First+r.Count, b.high); first < end {
				b.apply(m, b.number(first)-b.base, b.number(end)-b.base, writes)
			}
			continue
		}
		for c, end := clipped(*r, b.low, b.high); c < end; c += r.Stride { // every chunk is a span
			at := b.number(c) - b.base
			b.apply(m, at, at+1, writes)
		}
	}
	if writes {
		b.leave(k, b.high)
	}
}

// apply reads or writes what a move carries of the spans from..to-1.
func (b *block) apply(m *move, from, to int, writes bool) {
	source, target := b.counts[m.Src*b.words:][:b.words], b.counts[m.Dst*b.words:][:b.words]
	each(from, to, func(w int, mask uint64) {
		if writes {
			b.strange[w] |= write(m.Action, &target[w], mask)
		} else {
			b.read(m.Action, source, w, mask)
		}
	})
}

// read takes what a move brings: a part of a sum is spent from then on.
func (b *block) read(action collective.Action, source []uint64, w int, mask uint64) {
	has, whole := source[w], b.whole[w]
	switch action {
	case collective.Copy:
		b.strange[w] |= mask &^ (has & whole)
	case collective.Reduce:
		b.strange[w] |= mask &^ (has &^ whole)
		b.spend(w, mask&has&^whole)
		source[w] = has &^ (mask &^ whole)
	default:
		b.strange[w] |= mask
	}
}

// spend counts a value of some spans as spent.
func (b *block) spend(w int, borrow uint64) {
	for at := w; borrow != 0 && at < len(b.left); at += b.words {
		digit := b.left[at]
		b.left[at] = digit ^ borrow
		borrow &^= digit
	}
	b.spent = true
}

// write brings it, and returns the spans for which that is strange: what is added must come to
// something that counts, and what is copied to where nothing does.
func write(action collective.Action, target *uint64, mask uint64) uint64 {
	if action == collective.Copy {
		again := *target & mask
		*target |= mask
		return again
	}
	return mask &^ *target
}

// found returns the spans of which the tally does not know that they become what they should.
func (b *block) found() (chunks []int) {
	for i, end := 0, 0; i < len(b.chunks); i = end {
		duty := b.duties(b.chunks[i])
		for end = i + 1; end < len(b.chunks) && sameList(b.duties(b.chunks[end]).To, duty.To); {
			end++
		}
		each(i, end, func(w int, mask uint64) {
			right := b.whole[w] &^ b.strange[w]
			for _, u := range duty.To {
				right &= b.counts[u*b.words+w]
			}
			for wrong := mask &^ right; wrong != 0; wrong &= wrong - 1 {
				chunks = append(chunks, b.chunks[w*64+bits.TrailingZeros64(wrong)])
			}
		})
	}
	return chunks
}
