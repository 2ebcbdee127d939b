package direct

import (
	"context"
	"slices"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/flow"
	"github.com/lightpath-net/lightpath/internal/gcd"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/planner/direct/bfb"
)

// How schedules become transfers. A schedule streams its shares, several times if one likes:
// the first time they are counted, the second time they go where there is room for them.

// A shard is cut into as many chunks as the shares of a schedule have for a common
// denominator, if that is at most maxParts, else into wholeChunks.
const (
	maxParts    = 5040
	wholeChunks = 64
)

// links are where the transfers of a step are, by the link that they go over: what one GPU
// sends in a step goes over few links, which are looked through.
type links [][]linked

// linked is a link and the number of its transfer.
type linked struct {
	dst    int32
	reduce bool
	at     int32
}

// find returns the number of the transfer of a link, and whether it is a new one.
func (l links) find(t *bfb.Transfer, next int) (at int, fresh bool) {
	for _, known := range l[t.Src] {
		if int(known.dst) == t.Dst && known.reduce == t.Reduce {
			return int(known.at), false
		}
	}
	l[t.Src] = append(l[t.Src], linked{int32(t.Dst), t.Reduce, int32(next)})
	return next, true
}

// outline is what a schedule is made of: how many runs of chunks every link carries in every
// step, and the smallest number of chunks of a shard such that every share is a whole number
// of them.
type outline struct {
	parts int
	links []links   // by step
	runs  [][]int32 // by step and number of a transfer
	ends  [][]end   // likewise: where its last run ends
}

// end is a place in a shard.
type end struct {
	shard int
	at    bfb.Frac
}

// follows reports whether a share begins where another ends.
func (e end) follows(shard int, from bfb.Frac) bool {
	whole := e.at.Num == e.at.Den && from.Num == 0
	return e.shard == shard && e.at == from || whole && e.shard+1 == shard
}

// outlined goes through a schedule once, whose shards are of so many chunks, 0 for as many as
// its shares ask for. It reports false where these have no small common denominator.
func outlined(ctx context.Context, s source, nodes, chunks int) (*outline, bool, error) {
	o := &outline{parts: 1, links: make([]links, s.steps), runs: make([][]int32, s.steps), ends: make([][]end, s.steps)}
	for i := range o.links {
		o.links[i] = make(links, nodes)
	}
	parts, count := int64(1), 0
	for number, t := range s.all() {
		if count++; count%4096 == 0 && ctx.Err() != nil {
			return nil, false, ctx.Err()
		}
		if t.From == t.To {
			continue
		}
		for _, f := range [2]bfb.Frac{t.From, t.To} {
			if chunks > 0 || parts%f.Den == 0 {
				continue
			}
			if parts = parts / gcd.Of(parts, f.Den) * f.Den; parts > maxParts {
				return nil, false, nil
			}
		}
		i := number - 1
		at, fresh := o.links[i].find(&t, len(o.runs[i]))
		if fresh {
			o.runs[i], o.ends[i] = append(o.runs[i], 0), append(o.ends[i], end{shard: -1})
		}
		if fresh || !o.ends[i][at].follows(t.Shard, t.From) {
			o.runs[i][at]++
		}
		o.ends[i][at] = end{t.Shard, t.To}
	}
	if o.parts = int(parts); chunks > 0 {
		o.parts = chunks
	}
	o.ends = nil
	return o, true, nil
}

// fill makes one transfer of everything that a link carries in a step.
func fill(ctx context.Context, steps []plan.Step, s source, o *outline) error {
	for i := range steps {
		runs := 0
		for _, count := range o.runs[i] {
			runs += int(count)
		}
		room := make(collective.Chunks, runs)
		steps[i].Base = make([]plan.Transfer, len(o.runs[i]))
		for at, count := range o.runs[i] {
			steps[i].Base[at].Chunks, room = room[:0:count], room[count:]
		}
	}
	count, parts := 0, int64(o.parts)
	for number, t := range s.all() {
		if count++; count%4096 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		first := t.From.Num * parts / t.From.Den
		end := t.To.Num * parts / t.To.Den
		if first == end {
			continue
		}
		at, _ := o.links[number-1].find(&t, 0)
		into := &steps[number-1].Base[at]
		if len(into.Chunks) == 0 {
			chunks := into.Chunks
			*into = newTransfer(t)
			into.Chunks = chunks
		}
		addRun(&into.Chunks, t.Shard*o.parts+int(first), int(end-first))
	}
	for i := range steps {
		steps[i].Base = slices.DeleteFunc(steps[i].Base, func(t plan.Transfer) bool { return len(t.Chunks) == 0 })
		slices.SortFunc(steps[i].Base, func(a, b plan.Transfer) int {
			if a.Src != b.Src {
				return a.Src - b.Src
			}
			return a.Dst - b.Dst
		})
	}
	return nil
}

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
