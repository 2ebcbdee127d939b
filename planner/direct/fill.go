package direct

import (
	"cmp"
	"context"
	"iter"
	"slices"
	"sync/atomic"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/flow"
	"github.com/lightpath-net/lightpath/internal/arithmetic"
	"github.com/lightpath-net/lightpath/internal/each"
	"github.com/lightpath-net/lightpath/internal/threads"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/planner/direct/bfb"
)

// This file turns schedules into transfers. A schedule is split into pieces: the transfers of
// some nodes, over links that no other piece uses. A first pass over a piece counts its
// transfers, and a second one writes them into memory of that size. Pieces are processed in
// parallel. A piece that is small enough is kept between the passes, so that each of its
// transfers is computed only once.

// The number of chunks of a shard is the common denominator of the schedule's shares if that is
// at most maxParts, and otherwise wholeChunks.
const (
	maxParts    = 5040
	wholeChunks = 64
)

// A piece has as many nodes as receive about pieceShares shares in a collective. Up to
// keptShares of its shares are kept, in a few megabytes.
const (
	pieceShares = 1 << 15
	keptShares  = 1 << 17
)

// links finds the transfer of each link in a step. It has one list per sender, which is
// searched from end to end: a GPU sends over few links in a step.
type links [][]linked

// linked is a link and the number of its transfer.
type linked struct {
	dst    int32
	reduce bool
	at     int32
}

// find returns the number of the transfer over a link, and whether the transfer is new.
func (l links) find(t *bfb.Transfer, next int) (at int, fresh bool) {
	for _, known := range l[t.Src] {
		if int(known.dst) == t.Dst && known.reduce == t.Reduce {
			return int(known.at), false
		}
	}
	l[t.Src] = append(l[t.Src], linked{int32(t.Dst), t.Reduce, int32(next)})
	return next, true
}

// end is a place in a shard.
type end struct {
	shard int
	at    bfb.Frac
}

// follows reports whether a share begins where the last one ended.
func (e end) follows(shard int, from bfb.Frac) bool {
	whole := e.at.Num == e.at.Den && from.Num == 0
	return e.shard == shard && e.at == from || whole && e.shard+1 == shard
}

// share is a transfer of a schedule, and the number of the plan's transfer that it belongs to.
type share struct {
	step, at int32
	shard    int32
	from, to bfb.Frac
}

// filler makes the transfers of the pieces that one goroutine takes.
type filler struct {
	fixed bool  // parts are given
	parts int64 // chunks of a shard: the least common denominator of all shares so far
	steps [][]plan.Transfer
	links []links           // by step
	full  []int             // by step: transfers of earlier pieces
	runs  [][]int32         // by step and number of a transfer of this piece: runs of chunks
	ends  [][]end           // in the same order: where the last run ends
	kept  []share           // the first shares of this piece
	count int               // shares of this piece
	room  collective.Chunks // for the runs of a piece whose shares were all kept
	lists sharer

	looked int // shares of all pieces, to check the context now and then
}

// askEvery is the number of shares between two checks of the context.
const askEvery = 1024

func newFiller(steps, nodes, chunks int) *filler {
	f := &filler{
		fixed: chunks > 0, parts: int64(max(1, chunks)), steps: make([][]plan.Transfer, steps),
		links: make([]links, steps), full: make([]int, steps), runs: make([][]int32, steps), ends: make([][]end, steps),
	}
	for i := range f.links {
		f.links[i] = make(links, nodes)
	}
	return f
}

// filled merges everything that a link carries in a step into one transfer. chunks is the
// number of chunks of a shard, or 0 for as many as the shares need. parts is the number of
// chunks used, or 0 if the shares have no small common denominator.
func filled(ctx context.Context, s source, nodes, chunks int) (steps []plan.Step, parts int, err error) {
	return filledBy(ctx, s, nodes, chunks, nodes)
}

// filledBy is filled for the transfers of the first some nodes only.
func filledBy(ctx context.Context, s source, nodes, chunks, some int) (steps []plan.Step, parts int, err error) {
	pieces := []iter.Seq2[int, bfb.Transfer]{}
	block := max(1, pieceShares/max(1, nodes))
	for first := 0; s.of != nil && first < some; first += block {
		if piece := s.of(first, min(some, first+block)); piece != nil {
			pieces = append(pieces, piece)
		}
	}
	if len(pieces) == 0 {
		pieces = append(pieces, s.all())
	}
	fillers := make([]*filler, min(len(pieces), threads.Of(ctx)))
	errs := make([]error, len(fillers))
	var next atomic.Int64
	threads.Each(ctx, len(fillers), func(w int) {
		f := newFiller(s.steps, nodes, chunks)
		fillers[w] = f
		for k := next.Add(1) - 1; k < int64(len(pieces)); k = next.Add(1) - 1 {
			if errs[w] = f.add(ctx, pieces[k]); errs[w] != nil || f.parts > maxParts {
				next.Store(int64(len(pieces))) // the others can stop
			}
		}
	})
	whole := int64(1)
	for w, f := range fillers {
		if errs[w] != nil {
			return nil, 0, errs[w]
		}
		if whole = arithmetic.LCM(whole, f.parts); whole > maxParts {
			return nil, 0, nil
		}
	}
	return joined(ctx, fillers, whole), int(whole), ctx.Err()
}

// add makes the transfers of a piece. It stops early if shards would need too many parts.
func (f *filler) add(ctx context.Context, piece iter.Seq2[int, bfb.Transfer]) error {
	for i := range f.steps {
		f.full[i], f.runs[i], f.ends[i] = len(f.steps[i]), f.runs[i][:0], f.ends[i][:0]
	}
	f.kept, f.count = f.kept[:0], 0
	before := f.parts
	for number, t := range piece {
		if f.looked++; f.looked%askEvery == 1 && ctx.Err() != nil {
			return ctx.Err()
		}
		if t.From == t.To {
			continue
		}
		f.count++
		if f.note(number-1, &t); f.parts > maxParts {
			return nil
		}
	}
	f.lists.scale(f.parts / before)
	if f.count == len(f.kept) {
		f.room = slices.Grow(f.room[:0], f.runsOfPiece())
		f.divide(f.room[:cap(f.room)])
		for i := range f.kept {
			f.put(&f.kept[i])
		}
		for i := range f.steps {
			for k := f.full[i]; k < len(f.steps[i]); k++ {
				f.steps[i][k].Chunks = f.lists.keep(f.steps[i][k].Chunks)
			}
		}
		return nil
	}
	room := make(collective.Chunks, f.runsOfPiece())
	f.lists.add(room)
	f.divide(room)
	for number, t := range piece {
		if f.looked++; f.looked%askEvery == 1 && ctx.Err() != nil {
			return ctx.Err()
		}
		if t.From == t.To {
			continue
		}
		at, _ := f.links[number-1].find(&t, 0)
		f.put(&share{int32(number - 1), int32(at), int32(t.Shard), t.From, t.To})
	}
	return nil
}

// note counts a share, and keeps it if there is room.
func (f *filler) note(i int, t *bfb.Transfer) {
	if !f.fixed {
		f.parts = lcm(lcm(f.parts, t.From.Den), t.To.Den)
	}
	at, fresh := f.links[i].find(t, len(f.steps[i]))
	if fresh {
		f.steps[i] = append(f.steps[i], newTransfer(*t))
		f.runs[i], f.ends[i] = append(f.runs[i], 0), append(f.ends[i], end{shard: -1})
	}
	k := at - f.full[i]
	if fresh || !f.ends[i][k].follows(t.Shard, t.From) {
		f.runs[i][k]++
	}
	f.ends[i][k] = end{t.Shard, t.To}
	if len(f.kept) < keptShares {
		f.kept = append(f.kept, share{int32(i), int32(at), int32(t.Shard), t.From, t.To})
	}
}

// runsOfPiece returns an upper bound on the number of runs in the transfers of this piece.
func (f *filler) runsOfPiece() int {
	runs := 0
	for _, counts := range f.runs {
		runs += each.Sum(counts, func(count int32) int { return int(count) })
	}
	return runs
}

// divide gives the transfers of this piece room for their runs.
func (f *filler) divide(room collective.Chunks) {
	for i, counts := range f.runs {
		for k, count := range counts {
			f.steps[i][f.full[i]+k].Chunks, room = room[:0:count], room[count:]
		}
	}
}

// put adds a share to its transfer.
func (f *filler) put(s *share) {
	if first, end := s.from.Num*f.parts/s.from.Den, s.to.Num*f.parts/s.to.Den; first < end {
		addRun(&f.steps[s.step][s.at].Chunks, int(int64(s.shard)*f.parts+first), int(end-first))
	}
}

// lcm returns the least common multiple of parts and a denominator. Parts beyond maxParts are
// returned as they are, so that the product cannot overflow: shards are then cut into wholeChunks.
func lcm(parts, den int64) int64 {
	if parts%den == 0 || parts > maxParts {
		return parts
	}
	return arithmetic.LCM(parts, den)
}

// joined returns the steps that all fillers have made, with shards of the given number of
// parts, or nil if the context has ended.
func joined(ctx context.Context, fillers []*filler, parts int64) []plan.Step {
	steps := make([]plan.Step, len(fillers[0].steps))
	for _, f := range fillers {
		f.lists.scale(parts / f.parts)
	}
	for i := range steps {
		if ctx.Err() != nil {
			return nil
		}
		var made [][]plan.Transfer
		for _, f := range fillers {
			made = append(made, f.steps[i])
			f.steps[i], f.links[i] = nil, nil
		}
		steps[i].Base = slices.DeleteFunc(slices.Concat(made...), func(t plan.Transfer) bool { return len(t.Chunks) == 0 })
		slices.SortFunc(steps[i].Base, byEnds)
	}
	return steps
}

// byEnds orders transfers by source, then by destination.
func byEnds(a, b plan.Transfer) int { return cmp.Or(a.Src-b.Src, a.Dst-b.Dst) }

func newTransfer(t bfb.Transfer) plan.Transfer {
	action := collective.Copy
	if t.Reduce {
		action = collective.Reduce
	}
	return plan.Transfer{
		Transfer: collective.Transfer{Src: t.Src, Dst: t.Dst, Action: action},
		Routes:   []flow.Route{{Path: []int32{int32(t.Src), int32(t.Dst)}, Share: 1}},
	}
}

// addRun adds chunks first..first+count-1.
func addRun(c *collective.Chunks, first, count int) {
	if n := len(*c); n > 0 {
		if last := &(*c)[n-1]; last.Stride == 1 && last.First+last.Count == first {
			last.Count += count
			return
		}
	}
	*c = append(*c, collective.Run{First: first, Count: count, Stride: 1})
}
