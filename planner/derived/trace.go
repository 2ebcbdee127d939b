package derived

import (
	"context"
	"fmt"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/internal/arithmetic"
	"github.com/lightpath-net/lightpath/planner"
)

// goal is a copying operation on a buffer that is cut into items: it says where each item is at
// the start, and who needs it.
type goal struct {
	op    collective.Op
	space collective.Space // of the items
}

// origin returns the GPU that has an item at the start.
func (g *goal) origin(item int) int {
	if g.op == collective.Broadcast || g.op == collective.Scatter {
		return g.space.Member(0)
	}
	return g.space.Member(item / g.space.Parts)
}

// needs returns the members that need an item: those from first to last-1.
func (g *goal) needs(item int) (first, last int) {
	switch g.op {
	case collective.Gather:
		return 0, 1
	case collective.Scatter:
		return item / g.space.Parts, item/g.space.Parts + 1
	}
	return 0, g.space.MembersCount()
}

// goalFor cuts the buffer of a copying operation so that every chunk of the other plan is a whole
// number of items.
func goalFor(op collective.Op, from *collective.Space) (*goal, error) {
	n := from.MembersCount()
	items := 1
	if op != collective.Broadcast {
		items = n
	}
	sections := []collective.Section{{Space: *from}}
	if from.Kind == collective.Sections {
		sections = from.Sections
	}
	for i := range sections {
		s := &sections[i].Space
		if s.Sizes != nil || s.Kind == collective.Listed || s.Kind == collective.Sections || s.MembersCount() != n {
			return nil, fmt.Errorf("%w: chunks of their own sizes", planner.ErrInfeasible)
		}
		chunks := n * s.Parts
		if s.Kind == collective.Whole {
			chunks = s.Parts
		}
		items = arithmetic.LCM(items, chunks)
		if items > collective.MaxParts {
			return nil, fmt.Errorf("%w: chunks that do not fit together", planner.ErrInfeasible)
		}
	}
	parts := items
	if op != collective.Broadcast {
		parts = items / n
	}
	g := &goal{op: op, space: collective.SpaceOf(op, from.Nodes, parts)}
	g.space.Members = sections[0].Space.Members
	return g, nil
}

// run is a range of consecutive items.
type run struct{ first, count int32 }

// itemsOf lists the items that each chunk of another plan stands for, if that plan is followed
// backward or forward.
func (g *goal) itemsOf(from *collective.Space, backward bool) []run {
	if from.Kind == collective.Sections {
		var all []run
		for i := range from.Sections {
			all = append(all, g.itemsOf(&from.Sections[i].Space, backward)...)
		}
		return all
	}
	n, items := from.MembersCount(), g.space.Chunks()
	all := make([]run, from.Chunks())
	for c := range all {
		at, of := c, len(all)
		if from.Kind == collective.Pairs {
			pair, part := c/from.Parts, c%from.Parts
			src, dst := pair/n, pair%n
			if backward {
				src, dst = dst, src
			}
			if of = n * from.Parts; g.op == collective.Scatter {
				if src != 0 {
					continue
				}
				src = dst
			}
			at = src*from.Parts + part
		}
		each := items / of
		all[c] = run{int32(at * each), int32(each)}
	}
	return all
}

// trace records where items are.
type trace struct {
	*goal
	items int
	moves []*move
	// by has, for every GPU and item, the number of the move that first brings the item, counted
	// from 1. It is atStart if the item begins there, and 0 if it never arrives.
	by []int32
}

const atStart = int32(-1)

// follow marks in a flow the items that a goal needs from each move. The error wraps
// planner.ErrInfeasible if the flow does not reach the goal.
func follow(ctx context.Context, g *goal, flow []layer, itemsOf []run) error {
	t := &trace{goal: g, items: g.space.Chunks()}
	t.by = make([]int32, t.items*g.space.Nodes)
	for i := range t.items {
		t.by[g.origin(i)*t.items+i] = atStart
	}
	for _, l := range flow {
		for _, moves := range l.steps {
			if err := ctx.Err(); err != nil {
				return err
			}
			first := int32(len(t.moves))
			for k := range moves {
				t.moves = append(t.moves, &moves[k])
				t.arrive(&moves[k], first, itemsOf)
			}
		}
	}
	return t.need()
}

// arrive records what a move brings to a GPU that does not have it yet. first is the number of
// moves before its step: what the moves of a step bring can leave only in later steps.
func (t *trace) arrive(m *move, first int32, itemsOf []run) {
	src, dst := t.by[m.Src*t.items:][:t.items], t.by[m.Dst*t.items:][:t.items]
	for c := range m.Chunks.All() {
		r := itemsOf[c]
		for i := r.first; i < r.first+r.count; i++ {
			if dst[i] == 0 && src[i] != 0 && src[i] <= first {
				dst[i] = int32(len(t.moves))
			}
		}
	}
}

// need marks the items that each move must bring.
func (t *trace) need() error {
	for i := range t.items {
		first, last := t.needs(i)
		for k := first; k < last; k++ {
			for v := t.space.Member(k); ; {
				at := &t.by[v*t.items+i]
				if *at == 0 {
					return fmt.Errorf("%w: item %d does not come to GPU %d", planner.ErrInfeasible, i, v)
				}
				if *at == atStart {
					break
				}
				m := t.moves[*at-1]
				*at = atStart // it is there now
				m.items = append(m.items, i)
				v = m.Src
			}
		}
	}
	return nil
}
