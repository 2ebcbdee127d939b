package check

import "github.com/lightpath-net/lightpath/compile/program"

// Builder makes a graph event by event, for programs whose events are not those of thread
// blocks with connections.
type Builder struct {
	layout  program.BufferMap
	scratch int
	events  []event
	blocks  [][]int32
	strong  []edge
	weak    []edge
}

// NewBuilder begins a graph whose ranks have at most the given number of scratch chunks.
func NewBuilder(l program.BufferMap, scratch int) *Builder {
	return &Builder{layout: l, scratch: scratch}
}

// Operand is consecutive chunks of a rank, from a location on.
type Operand struct {
	Rank int
	Loc  program.Loc
}

// Block begins a thread block: its events follow one another.
func (b *Builder) Block() int {
	b.blocks = append(b.blocks, nil)
	return len(b.blocks) - 1
}

// Add appends an event to a block: the sum of the sources goes to all targets.
func (b *Builder) Add(block int, place program.Place, count int, srcs, dsts []Operand) int {
	id := b.event(block, place, count, srcs, dsts)
	if list := b.blocks[block]; len(list) > 1 {
		b.strong = append(b.strong, edge{list[len(list)-2], int32(id)})
	}
	return id
}

// Apart adds an event that runs beside the block that started it, after the given event
// (-1: from the beginning).
func (b *Builder) Apart(place program.Place, after, count int, srcs, dsts []Operand) int {
	id := b.event(b.Block(), place, count, srcs, dsts)
	if after >= 0 {
		b.Before(after, id)
	}
	return id
}

func (b *Builder) event(block int, place program.Place, count int, srcs, dsts []Operand) int {
	id := int32(len(b.events))
	list := make([]operand, 0, len(srcs)+len(dsts))
	for _, o := range srcs {
		list = append(list, operand{int32(o.Rank), int32(b.layout.Address(o.Rank, o.Loc))})
	}
	for _, o := range dsts {
		list = append(list, operand{int32(o.Rank), int32(b.layout.Address(o.Rank, o.Loc))})
	}
	b.events = append(b.events, event{
		place: place, block: int32(block), index: int32(len(b.blocks[block])), count: int32(count),
		srcs: list[:len(srcs):len(srcs)], dsts: list[len(srcs):],
	})
	b.blocks[block] = append(b.blocks[block], id)
	return int(id)
}

// Before records that an event ends, with all its effects, before another begins.
func (b *Builder) Before(first, then int) {
	b.strong = append(b.strong, edge{int32(first), int32(then)})
}

// Awaits says that an event waits for another without seeing its effects.
func (b *Builder) Awaits(then, first int) { b.weak = append(b.weak, edge{int32(first), int32(then)}) }

// Graph returns the graph. The builder must not be used afterwards.
func (b *Builder) Graph() *Graph {
	g := &Graph{layout: b.layout, scratch: b.scratch, events: make([]event, 0, len(b.events))}
	moved := make([]int32, len(b.events))
	for _, list := range b.blocks {
		g.blocks = append(g.blocks, int32(len(g.events)))
		for _, id := range list {
			moved[id] = int32(len(g.events))
			g.events = append(g.events, b.events[id])
		}
	}
	g.blocks = append(g.blocks, int32(len(g.events)))
	for _, list := range [2][]edge{b.strong, b.weak} {
		for i := range list {
			list[i] = edge{moved[list[i].from], moved[list[i].to]}
		}
	}
	g.order = byTarget(len(g.events), b.strong)
	g.weak = b.weak
	return g
}
