package direct

import (
	"context"
	"fmt"
	"math/bits"
	"slices"
	"sync/atomic"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/flow"
	"github.com/lightpath-net/lightpath/internal/threads"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/direct/paced"
)

// mostRuns is the largest number of runs of shards in a plan; they take a gigabyte.
const mostRuns = 1 << 25

// lister makes the transfers of one goroutine.
type lister struct {
	steps [][]plan.Transfer
	lists sharer
	ids   []int
	runs  collective.Chunks
	// stride is the distance between shards of a reduce-scatter that belong together (compact).
	// apart is working memory: the shards of each remainder modulo stride.
	stride int
	apart  [][]int
}

// listed lists the transfers of an allgather or, if action reduces, those of the reduce-scatter
// that runs it backwards on the transpose. Steps are in the order of the allgather.
func listed(ctx context.Context, g *paced.Gather, action collective.Action, stride int) ([]plan.Step, error) {
	listers := make([]lister, threads.Of(ctx))
	for i := range listers {
		listers[i] = lister{steps: make([][]plan.Transfer, len(g.Paces)), stride: stride, apart: make([][]int, stride)}
	}
	var kept atomic.Int64
	err := g.Deliveries(ctx, func(k, step, to int, from []int32, shards [][]uint64) {
		if kept.Load() > mostRuns {
			return
		}
		l := &listers[k]
		before := l.lists.runs
		for j, w := range from {
			chunks := l.chunks(shards[j])
			if len(chunks) == 0 {
				continue
			}
			src, dst := int(w), to
			if action == collective.Reduce {
				src, dst = dst, src
			}
			l.steps[step] = append(l.steps[step], plan.Transfer{
				Transfer: collective.Transfer{Src: src, Dst: dst, Action: action, Chunks: chunks},
				Routes:   []flow.Route{{Path: []int32{int32(src), int32(dst)}, Share: 1}},
			})
		}
		kept.Add(int64(l.lists.runs - before))
	})
	if err != nil {
		return nil, err
	}
	if kept.Load() > mostRuns {
		return nil, fmt.Errorf("%w: what goes over a circuit is more than %d runs of shards in all", planner.ErrInfeasible, mostRuns)
	}
	steps := make([]plan.Step, len(g.Paces))
	for i := range steps {
		for k := range listers {
			steps[i].Base = append(steps[i].Base, listers[k].steps[i]...)
			listers[k].steps[i] = nil
		}
		slices.SortFunc(steps[i].Base, byEnds)
	}
	return steps, nil
}

// chunks returns a set of shards as runs.
func (l *lister) chunks(set []uint64) collective.Chunks {
	l.ids = l.ids[:0]
	for w, word := range set {
		for ; word != 0; word &= word - 1 {
			l.ids = append(l.ids, 64*w+bits.TrailingZeros64(word))
		}
	}
	l.runs = collective.AppendOf(l.runs[:0], l.ids)
	if near := len(l.runs); l.stride > 1 && near > 1 {
		if l.runs = l.strided(l.runs); len(l.runs)-near < near {
			return l.lists.keep(l.runs[near:])
		}
		l.runs = l.runs[:near]
	}
	return l.lists.keep(l.runs)
}

// strided appends the shards as runs of the lister's stride.
func (l *lister) strided(to collective.Chunks) collective.Chunks {
	for i := range l.apart {
		l.apart[i] = l.apart[i][:0]
	}
	for _, v := range l.ids {
		l.apart[v%l.stride] = append(l.apart[v%l.stride], v)
	}
	for _, ids := range l.apart {
		for i := 0; i < len(ids); {
			j := i + 1
			for j < len(ids) && ids[j] == ids[j-1]+l.stride {
				j++
			}
			to = append(to, collective.RunOf(ids[i], j-i, l.stride))
			i = j
		}
	}
	return to
}
