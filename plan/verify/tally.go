package verify

import (
	"context"
	"math/bits"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/internal/arithmetic"
	"github.com/lightpath-net/lightpath/internal/threads"
	"github.com/lightpath-net/lightpath/plan"
)

// tally runs many chunks at once with one bit per node, for plans where that proves as much as
// running each chunk with the sets of contributions.
//
// A node is live if it has a chunk, or its own contribution to the chunk. A node that sends its
// share of the sum is spent: its value may not be sent again or added to. So no contribution is
// in two live values: at first every node has its own, and a reduction moves one live value,
// spent from then on, into another. Every reduction therefore leaves one live value fewer. When
// the reductions are one fewer than the contributions, a single live value remains and has all
// of them. From then on that value is copied to nodes that are not live, and so are its copies,
// which are therefore complete. This is how plans work that reduce along trees and then spread
// the sum, or that spread one node's data; for a chunk that is not reduced, all live values are
// complete from the beginning. For anything else that a plan does, right or wrong, the tally
// reports that it does not know. That includes a copy of a part, a second copy to a node that
// has all, a reduction of a complete value (after which there have been too many), a
// replacement, and a part of a value.
//
// Bits are stored in rows by node, so a run of chunks is a few words of two rows. Reductions
// are counted by where runs begin and end; no event is listed or sorted. Each thread passes
// blocks of chunks through all moves, one block after another. The time is linear in the runs
// of transfers and a 64th of their chunks, plus the moves for every block.
type tally struct {
	moves  []move
	duties func(chunk int) collective.Duty
	alike  spans
	rank   []int32 // by word of alike: how many spans start before it
	nodes  int
	width  int // most spans of a block
}

// The blocks that are run at once have together 32 MB of bits, or more if a block would
// otherwise have only few spans.
const (
	bitsAtOnce = 1 << 28
	leastWidth = 64
)

// newTally returns nil if there are no spans.
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
	t.width = max(leastWidth, min(bitsAtOnce/n/side, arithmetic.CeilDiv(t.spans(), side)))
	return t
}

// spans returns the number of spans.
func (t *tally) spans() int { return int(t.rank[len(t.rank)-1]) }

// glances is how many moves can be inspected in vain in the time that it takes to list, sort
// and run one event of a chunk.
const glances = 8

// pays reports whether going through all moves for every block is no slower than running the
// events one by one. It is slower if each move carries a little of few blocks.
func (t *tally) pays(total int) bool {
	blocks := arithmetic.CeilDiv(t.spans(), t.width)
	return blocks <= 1 || 2*blocks*len(t.moves) <= glances*countEvents(t.moves, t.alike, 0, total)
}

// number returns how many spans start before a chunk.
func (t *tally) number(chunk int) int {
	if w := chunk / 64; w < len(t.alike.starts) {
		return int(t.rank[w]) + bits.OnesCount64(t.alike.starts[w]&(1<<(chunk%64)-1))
	}
	return t.spans()
}

// unknown returns the spans for which the tally cannot prove the required result.
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

// blocks returns the first chunk of every block.
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
