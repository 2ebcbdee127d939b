package stepwise

import (
	"slices"

	"github.com/lightpath-net/lightpath/units"
)

// turn is a run of packets of one size that are next at a queue.
type turn struct {
	stream, hop    int32
	bytes, packets int64 // of each packet, and number of packets
}

// Turn appends packets of a stream, of the given size each, to the serving order of a hop's
// queue. A queue with turns serves nothing out of turn: packets that have arrived wait, and
// circuits idle, until the next in turn is there. All packets of such a queue must have a turn.
//
// Every event then happens at the maximum of some times. Each is the time of an earlier event plus
// a constant. Which events these are never depends on the times. So if nothing begins later than
// in another run with the same turns, nothing happens later.
func (p *Engine) Turn(stream, hop int32, packets, bytes int64) {
	s := &p.streams[stream]
	if s.early == nil {
		s.early = make([][]batch, len(s.queues))
	}
	q := &p.queues[s.queues[hop]]
	if n := len(q.turns); n > 0 {
		if last := &q.turns[n-1]; last.stream == stream && last.hop == hop && last.bytes == bytes {
			last.packets += packets
			return
		}
	}
	q.turns = append(q.turns, turn{stream, hop, bytes, packets})
}

// Repace sets the gap between the packets of a stream that has one and has not begun.
func (p *Engine) Repace(stream int32, gap units.Duration) { p.streams[stream].Gap = int64(gap) }

// wait puts packets into a queue.
func (p *Engine) wait(q *queue, b batch) {
	if q.turns != nil {
		early := &p.streams[b.stream].early[b.hop]
		*early = append(*early, b)
		return
	}
	if q.first > len(q.waiting)/2 {
		q.waiting = q.waiting[:copy(q.waiting, q.waiting[q.first:])]
		q.first = 0
	}
	q.waiting = append(q.waiting, b)
}

// next returns the batch with the packet that is next at a queue, or nil if that has not
// arrived.
func (p *Engine) next(q *queue) *batch {
	if q.turns == nil {
		if q.first == len(q.waiting) {
			return nil
		}
		return &q.waiting[q.first]
	}
	if q.turn == len(q.turns) {
		return nil
	}
	t := &q.turns[q.turn]
	early := p.streams[t.stream].early[t.hop]
	for i := range early { // the last packet of a stream can arrive before an earlier one
		if min(early[i].bytes, p.packet) == t.bytes {
			return &early[i]
		}
	}
	return nil
}

// take removes the next packet from a queue, and returns its bytes.
func (p *Engine) take(q *queue, b *batch) int64 {
	bytes := min(b.bytes, p.packet)
	b.bytes -= bytes
	if q.turns == nil {
		if b.bytes == 0 {
			q.first++
		}
		return bytes
	}
	t := &q.turns[q.turn]
	if t.packets--; t.packets == 0 {
		q.turn++
	}
	if b.bytes == 0 {
		early := &p.streams[t.stream].early[t.hop]
		*early = slices.DeleteFunc(*early, func(b batch) bool { return b.bytes == 0 })
	}
	return bytes
}
