package check

import (
	"fmt"
	"math/rand/v2"

	"github.com/lightpath-net/lightpath/compile/program"
	"github.com/lightpath-net/lightpath/internal/each"
)

// memories are the numbers that ranks hold, by address.
type memories [][]uint64

// Interpret runs programs one after the other on random integers, each in its own random legal
// order. It compares the result of every rank with the sums and copies that define the
// collective. Memory that holds no input also starts with random numbers, and sums wrap around.
//
// It runs the events of a graph and proves nothing: tests hold what Programs proves against it, and
// the tests of every package that makes programs run it.
func Interpret(seed uint64, programs ...*program.Program) error {
	graphs := make([]*Graph, len(programs))
	for i, p := range programs {
		var err error
		if graphs[i], err = NewGraph(p); err != nil {
			return err
		}
	}
	return interpret(seed, graphs)
}

// InterpretGraphs is Interpret for graphs, such as those of a format that has no programs.
func InterpretGraphs(seed uint64, graphs ...*Graph) error { return interpret(seed, graphs) }

func interpret(seed uint64, graphs []*Graph) error {
	if len(graphs) == 0 {
		return nil
	}
	rng := rand.New(rand.NewPCG(seed, 0))
	l := graphs[0].layout
	scratch := each.Max(0, graphs, func(g *Graph) int { return g.scratch })
	mems := make(memories, l.Nodes)
	begin := make(memories, l.Nodes) // the inputs
	for r := range mems {
		mems[r] = make([]uint64, l.Reserved()+scratch)
		for a := range mems[r] {
			mems[r][a] = rng.Uint64()
		}
		begin[r] = make([]uint64, l.InputChunks(r))
		for j := range begin[r] {
			begin[r][j] = mems[r][l.Address(r, program.Loc{Buffer: program.Input, Offset: int32(j)})]
		}
	}
	for _, g := range graphs {
		if err := g.execute(mems, rng); err != nil {
			return err
		}
	}
	for r := range mems {
		for j := range l.OutputChunks(r) {
			item, all := l.Due(r, j)
			rank, offset := l.Origin(item)
			want := uint64(0)
			if all {
				want += each.SumBelow(len(begin), func(q int) uint64 { return begin[q][offset] })
			} else {
				want = begin[rank][offset]
			}
			at := program.Loc{Buffer: program.Output, Offset: int32(j)}
			if got := mems[r][l.Address(r, at)]; got != want {
				return fmt.Errorf("rank %d: %v is %d after the run, not %d", r, at, got, want)
			}
		}
	}
	return nil
}

// execute runs the events in a random order that the graph allows.
func (g *Graph) execute(mems memories, rng *rand.Rand) error {
	waits := make([]int32, len(g.events))
	after := make([][]int32, len(g.events))
	var ready []int32
	for _, e := range g.weak {
		waits[e.to]++
		after[e.from] = append(after[e.from], e.to)
	}
	for to := range int32(len(g.events)) {
		waits[to] += int32(len(g.order.before(to)))
		for _, from := range g.order.before(to) {
			after[from] = append(after[from], to)
		}
		if waits[to] == 0 {
			ready = append(ready, to)
		}
	}
	wires := make([]uint64, g.wires)
	at := func(o operand, i int32) *uint64 {
		if o.mem == wire {
			return &wires[o.addr+i]
		}
		return &mems[o.mem][o.addr+i]
	}
	done := 0
	for len(ready) > 0 {
		pick := rng.IntN(len(ready))
		id := ready[pick]
		ready[pick] = ready[len(ready)-1]
		ready = ready[:len(ready)-1]
		done++
		e := &g.events[id]
		for i := range e.count {
			sum := each.Sum(e.srcs, func(o operand) uint64 { return *at(o, i) })
			for _, o := range e.dsts {
				*at(o, i) = sum
			}
		}
		for _, next := range after[id] {
			if waits[next]--; waits[next] == 0 {
				ready = append(ready, next)
			}
		}
	}
	if done < len(g.events) {
		return fmt.Errorf("the run stops after %d of %d steps: deadlock", done, len(g.events))
	}
	return nil
}
