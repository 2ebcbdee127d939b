package check

import (
	"fmt"

	"github.com/lightpath-net/lightpath/compile/program"
)

// wire as the memory of an operand: the contents of a message.
const wire = -1

// operand is some chunks in the memory of a rank, or of a message.
type operand struct {
	mem, addr int32
}

// event is a step of a thread block: the sum of its sources goes to all of its targets.
type event struct {
	place program.Place
	block int32 // numbered through the whole program
	index int32 // in its block
	count int32
	srcs  []operand
	dsts  []operand
}

// Graph is the events of a program and their order.
type Graph struct {
	layout  program.BufferMap
	scratch int // the largest of any rank
	wires   int // chunks of all messages
	slots   int // per connection, as the protocol has; 0: unbounded
	events  []event
	blocks  []int32                // first event of every block, and the end
	order   edges                  // which event must end before which
	full    func(slots int) []edge // which receive makes room for which send; nil: no connections
	weak    []edge                 // waits that order nothing else
	fine    func() (*Graph, error) // the same program, with messages of one chunk each
}

// edge says that event to waits for event from.
type edge struct {
	from, to int32
}

// edges is a list of edges, grouped by target.
type edges struct {
	first []int32
	from  []int32
}

func (e *edges) before(to int32) []int32 { return e.from[e.first[to]:e.first[to+1]] }

// byTarget sorts edges in linear time.
func byTarget(events int, lists ...[]edge) edges {
	sorted := edges{first: make([]int32, events+2)}
	total := 0
	for _, list := range lists {
		total += len(list)
		for _, e := range list {
			sorted.first[e.to+2]++
		}
	}
	for i := 2; i < len(sorted.first); i++ {
		sorted.first[i] += sorted.first[i-1]
	}
	sorted.from = make([]int32, total)
	for _, list := range lists {
		for _, e := range list {
			at := &sorted.first[e.to+1]
			sorted.from[*at] = e.from
			*at++
		}
	}
	sorted.first = sorted.first[:events+1]
	return sorted
}

// blockOf returns where a block begins and ends.
func (g *Graph) blockOf(block int32) (from, end int32) { return g.blocks[block], g.blocks[block+1] }

// name says which chunk an address is.
func (g *Graph) name(addr int32) string {
	switch k := int32(g.layout.Chunks); {
	case addr >= int32(g.layout.Reserved()):
		return fmt.Sprintf("s[%d]", addr-int32(g.layout.Reserved()))
	case g.layout.InPlace:
		return fmt.Sprintf("chunk %d of the buffer", addr)
	case addr >= k:
		return fmt.Sprintf("o[%d]", addr-k)
	default:
		return fmt.Sprintf("i[%d]", addr)
	}
}
