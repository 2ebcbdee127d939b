package verify

import (
	"context"
	"math/bits"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/internal/threads"
	"github.com/lightpath-net/lightpath/plan"
)

// tally follows many chunks at once by a bit, where that proves as much as following each
// with the sets of contributions that nodes hold of it.
//
// A node that has a chunk, or its own contribution to it, is live; a node that sends its share of
// the sum is spent from then on: its value may not be sent again or added to. So no contribution
// is in two live values: at first every node has its own, and a reduction moves a spent value
// into one live value. Every reduction leaves one live value fewer. After one reduction fewer
// than there are contributions, a single live value remains, which has all of them. From then on
// it is copied to nodes that are not live, and so are the copies, which are therefore complete.
// Plans that reduce along trees and then spread the sum, or that spread one node's data, work
// this way: for a chunk that is not reduced, all live values are complete from the beginning. For
// anything else that a plan does, right or wrong, the tally reports that it does not know: a copy
// of a part, a second copy to a node that has all, a reduction of a complete value (after which
// there have been too many), a replacement, a part of a value.
//
// Bits are stored in rows by node, so a run of chunks is a few words of two rows, and reductions
// are counted by where runs begin and end; no event is listed or sorted. Blocks of chunks pass
// through all moves one after the other, different blocks on each thread. The time is linear in
// the runs of transfers and a 64th of what they carry, plus the moves for every block.
type tally struct {
	moves  []move
	duties func(chunk int) collective.Duty
	alike  spans
	rank   []int32 // of the words of alike: how many spans start before
	nodes  int
	width  int // spans of a block at most
}

// Blocks that are followed at once have together so many bits, 32 MB, or more where a block would
// be of few spans.
const (
	bitsAtOnce = 1 << 28
	leastWidth = 64
)

// newTally returns nil where spans are not looked for.
func newTally(ctx context.Context, p *plan.Plan, moves []move, alike spans) *tally {
	if alike.starts == nil {
		return nil
	}
	n := p.Fabric.Nodes
	t := &tally{moves: moves, alike: alike, nodes: n, rank: make([]int32, len(alike.starts)+1)}
	t.duties = collective.Duties(p.Collective.Op, &p.Collective.Space)
	for i, w := range alike.starts {
		t.rank[i+1] = t.rank[i] + int32(bits.OnesCount64(w))
	}
	side := threads.Of(ctx)
	t.width = max(leastWidth, min(bitsAtOnce/n/side, (t.spans()+side-1)/side))
	return t
}

// spans returns how many there are.
func (t *tally) spans() int { return int(t.rank[len(t.rank)-1]) }

// glances is how many moves, looked at in vain, take as long as the event of a chunk that is
// listed, sorted and followed.
const glances = 8

// pays reports whether to go through all moves for every block takes no longer than to follow
// what the moves carry event by event, as it does where each carries little of few blocks.
func (t *tally) pays(total int) bool {
	blocks := (t.spans() + t.width - 1) / t.width
	return blocks <= 1 || 2*blocks*len(t.moves) <= glances*countEvents(t.moves, t.alike, 0, total)
}

// number returns how many spans start before a chunk.
func (t *tally) number(chunk int) int {
	if w := chunk / 64; w < len(t.alike.starts) {
		return int(t.rank[w]) + bits.OnesCount64(t.alike.starts[w]&(1<<(chunk%64)-1))
	}
	return t.spans()
}

// unknown returns the spans of which the tally does not show that they become what they should.
func (t *tally) unknown(ctx context.Context, total int) (spans, error) {
	blocks := t.blocks(total)
	parts := min(len(blocks), threads.Of(ctx))
	strange, errs := make([][]int, parts), make([]error, parts)
	all := newAscent(t.moves, t.alike)
	threads.Each(ctx, parts, func(part int) {
		b := newBlock(t, all.fork())
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
