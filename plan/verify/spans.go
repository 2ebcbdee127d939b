package verify

import (
	"context"
	"iter"
	"math/bits"

	"github.com/lightpath-net/lightpath/collective"
)

// spans divides the chunks into runs of identical neighbours, which the same transfers carry
// and for which the operation asks the same. Chunks do not influence one another, so all chunks
// of a span go through the same, and the first stands for them. A plan that sends blocks of 60
// parts often has 2 spans per block, and the check then takes a thirtieth of the time.
//
// A bit per chunk says whether a span starts there; without bits every chunk is a span.
type spans struct {
	starts []uint64
}

// maxSpanned is the largest number of chunks for which spans are computed: 32 MB of bits.
const maxSpanned = 1 << 28

// newSpans finds the spans of the chunks that moves carry, out of the given total. A run of
// neighbours cuts at both its ends; a run with gaps cuts off each of its chunks.
func newSpans(ctx context.Context, op collective.Op, space *collective.Space, moves []move, total int) (spans, error) {
	if total > maxSpanned {
		return spans{}, nil
	}
	s := spans{make([]uint64, (total+63)/64)}
	for c := range collective.DutyStarts(op, space) {
		s.cut(c, total)
	}
	for i := range moves {
		if i%1024 == 0 {
			if err := ctx.Err(); err != nil {
				return spans{}, err
			}
		}
		for _, r := range moves[i].Chunks {
			if r.Stride == 1 {
				s.cut(r.First, total)
				s.cut(r.Last()+1, total)
				continue
			}
			for c, end := clipped(r, 0, total); c < end; c += r.Stride {
				s.cut(c, total)
				s.cut(c+1, total)
			}
		}
	}
	return s, nil
}

// cut starts a span at a chunk, if that chunk exists; another check reports chunks that do not.
func (s spans) cut(chunk, total int) {
	if 0 <= chunk && chunk < total {
		s.starts[chunk/64] |= 1 << (chunk % 64)
	}
}

// from returns the first of c, c+stride, .. that starts a span, or some number >= end if none
// below end does.
func (s spans) from(c, stride, end int) int {
	if s.starts == nil || c >= end {
		return c
	}
	if stride > 1 {
		for c < end && s.starts[c/64]>>(c%64)&1 == 0 {
			c += stride
		}
		return c
	}
	w := c / 64
	if rest := s.starts[w] >> (c % 64); rest != 0 {
		return c + bits.TrailingZeros64(rest)
	}
	for w++; w*64 < end; w++ {
		if s.starts[w] != 0 {
			return w*64 + bits.TrailingZeros64(s.starts[w])
		}
	}
	return end
}

// in yields those of the chunks low..high-1 that start a span.
func (s spans) in(low, high int) iter.Seq[int] {
	return func(yield func(int) bool) {
		for c := s.from(low, 1, high); c < high; c = s.from(c+1, 1, high) {
			if !yield(c) {
				return
			}
		}
	}
}

// count returns how many chunks of low..high-1 start a span.
func (s spans) count(low, high int) int {
	if s.starts == nil {
		return high - low
	}
	count := 0
	for c := low; c < high; {
		rest := s.starts[c/64] >> (c % 64)
		if left := high - c; left < 64 {
			rest &= 1<<left - 1
		}
		count += bits.OnesCount64(rest)
		c += 64 - c%64
	}
	return count
}
