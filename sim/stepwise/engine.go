package stepwise

import (
	"cmp"
	"errors"
	"fmt"
	"math/big"
	"math/bits"
	"slices"

	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/internal/each"
	"github.com/lightpath-net/lightpath/internal/heap"
	"github.com/lightpath-net/lightpath/sim"
	"github.com/lightpath-net/lightpath/units"
)

// Config describes the circuits and how packets are sent over them.
type Config struct {
	Bandwidth units.Bandwidth // of one circuit
	Delay     units.Duration  // propagation over one
	// Vary, if not nil, gives the properties of the circuits between two nodes, in place of
	// Bandwidth and Delay. Both must be above 0 if packets cut through.
	Vary       func(from, to int) (units.Bandwidth, units.Duration)
	Packet     units.Bytes // 0 is sim.DefaultPacket
	Forwarding fabric.Forwarding
	Cutting    int // see sim.Network
	// Buffer, if above 0, is the room that a node has for the packets that it forwards from one
	// neighbour; see the package comment.
	Buffer   units.Bytes
	Observer sim.Observer // receives transmissions; may be nil
	// Arrived is called when it is known that the last packet of a stream arrives at a time, Left
	// when it is known that a packet leaves a node at a time. Either may be nil.
	Arrived func(stream int32, at int64)
	Left    func(stream, node int32, at int64)
}

// Engine moves packets event by event, in order of time, so that messages may start, and
// circuits come up, whenever something else has happened. Times are in ps.
//
// A packet takes two events on every hop, each O(log e) for e pending events.
type Engine struct {
	Config
	packet, buffer    int64
	cut               bool
	events            *heap.Heap[event]
	queues            []queue
	find              map[[2]int32]int32
	streams           []stream
	hops, count, done int64
	now               int64
	sumHigh, sumLow   uint64 // of arrivals
	waiting           int    // number of streams that have not arrived
}

// Circuit is one server of a queue.
type Circuit struct {
	Up   int64 // from when on, or Never if unknown
	free int64
}

// queue holds the packets that wait at a node for the circuits to another.
type queue struct {
	from, to int32
	circuits []*Circuit
	waiting  []batch
	first    int    // index in waiting of the first that has not left
	turns    []turn // the order in which packets are served, or nil: as they come
	turn     int
	work     int64 // work that waits, in ps of one circuit
	due      int64 // when to serve it next, or Never
	room     int64 // bytes that the next node still has for packets that it forwards
	rate     uint64
	tx       int64 // of a whole packet
	delay    int64
	link     sim.LinkResult
}

// batch is a run of a stream's packets that wait; all are full, except perhaps the last.
type batch struct {
	stream, hop int32
	bytes       int64
	since       int64 // when they began to wait
}

// Stream is the part of a message that takes one route.
type Stream struct {
	Path  []int32
	Bytes int64
	Gap   int64 // between its packets, or 0 if it is sent whole
	Phase int   // of the stream, with its Flow in it, for the observer
	Flow  int
	// Order distinguishes streams of the same phase that hand packets to a queue in the same
	// picosecond, the lowest first. Ranks does so for packets that reach a queue in the same
	// picosecond: entry i is for the queue of the i-th hop, from 1 on. Nil means the number of the
	// node that they come from.
	Order int64
	Ranks []int32
}

// stream is a stream in the engine.
type stream struct {
	Stream
	queues []int32   // of its hops
	put    int64     // bytes handed over
	ahead  int64     // bytes that have not arrived yet
	last   int64     // latest arrival so far
	passed []int64   // with a gap: 1 + when the last packet entered the queue of each hop
	early  [][]batch // what waits at the queue of each hop, if that has turns
}

// Never is later than any event.
const Never = int64(1)<<62 - 1

// New returns an engine without circuits.
func New(c Config) (*Engine, error) {
	c.Packet = cmp.Or(c.Packet, sim.DefaultPacket)
	switch {
	case c.Bandwidth <= 0 || c.Delay < 0 || c.Packet < 0:
		return nil, fmt.Errorf("stepwise: bandwidth of %d bits per second, delay of %d ps, packets of %d bytes", c.Bandwidth, c.Delay, c.Packet)
	case c.Buffer < 0 || c.Buffer > 0 && c.Buffer < c.Packet:
		return nil, fmt.Errorf("stepwise: room for %d bytes; want at least a packet of %d", c.Buffer, c.Packet)
	case c.Forwarding == fabric.CutThrough && c.Delay == 0 && c.Vary == nil:
		return nil, errors.New("stepwise: packets that cut through need a delay of at least 1ps")
	}
	e := &Engine{
		events: heap.New((*event).before),
		Config: c, packet: int64(c.Packet), buffer: int64(c.Buffer), cut: c.Forwarding == fabric.CutThrough,
		find: map[[2]int32]int32{},
	}
	return e, nil
}

// perByte is the number of ps that a byte takes at 1 bit per second.
const perByte = 8e12

// sending returns how long a packet takes on a circuit, rounded up to whole ps.
func (q *queue) sending(bytes int64) int64 {
	rate := q.rate
	hi, lo := bits.Mul64(uint64(bytes), perByte)
	lo, carry := bits.Add64(lo, rate-1, 0)
	if hi += carry; hi >= rate {
		return Never // months
	}
	ps, _ := bits.Div64(hi, lo, rate)
	return int64(min(ps, uint64(Never)))
}

// queueOf returns the queue from u to v.
func (p *Engine) queueOf(u, v int32) int32 {
	i, ok := p.find[[2]int32{u, v}]
	if !ok {
		i = int32(len(p.queues))
		p.find[[2]int32{u, v}] = i
		bandwidth, delay := p.Bandwidth, p.Delay
		if p.Vary != nil {
			bandwidth, delay = p.Vary(int(u), int(v))
		}
		q := queue{
			from: u, to: v, due: Never, room: p.buffer, rate: uint64(max(1, bandwidth)), delay: int64(delay),
			link: sim.LinkResult{From: int(u), To: int(v)},
		}
		q.tx = q.sending(p.packet)
		p.queues = append(p.queues, q)
	}
	return i
}

// Plug adds a circuit from u to v, which serves packets once it is up.
func (p *Engine) Plug(u, v int, c *Circuit) {
	q := &p.queues[p.queueOf(int32(u), int32(v))]
	q.circuits = append(q.circuits, c)
	q.link.Circuits = max(q.link.Circuits, len(q.circuits))
	p.At(max(c.Up, p.now), func(now int64) { p.serve(p.queueOf(int32(u), int32(v)), now) })
}

// Unplug removes a circuit. No packet may be on it.
func (p *Engine) Unplug(u, v int, c *Circuit) {
	q := &p.queues[p.queueOf(int32(u), int32(v))]
	q.circuits = slices.DeleteFunc(q.circuits, func(other *Circuit) bool { return other == c })
}

// Add adds a stream, which does not begin before Start is called, and returns its number.
func (p *Engine) Add(s Stream) int32 {
	t := stream{Stream: s, ahead: s.Bytes}
	for h := 1; h < len(s.Path); h++ {
		t.queues = append(t.queues, p.queueOf(s.Path[h-1], s.Path[h]))
	}
	if s.Gap > 0 {
		t.passed = make([]int64, len(t.queues))
	}
	p.streams = append(p.streams, t)
	p.waiting++
	return int32(len(p.streams) - 1)
}

// Path returns the nodes of a stream.
func (p *Engine) Path(stream int32) []int32 { return p.streams[stream].Path }

// These are the kinds of events, in the order of processing at the same time.
const (
	wake  = iota // a function given to At
	hand         // a stream hands packets to its first queue
	reach        // a packet reaches a further queue
	serve        // a queue may start a packet
)

// event is a pending event.
type event struct {
	at        int64
	kind      uint8
	circuit   int32 // the circuit that brings the packet
	phase     int32
	rank      int32
	order     int64
	who       int32 // stream or queue
	hop       int32
	bytes     int64
	something func(now int64)
}

func (e *event) before(f *event) bool {
	switch {
	case e.at != f.at:
		return e.at < f.at
	case e.kind != f.kind:
		return e.kind < f.kind
	case e.rank != f.rank:
		return e.rank < f.rank
	case e.circuit != f.circuit:
		return e.circuit < f.circuit
	case e.phase != f.phase:
		return e.phase < f.phase
	case e.order != f.order:
		return e.order < f.order
	}
	return e.who < f.who
}

// At calls a function at the given time.
func (p *Engine) At(time int64, do func(now int64)) {
	p.events.Push(event{at: time, kind: wake, order: p.count, something: do})
	p.count++
}

// Start starts a stream at the given time.
func (p *Engine) Start(stream int32, at int64) {
	s := &p.streams[stream]
	p.events.Push(event{at: at, kind: hand, phase: int32(s.Phase), order: s.Order, who: stream})
}

// Next processes the next event, and reports whether there was one.
func (p *Engine) Next() bool {
	if p.events.Len() == 0 {
		return false
	}
	p.done++
	e := p.events.Pop()
	p.now = e.at
	switch e.kind {
	case wake:
		e.something(e.at)
	case hand:
		p.hand(&e)
	case reach:
		p.join(e.who, e.hop, e.bytes, e.at)
	case serve:
		if q := &p.queues[e.who]; q.due == e.at {
			q.due = Never
			p.serve(e.who, e.at)
		}
	}
	return true
}

// hand hands a stream to its first queue: the whole stream or, with a pace, its next packet.
func (p *Engine) hand(e *event) {
	s := &p.streams[e.who]
	bytes := s.Bytes - s.put
	if s.Gap > 0 {
		bytes = min(bytes, p.packet)
	}
	s.put += bytes
	if s.put < s.Bytes {
		again := *e
		again.at += s.Gap
		p.events.Push(again)
	}
	p.join(e.who, 0, bytes, e.at)
}

// join puts packets into the queue of a hop.
func (p *Engine) join(stream, hop int32, bytes, now int64) {
	s := &p.streams[stream]
	index := s.queues[hop]
	q := &p.queues[index]
	p.wait(q, batch{stream, hop, bytes, now})
	q.work += bytes/p.packet*q.tx + q.sending(bytes%p.packet)
	backlog := q.work
	backlog += each.Sum(q.circuits, func(c *Circuit) int64 { return max(0, c.free-now) })
	q.link.QueuePeak = max(q.link.QueuePeak, units.Duration(backlog))
	p.serve(index, now)
}

// serve starts the packets that can start now, and schedules the next look.
func (p *Engine) serve(index int32, now int64) {
	q := &p.queues[index]
	for p.next(q) != nil {
		circuit, soonest := -1, Never
		for i, c := range q.circuits {
			if at := max(now, c.free, c.Up); c.Up < Never && at < soonest {
				circuit, soonest = i, at
			}
		}
		if circuit < 0 {
			return // no circuit will be up
		}
		if soonest > now {
			if soonest < q.due {
				q.due = soonest
				p.events.Push(event{at: soonest, kind: serve, who: index})
			}
			return
		}
		if !p.fits(q) {
			return // until the next node has room again
		}
		p.send(index, circuit, now)
	}
}

// fits reports whether the next node has room for the first packet, if it forwards that.
func (p *Engine) fits(q *queue) bool {
	if p.buffer == 0 {
		return true
	}
	b := p.next(q)
	return int(b.hop) == len(p.streams[b.stream].queues)-1 || q.room >= min(b.bytes, p.packet)
}

// free returns the room of a packet that has left the node after a queue.
func (p *Engine) free(index int32, bytes, at int64) {
	p.At(at+p.queues[index].delay, func(now int64) { // a credit takes as long as a packet
		p.queues[index].room += bytes
		p.serve(index, now)
	})
}

// send starts the first packet that waits on a circuit.
func (p *Engine) send(index int32, circuit int, now int64) {
	q := &p.queues[index]
	b := p.next(q)
	number, hop, since := b.stream, b.hop, b.since
	bytes := p.take(q, b)
	tx := q.sending(bytes)
	q.work -= tx
	q.circuits[circuit].free = now + tx
	q.link.Bytes += units.Bytes(bytes)
	q.link.Packets++
	q.link.Busy += units.Duration(tx)
	p.hops++
	s := &p.streams[number]
	if p.Observer != nil {
		p.Observer.Transmission(sim.Transmission{
			Phase: s.Phase, From: int(q.from), To: int(q.to), Circuit: circuit, Flow: s.Flow,
			Packets: 1, Start: units.Duration(now), Gap: units.Duration(tx), Each: units.Duration(tx),
			Bytes: units.Bytes(bytes), Queued: units.Duration(since), Relayed: hop > 0,
		})
	}
	if p.Left != nil {
		p.Left(number, q.from, now+tx)
	}
	if p.buffer > 0 && hop > 0 {
		p.free(s.queues[hop-1], bytes, now+tx)
	}
	if int(hop) == len(s.queues)-1 {
		p.deliver(number, bytes, now+tx+q.delay)
		return
	}
	if p.buffer > 0 {
		q.room -= bytes
	}
	at := now + q.delay
	if p.cut || p.Cutting > 0 && int(q.to) >= p.Cutting {
		at += max(0, tx-p.queues[s.queues[hop+1]].sending(bytes)) // bits must not run out on a faster one
	} else {
		at += tx
	}
	if s.Gap > 0 { // not before its gap
		if s.passed[hop] > 0 {
			at = max(at, s.passed[hop]-1+s.Gap)
		}
		s.passed[hop] = at + 1
	}
	rank := q.from
	if s.Ranks != nil {
		rank = s.Ranks[hop+1]
	}
	p.events.Push(event{
		at: at, kind: reach, circuit: int32(circuit), phase: int32(s.Phase), rank: rank, order: s.Order, who: number, hop: hop + 1, bytes: bytes,
	})
}

// deliver counts a packet that arrives at the given time.
func (p *Engine) deliver(number int32, bytes, at int64) {
	var carry uint64
	p.sumLow, carry = bits.Add64(p.sumLow, uint64(at), 0)
	p.sumHigh += carry
	s := &p.streams[number]
	s.last = max(s.last, at)
	if s.ahead -= bytes; s.ahead > 0 {
		return
	}
	p.waiting--
	if p.Arrived != nil {
		p.Arrived(number, s.last)
	}
}

// Result returns the outcome, without phases.
func (p *Engine) Result() *sim.Result {
	sum := new(big.Int).SetUint64(p.sumHigh)
	r := &sim.Result{ArrivalSum: sum.Lsh(sum, 64).Or(sum, new(big.Int).SetUint64(p.sumLow)), PacketHops: p.hops, Events: p.done}
	for i := range p.streams {
		r.Packets += (p.streams[i].Bytes-1)/p.packet + 1
	}
	for i := range p.queues {
		r.Links = append(r.Links, p.queues[i].link)
	}
	slices.SortFunc(r.Links, func(a, b sim.LinkResult) int {
		return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To))
	})
	return r
}
