package check

import (
	"context"
	"errors"

	"github.com/lightpath-net/lightpath/internal/heap"
	"github.com/lightpath-net/lightpath/units"
)

// Circuits is the connection from one rank to another: the number of parallel circuits, the time
// of a byte on each, and the time from sending the last byte to its arrival.
type Circuits struct {
	Count   int
	PerByte units.Time
	Latency units.Time
}

// Network is the network that carries the messages of a program.
type Network struct {
	Chunk  float64                        // bytes
	Of     func(from, to int) Circuits    // between two ranks
	Reduce func(bytes float64) units.Time // adding two operands
	// Roomy lets senders run ahead of receivers by any number of messages, instead of at most
	// the slots of their protocol.
	Roomy bool
}

// ErrNeverEnds marks a program in which some event waits forever.
var ErrNeverEnds = errors.New("the program never ends")

// Carry returns how long a program takes, by these rules. An event begins when everything that
// it waits for has ended. A message takes the first free circuit, first come, first served; of
// messages that are ready at the same time, the one that the program lists first goes first. The
// sender goes on when the message's last byte has left, and events of other ranks that wait for
// the message when it has arrived. There are no barriers. Carry takes O((events + edges) log
// events).
func (g *Graph) Carry(ctx context.Context, n Network) (units.Time, error) {
	c := newCarrier(g, n)
	for count := 0; c.ready.Len() > 0; count++ {
		if count%1024 == 0 && ctx.Err() != nil {
			return 0, ctx.Err()
		}
		c.carry(c.ready.Pop())
	}
	if c.left > 0 {
		return 0, ErrNeverEnds
	}
	return c.last, nil
}

// carrier is the state of a running program.
type carrier struct {
	graph   *Graph
	network Network
	after   edges        // by source: what waits for it
	waits   []int32      // how many events an event still waits for
	begins  []units.Time // the latest end of what an event waited for
	to      []int32      // the rank that an event sends to; its own rank if it sends nothing
	free    map[[2]int][]units.Time
	ready   *heap.Heap[beginning]
	left    int
	last    units.Time
}

func newCarrier(g *Graph, n Network) *carrier {
	count := len(g.events)
	c := &carrier{
		graph: g, network: n, waits: make([]int32, count), begins: make([]units.Time, count), to: make([]int32, count),
		free: map[[2]int][]units.Time{}, left: count, ready: heap.New((*beginning).before),
	}
	all := append([]edge(nil), g.weak...)
	if g.full != nil && g.slots > 0 && !n.Roomy {
		all = append(all, g.full(g.slots)...)
	}
	for e := range int32(count) {
		for _, from := range g.order.before(e) {
			all = append(all, edge{from, e})
		}
	}
	for i, e := range all {
		c.waits[e.to]++
		all[i] = edge{e.to, e.from} // sorted by source
	}
	c.after = byTarget(count, all)
	c.receivers()
	for e := range int32(count) {
		if c.waits[e] == 0 {
			c.ready.Push(beginning{0, e})
		}
	}
	return c
}

// receivers finds the rank that every event sends to.
func (c *carrier) receivers() {
	gets := map[int32]int32{} // the rank that receives a message
	for i := range c.graph.events {
		e := &c.graph.events[i]
		for _, s := range e.srcs {
			if s.mem == wire {
				gets[s.addr] = int32(e.place.Rank)
			}
		}
	}
	for i := range c.graph.events {
		e := &c.graph.events[i]
		c.to[i] = int32(e.place.Rank)
		for _, d := range e.dsts {
			switch {
			case d.mem == wire:
				c.to[i] = gets[d.addr]
			case d.mem != int32(e.place.Rank):
				c.to[i] = d.mem
			}
		}
	}
}

// carry executes an event.
func (c *carrier) carry(b beginning) {
	e := &c.graph.events[b.event]
	from, to := e.place.Rank, int(c.to[b.event])
	bytes := float64(e.count) * c.network.Chunk
	here := b.at
	if len(e.srcs) > 1 && c.network.Reduce != nil {
		here += c.network.Reduce(bytes)
	}
	there := here
	if to != from {
		here, there = c.send(from, to, bytes, here)
	}
	c.last = max(c.last, here, there)
	c.left--
	for _, next := range c.after.before(b.event) {
		end := here
		if c.graph.events[next].place.Rank != from {
			end = there
		}
		c.begins[next] = max(c.begins[next], end)
		if c.waits[next]--; c.waits[next] == 0 {
			c.ready.Push(beginning{c.begins[next], next})
		}
	}
}

// send returns when a message that is ready at a time has left and when it has arrived.
func (c *carrier) send(from, to int, bytes float64, at units.Time) (left, arrived units.Time) {
	on := c.network.Of(from, to)
	key := [2]int{from, to}
	free := c.free[key]
	if free == nil {
		free = make([]units.Time, max(1, on.Count))
		c.free[key] = free
	}
	first := 0
	for k := range free {
		if free[k] < free[first] {
			first = k
		}
	}
	left = max(at, free[first]) + units.Time(bytes)*on.PerByte
	free[first] = left
	return left, left + on.Latency
}

// beginning is an event that is ready to run.
type beginning struct {
	at    units.Time
	event int32
}

func (b *beginning) before(other *beginning) bool {
	return b.at < other.at || b.at == other.at && b.event < other.event
}
