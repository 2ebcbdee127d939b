package plan

import (
	"context"
	"math/bits"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/internal/threads"
)

// tally follows many chunks at once by counting, where that proves as much as following each
// with the sets of contributions that nodes hold of it.
//
// What a node holds is counted: the contributions in it, of all that the chunk has; a chunk
// that is not reduced has one. A node that sends a part of the sum is from then on spent:
// nobody may send its value again, or add to it. So no contribution is in two values that are
// not spent: at first every node has its own, and a reduction takes what a spent value
// had to one other. A value that counts all is therefore complete, all others are then spent,
// and a copy of it is complete as well. That is how plans add up that reduce along
// trees and then spread the sum, or spread what one node has. Of whatever else a plan does,
// be it right or wrong, the tally says that it does not know: a copy of a part, a second
// copy to a node that has all, a replacement, a part of a value.
//
// Values are in rows by node, so that a run of chunks is a loop over two rows; no event is
// listed or sorted. Blocks of chunks go one after the other through all moves, on each
// thread others. Time is linear in the chunks that transfers carry, and for every block in
// the runs of the moves.
type tally struct {
	moves  []move
	duties func(chunk int) collective.Duty
	alike  spans
	rank   []int32 // of the words of alike: how many spans start before
	nodes  int
	width  int // spans of a block at most
}

// A block has so many values, 4 MB, or more where it would be of few spans.
const (
	valuesAtOnce = 1 << 20
	leastWidth   = 64
)

// newTally returns nil where spans are not looked for.
func newTally(p *Plan, moves []move, alike spans) *tally {
	if alike.starts == nil {
		return nil
	}
	n := p.Fabric.Nodes
	t := &tally{moves: moves, alike: alike, nodes: n, width: max(leastWidth, valuesAtOnce/n), rank: make([]int32, len(alike.starts)+1)}
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
		b := &block{tally: t, held: make([]int32, t.nodes*t.width), ascent: newAscent(t.moves, t.alike)}
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

// block is the spans that are followed at once.
type block struct {
	*tally
	*ascent
	low, high int     // chunks
	base      int     // spans before them
	held      []int32 // by node and span: what it counts; 0: the node has nothing; below 0: spent
	chunks    []int   // by span: its first chunk
	all       []int32 // by span: what a complete value counts
	strange   []bool  // by span: counting is not enough
}

// begin gives every node what it has of the spans from a chunk on before the first step.
func (b *block) begin(low, total int) {
	clear(b.held)
	b.low, b.high, b.base = low, total, b.number(low)
	b.chunks, b.all, b.strange = b.chunks[:0], b.all[:0], b.strange[:0]
	for c := range b.tally.alike.in(low, total) {
		i := len(b.chunks)
		if i == b.width {
			b.high = c
			break
		}
		duty, all := b.duties(c), 1
		if duty.Reduces {
			all = len(duty.From)
		}
		for _, u := range duty.From {
			b.held[u*b.width+i] = 1
		}
		b.chunks, b.all, b.strange = append(b.chunks, c), append(b.all, int32(all)), append(b.strange, false)
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
	if writes {
		b.leave(k, b.high)
	}
}

// row is what a node holds of some spans.
func (b *block) row(node, from, to int) []int32 {
	return b.held[node*b.width+from : node*b.width+to]
}

// read takes what a move brings: a part of a sum is spent from then on.
func (b *block) read(m *move, from, to int) {
	all, strange := b.all[from:to], b.strange[from:to]
	for i, value := range b.row(m.Src, from, to) {
		if value <= 0 || m.Part != collective.WholePart {
			strange[i] = true
		}
		if value > 0 && value < all[i] {
			b.held[m.Src*b.width+from+i] = -value
		}
	}
}

// write brings it. What was read of a part is what a spent value was, and of a whole it is
// still there: where there is one, nothing else is left to be read or added to.
func (b *block) write(m *move, from, to int) {
	all, strange := b.all[from:to], b.strange[from:to]
	source, target := b.row(m.Src, from, to), b.row(m.Dst, from, to)
	switch m.Action {
	case collective.Copy:
		for i, value := range source {
			if value != all[i] || target[i] == all[i] {
				strange[i] = true
			}
			target[i] = all[i]
		}
	case collective.Reduce:
		for i, value := range source {
			if value >= 0 || target[i] <= 0 || target[i] == all[i] {
				strange[i] = true
			}
			target[i] -= value
		}
	default:
		for i := range strange {
			strange[i] = true
		}
	}
}

// found returns the spans of which the tally does not know that they become what they should.
func (b *block) found() (chunks []int) {
	for i, c := range b.chunks {
		strange := b.strange[i]
		for _, u := range b.duties(c).To {
			strange = strange || b.held[u*b.width+i] != b.all[i]
		}
		if strange {
			chunks = append(chunks, c)
		}
	}
	return chunks
}
