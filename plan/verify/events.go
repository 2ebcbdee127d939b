package verify

import (
	"context"
	"math"
	"slices"

	"github.com/lightpath-net/lightpath/collective"
)

// ascent lists the events of moves for one range of chunks after another, in ascending order.
// If the runs of a move ascend, as they mostly do, it skips those of earlier ranges. All ranges
// together then take time linear in the events plus, for every range, in the number of moves.
type ascent struct {
	moves []move
	alike spans
	next  []int32 // first run of a move that is not finished; -1: its runs do not ascend
	// due is the chunk below which a move has nothing left to list. For most ranges comparing it
	// is all the work for a move, and its runs, which are elsewhere in memory, are not touched.
	due []int
}

func newAscent(moves []move, alike spans) *ascent {
	a := &ascent{moves: moves, alike: alike, next: make([]int32, len(moves)), due: make([]int, len(moves))}
	for i := range moves {
		runs := moves[i].Chunks
		for k := 1; k < len(runs); k++ {
			if runs[k].First <= runs[k-1].Last() {
				a.next[i] = -1
				break
			}
		}
	}
	return a
}

// fork returns a copy that starts from the beginning.
func (a *ascent) fork() *ascent {
	next := slices.Clone(a.next)
	for i := range next {
		next[i] = min(next[i], 0)
	}
	return &ascent{moves: a.moves, alike: a.alike, next: next, due: make([]int, len(a.moves))}
}

// runs returns the runs of a move that are left when all chunks below low are done, and whether
// its runs ascend.
func (a *ascent) runs(i, low int) (runs collective.Chunks, ascends bool) {
	runs = a.moves[i].Chunks
	if a.next[i] < 0 {
		return runs, false
	}
	k, leap := int(a.next[i]), 1
	// All runs before k are done: double the distance, then halve it.
	for k < len(runs) && runs[k].Last() < low {
		for leap > 1 && (k+leap > len(runs) || runs[k+leap-1].Last() >= low) {
			leap /= 2
		}
		k += leap
		leap *= 2
	}
	a.next[i] = int32(k)
	return runs[k:], true
}

// leave records that all chunks below high are done.
func (a *ascent) leave(i, high int) {
	rest, ascends := a.runs(i, high)
	switch {
	case !ascends:
	case len(rest) == 0:
		a.due[i] = math.MaxInt
	default:
		a.due[i], _ = clipped(rest[0], high, high)
	}
}

// events lists the given number of events of those of the chunks low..high-1 that stand for a
// span.
func (a *ascent) events(ctx context.Context, low, high, count int) ([]event, error) {
	list := make([]event, 0, count)
	for i := range a.moves {
		if i%1024 == 0 {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
		}
		if a.due[i] >= high {
			continue
		}
		m := &a.moves[i]
		runs, ascends := a.runs(i, low)
		e := event{src: int32(m.Src), dst: int32(m.Dst), by: int32(i)}
		for _, r := range runs {
			if ascends && r.First >= high {
				break
			}
			first, end := clipped(r, low, high)
			for c := a.alike.from(first, r.Stride, end); c < end; c = a.alike.from(c+r.Stride, r.Stride, end) {
				e.chunk = int32(c - low)
				list = append(list, e)
			}
		}
		a.leave(i, high)
	}
	return list, nil
}
