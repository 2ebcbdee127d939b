package islands

import (
	"cmp"
	"slices"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/internal/each"
	"github.com/lightpath-net/lightpath/plan"
)

// add makes the transfers of some items.
//
// The root of a broadcast gives every place its share. It needs no share itself, so it gives its
// own to a delegate, a different one for each item. So the root sends every byte once, and the
// others spread what they got to all places except the root. A reduction to a root is the
// reversal.
func (l *lifter) add(s *slot, home int, what task, list []item) {
	if len(list) == 0 {
		return
	}
	byPieces := l.byPieces(list)
	size, first := l.shares.places, l.homes[home]*l.shares.places
	sources := size
	if l.alike || what == scatter {
		sources = 1
	}
	apart := l.rooted(home)
	for p := range sources {
		for q := range size {
			if p == q || what == gather && q != 0 {
				continue
			}
			t := plan.Transfer{Routes: hop(first+p, first+q)}
			t.Src, t.Dst, t.Action = first+p, first+q, collective.Copy
			if what == reduce {
				t.Action = collective.Reduce
			}
			for _, part := range byPieces {
				t.Chunks = append(t.Chunks, l.given(part, what, p, q, apart)...)
			}
			if apart {
				l.delegate(s, t, what, list)
				if len(t.Chunks) == 0 {
					continue
				}
			}
			s.base = append(s.base, t)
		}
	}
}

// given returns the part of some pieces that place p gives to place q, without what delegates do.
func (l *lifter) given(part chunkPieces, what task, p, q int, apart bool) collective.Chunks {
	switch what {
	case reduce:
		if apart && q == 0 {
			return nil
		}
		return l.shares.of(part.chunks, q, part.from, part.to)
	case scatter:
		return l.shares.of(part.chunks, q, part.from, part.to)
	case sort:
		return l.shares.sentBy(part.chunks, p, q, part.from, part.to)
	case spread:
		if apart && (p == 0 || q == 0) {
			return nil
		}
	}
	return l.shares.of(part.chunks, p, part.from, part.to)
}

// delegate makes a transfer of the root's share of items between the same places as another
// transfer.
func (l *lifter) delegate(s *slot, like plan.Transfer, what task, list []item) {
	size := l.shares.places
	p, q := like.Src%size, like.Dst%size
	var mine []item
	for _, x := range list {
		d := 1 + (x.chunk*l.shares.pieces+x.piece)%(size-1)
		switch {
		case what == scatter && q == d, what == gather && p == d,
			what == spread && p == d && q != 0, what == reduce && q == d && p != 0:
			mine = append(mine, x)
		}
	}
	if len(mine) == 0 {
		return
	}
	t := like
	t.Chunks = nil
	if what == gather || what == reduce {
		t.Action = collective.Reduce
	}
	for _, part := range l.byPieces(mine) {
		t.Chunks = append(t.Chunks, l.shares.of(part.chunks, 0, part.from, part.to)...)
	}
	s.base = append(s.base, t)
}

// chunkPieces are pieces from..to-1 of some chunks.
type chunkPieces struct {
	chunks   collective.Chunks
	from, to int
}

// byPieces groups items so that chunks with the same pieces are together.
func (l *lifter) byPieces(list []item) []chunkPieces {
	if !slices.IsSortedFunc(list, byNumber) {
		list = slices.Clone(list)
		slices.SortFunc(list, byNumber)
	}
	chunks := map[[2]int][]int{}
	var ranges [][2]int
	for i := 0; i < len(list); {
		j := i + 1
		for j < len(list) && list[j].chunk == list[i].chunk && list[j].piece == list[j-1].piece+1 {
			j++
		}
		key := [2]int{list[i].piece, list[j-1].piece + 1}
		if chunks[key] == nil {
			ranges = append(ranges, key)
		}
		chunks[key] = append(chunks[key], list[i].chunk)
		i = j
	}
	return each.Of(ranges, func(r [2]int) chunkPieces {
		return chunkPieces{collective.AppendOf(nil, chunks[r]), r[0], r[1]}
	})
}

// byNumber is the order of items by chunk and piece.
func byNumber(a, b item) int { return cmp.Or(a.chunk-b.chunk, a.piece-b.piece) }
