package check

import (
	"iter"

	"github.com/lightpath-net/lightpath/compile/program"
)

// Cell is a chunk of a rank's memory, or of a message if Rank is negative.
type Cell struct {
	Rank, Address int
}

// Event is what one step does: the sum of its sources goes to all targets, for each of
// Count consecutive cells.
type Event struct {
	Place      program.Place
	Count      int
	Srcs, Dsts []Cell // the first of each
}

// BufferMap returns the layout of the memories.
func (g *Graph) BufferMap() program.BufferMap { return g.layout }

// Cells returns the addresses that every rank has, and those of messages.
func (g *Graph) Cells() (memory, messages int) { return g.layout.Reserved() + g.scratch, g.wires }

// Events yields the events that move data, in an order that the program allows. An event is
// valid until the next one.
func (g *Graph) Events() iter.Seq[Event] {
	return func(yield func(Event) bool) {
		with := g.order
		if len(g.weak) > 0 {
			with = g.joined(g.slots)
		}
		order, _ := g.sort(&with)
		var srcs, dsts []Cell
		for _, id := range order {
			e := &g.events[id]
			if len(e.srcs) == 0 {
				continue
			}
			srcs, dsts = srcs[:0], dsts[:0]
			for _, o := range e.srcs {
				srcs = append(srcs, Cell{int(o.mem), int(o.addr)})
			}
			for _, o := range e.dsts {
				dsts = append(dsts, Cell{int(o.mem), int(o.addr)})
			}
			if !yield(Event{e.place, int(e.count), srcs, dsts}) {
				return
			}
		}
	}
}
