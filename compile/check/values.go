package check

import (
	"fmt"
	"math/bits"

	"github.com/lightpath-net/lightpath/compile/program"
)

// value is what a chunk holds: contributions of some ranks to an item. The set is nil if the
// collective reduces nothing: the item then identifies the rank.
type value struct {
	item program.Item
	set  []uint64
}

// none is the item of memory that was never written.
const none program.Item = -1

// State is what the memories of all ranks hold between the programs of a manifest.
type State struct {
	layout program.BufferMap
	words  int
	mems   [][]value
}

// NewState gives every rank its input.
func NewState(l program.BufferMap, scratch int) *State {
	s := &State{layout: l, mems: make([][]value, l.Nodes)}
	if l.Op.Reduces() {
		s.words = (l.Nodes + 63) / 64
	}
	for r := range s.mems {
		mem := make([]value, l.Reserved()+scratch)
		for a := range mem {
			mem[a].item = none
		}
		var own []uint64
		if s.words > 0 {
			own = make([]uint64, s.words)
			own[r/64] = 1 << (r % 64)
		}
		for j := range l.InputChunks(r) {
			mem[l.Address(r, program.Loc{Buffer: program.Input, Offset: int32(j)})] = value{l.Begins(r, j), own}
		}
		s.mems[r] = mem
	}
	return s
}

// outcome holds the faults that a symbolic run finds.
type outcome struct {
	missing, counted error
}

// run executes the events in a legal order. After an error it continues with the value that was
// there, so that it finds every kind of fault.
func (s *State) run(g *Graph, order []int32) outcome {
	var out outcome
	for r := range s.mems {
		for len(s.mems[r]) < g.layout.Reserved()+g.scratch {
			s.mems[r] = append(s.mems[r], value{item: none})
		}
	}
	wires := make([]value, g.wires)
	at := func(o operand, i int32) *value {
		if o.mem == wire {
			return &wires[o.addr+i]
		}
		return &s.mems[o.mem][o.addr+i]
	}
	for _, id := range order {
		e := &g.events[id]
		if len(e.srcs) == 0 {
			continue
		}
		for i := range e.count {
			sum := *at(e.srcs[0], i)
			s.defined(g, e, e.srcs[0], i, sum, &out)
			for _, o := range e.srcs[1:] {
				term := *at(o, i)
				s.defined(g, e, o, i, term, &out)
				sum = s.add(e, sum, term, &out)
			}
			for _, o := range e.dsts {
				*at(o, i) = sum
			}
		}
	}
	return out
}

func (s *State) defined(g *Graph, e *event, o operand, i int32, v value, out *outcome) {
	if v.item == none && o.mem != wire && out.missing == nil {
		out.missing = fmt.Errorf("%v reads %s of rank %d, to which nothing was written", e.place, g.name(o.addr+i), o.mem)
	}
}

// add returns the sum of two values.
func (s *State) add(e *event, a, b value, out *outcome) value {
	fault := func(format string, args ...any) {
		if out.counted == nil {
			out.counted = fmt.Errorf("%v: "+format, append([]any{e.place}, args...)...)
		}
	}
	switch {
	case a.item == none:
		return b
	case b.item == none:
		return a
	case s.words == 0:
		fault("%s reduces nothing, but two chunks are added", s.layout.Op)
		return a
	case a.item != b.item:
		fault("adds chunk %d to chunk %d", b.item, a.item)
		return a
	}
	sum := make([]uint64, s.words)
	for w := range sum {
		if twice := a.set[w] & b.set[w]; twice != 0 {
			fault("counts rank %d twice in chunk %d", w*64+bits.TrailingZeros64(twice), a.item)
		}
		sum[w] = a.set[w] | b.set[w]
	}
	return value{a.item, sum}
}

// result checks that every rank holds what the collective promises.
func (s *State) result() error {
	l := &s.layout
	for r := range s.mems {
		for j := range l.OutputChunks(r) {
			at := program.Loc{Buffer: program.Output, Offset: int32(j)}
			v := s.mems[r][l.Address(r, at)]
			item, all := l.Due(r, j)
			origin, offset := l.Origin(item)
			switch {
			case v.item == none:
				return fmt.Errorf("rank %d: nothing was written to %v", r, at)
			case v.item != item && all:
				return fmt.Errorf("rank %d: %v holds chunk %d, not chunk %d", r, at, v.item, item)
			case v.item != item:
				rank, chunk := l.Origin(v.item)
				return fmt.Errorf("rank %d: %v holds i[%d] of rank %d, not i[%d] of rank %d", r, at, chunk, rank, offset, origin)
			}
			if !all {
				continue
			}
			for q := range l.Nodes {
				if v.set[q/64]>>(q%64)&1 == 0 {
					return fmt.Errorf("rank %d: %v lacks the contribution of rank %d", r, at, q)
				}
			}
		}
	}
	return nil
}
