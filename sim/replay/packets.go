package replay

import (
	"math/big"
	"math/bits"

	"github.com/lightpath-net/lightpath/sim"
	"github.com/lightpath-net/lightpath/units"
)

// packets moves packets event by event: one at a time, in the order of time, so that
// messages may start, and circuits come up, whenever something else has happened. It does
// what package sim does for phases, slower and with less to know beforehand: queues are
// served in the order of arrival, and what comes in the same picosecond is ordered as there.
//
// A packet takes two events on every hop, each O(log e) for e events that are to come.
type packets struct {
	packet, tx, delay int64
	cut               bool
	sending           func(bytes int64) int64
	events            events
	queues            []queue
	streams           []traveller
	hops, count, done int64
	sumHigh, sumLow   uint64 // of arrivals
	arrived           func(stream int32, at int64)
	left              func(stream int32, node int32, at int64)
	observer          sim.Observer
}

// queue is the packets that wait at a node for the circuits to another.
type queue struct {
	from, to int32
	circuits []*wire
	waiting  []batch
	first    int   // of waiting that has not gone
	work     int64 // ps of one circuit that wait
	due      int64 // the next look, or never
	link     sim.LinkResult
}

// batch is packets of a stream that wait, all full but perhaps the last.
type batch struct {
	stream, hop int32
	bytes       int64
}

// traveller is a stream on its way.
type traveller struct {
	queues []int32 // of its hops
	ranks  []int32 // of the queue before each, for ties
	bytes  int64
	gap    int64
	step   int32
	order  int64 // among the streams of its step, for ties
	number int   // of its flow in the step
	put    int64 // bytes handed over
	ahead  int64 // bytes that have not arrived
	last   int64 // arrival so far
	passed []int64
}

const never = int64(1)<<62 - 1

// kinds of events, in the order in which they are looked at if they are at the same time.
const (
	wake  = iota // somebody else's
	hand         // a stream hands packets to its first queue
	reach        // a packet reaches a further queue
	serve        // a queue may start a packet
)

// event is something that is to happen.
type event struct {
	at        int64
	kind      uint8
	circuit   int32 // that brings the packet
	step      int32
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
	case e.step != f.step:
		return e.step < f.step
	case e.order != f.order:
		return e.order < f.order
	}
	return e.who < f.who
}

// events is a heap.
type events []event

func (h *events) push(e event) {
	*h = append(*h, e)
	list := *h
	i := len(list) - 1
	for i > 0 && e.before(&list[(i-1)/2]) {
		list[i] = list[(i-1)/2]
		i = (i - 1) / 2
	}
	list[i] = e
}

func (h *events) pop() event {
	list := *h
	top, e := list[0], list[len(list)-1]
	list = list[:len(list)-1]
	*h = list
	if len(list) == 0 {
		return top
	}
	i := 0
	for {
		child := 2*i + 1
		if child >= len(list) {
			break
		}
		if child+1 < len(list) && list[child+1].before(&list[child]) {
			child++
		}
		if !list[child].before(&e) {
			break
		}
		list[i] = list[child]
		i = child
	}
	list[i] = e
	return top
}

// at has something done at a time.
func (p *packets) at(time int64, do func(now int64)) {
	p.events.push(event{at: time, kind: wake, order: p.count, something: do})
	p.count++
}

// start hands a stream over from a time on.
func (p *packets) start(stream int32, at int64) {
	p.events.push(event{at: at, kind: hand, step: p.streams[stream].step, order: p.streams[stream].order, who: stream})
}

// next does what is next, and reports whether there was something.
func (p *packets) next() bool {
	if len(p.events) == 0 {
		return false
	}
	p.done++
	switch e := p.events.pop(); e.kind {
	case wake:
		e.something(e.at)
	case hand:
		p.hand(&e)
	case reach:
		p.join(e.who, e.hop, e.bytes, e.at)
	case serve:
		q := &p.queues[e.who]
		if q.due == e.at {
			q.due = never
			p.serve(e.who, e.at)
		}
	}
	return true
}

// hand hands a stream over: whole, or the next packet of one with a pace.
func (p *packets) hand(e *event) {
	s := &p.streams[e.who]
	bytes := s.bytes - s.put
	if s.gap > 0 {
		bytes = min(bytes, p.packet)
	}
	s.put += bytes
	if s.put < s.bytes {
		again := *e
		again.at += s.gap
		p.events.push(again)
	}
	p.join(e.who, 0, bytes, e.at)
}

// join puts packets into the queue of a hop.
func (p *packets) join(stream, hop int32, bytes, now int64) {
	s := &p.streams[stream]
	index := s.queues[hop]
	q := &p.queues[index]
	if q.first > len(q.waiting)/2 {
		q.waiting = q.waiting[:copy(q.waiting, q.waiting[q.first:])]
		q.first = 0
	}
	q.waiting = append(q.waiting, batch{stream, hop, bytes})
	q.work += bytes/p.packet*p.tx + p.sending(bytes%p.packet)
	backlog := q.work
	for _, c := range q.circuits {
		backlog += max(0, c.free-now)
	}
	q.link.QueuePeak = max(q.link.QueuePeak, units.Duration(backlog))
	p.serve(index, now)
}

// serve starts what can start now, and notes when to look again.
func (p *packets) serve(index int32, now int64) {
	q := &p.queues[index]
	for q.first < len(q.waiting) {
		circuit, soonest := -1, never
		for i, c := range q.circuits {
			if at := max(now, c.free, c.up); c.up < never && at < soonest {
				circuit, soonest = i, at
			}
		}
		if circuit < 0 {
			return // none is on its way to be up
		}
		if soonest > now {
			if soonest < q.due {
				q.due = soonest
				p.events.push(event{at: soonest, kind: serve, who: index})
			}
			return
		}
		p.send(q, circuit, now)
	}
}

// send starts the first packet that waits on a circuit.
func (p *packets) send(q *queue, circuit int, now int64) {
	b := &q.waiting[q.first]
	stream, hop, bytes := b.stream, b.hop, min(b.bytes, p.packet)
	if b.bytes -= bytes; b.bytes == 0 {
		q.first++
	}
	tx := p.sending(bytes)
	q.work -= tx
	q.circuits[circuit].free = now + tx
	q.link.Bytes += units.Bytes(bytes)
	q.link.Packets++
	q.link.Busy += units.Duration(tx)
	p.hops++
	s := &p.streams[stream]
	if p.observer != nil {
		p.observer.Transmission(sim.Transmission{
			Phase: int(s.step), From: int(q.from), To: int(q.to), Circuit: circuit, Flow: s.number,
			Packets: 1, Start: units.Duration(now), Gap: units.Duration(tx), Each: units.Duration(tx),
		})
	}
	p.left(stream, q.from, now+tx)
	if int(hop) == len(s.queues)-1 {
		at := now + tx + p.delay
		var carry uint64
		p.sumLow, carry = bits.Add64(p.sumLow, uint64(at), 0)
		p.sumHigh += carry
		s.last = max(s.last, at)
		if s.ahead -= bytes; s.ahead == 0 {
			p.arrived(stream, s.last)
		}
		return
	}
	at := now + p.delay
	if !p.cut {
		at += tx
	}
	if s.gap > 0 { // not before its time
		if s.passed[hop] > 0 {
			at = max(at, s.passed[hop]-1+s.gap)
		}
		s.passed[hop] = at + 1
	}
	p.events.push(event{
		at: at, kind: reach, circuit: int32(circuit), step: s.step, rank: s.ranks[hop+1], order: s.order, who: stream, hop: hop + 1, bytes: bytes,
	})
}

// sum returns that of all arrivals.
func (p *packets) sum() *big.Int {
	z := new(big.Int).SetUint64(p.sumHigh)
	return z.Lsh(z, 64).Or(z, new(big.Int).SetUint64(p.sumLow))
}
