package lower

import (
	"context"
	"slices"

	"github.com/lightpath-net/lightpath/compile/check"
	"github.com/lightpath-net/lightpath/compile/program"
	"github.com/lightpath-net/lightpath/internal/each"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/units"
)

// Rounds is a plan for runtimes whose ranks exchange messages in rounds: a rank starts all its
// sends and receives of a round, waits for them, and then adds and copies what has arrived. All
// ranks go through the same rounds, and both ends of a message are in the same round, so ranks
// never wait for one another in a cycle, even without buffering.
type Rounds struct {
	program.BufferMap
	Parts   int     // per chunk of the plan
	Rounded float64 // as in Lowered
	Scratch []int   // chunks of each rank
	Stages  [][]Round
}

// Round is what the ranks do in a round, by rank.
type Round []Exchange

// Exchange is what a rank does in a round: at most one message to and one from each peer.
type Exchange struct {
	Sends, Receives []Message
	Locals          []Local // in this order, after all messages
}

// Idle reports whether a rank has nothing to do.
func (x *Exchange) Idle() bool { return len(x.Sends)+len(x.Receives)+len(x.Locals) == 0 }

// Message is spans of chunks to or from a peer, one after the other. A message that is received
// has one span.
type Message struct {
	Peer  int
	Spans []Span
}

// Chunks returns how long the message is.
func (m *Message) Chunks() int {
	return each.Sum(m.Spans, func(s Span) int { return s.Count })
}

// Span is consecutive chunks of a buffer.
type Span struct {
	program.Loc
	Count int
}

// Local sets Dst to Src or, if Adds, to Src plus With.
type Local struct {
	Dst, Src, With program.Loc
	Adds           bool
	Count          int
}

// ListRounds lists a verified plan in rounds: each step has one round for every hop of its
// longest route.
func ListRounds(ctx context.Context, p *plan.Plan, inPlace bool) (*Rounds, error) {
	o := Options{Limits: &program.Limits{Fused: true}, InPlace: inPlace}
	low, g, err := begin(ctx, p, &o)
	if err != nil {
		return nil, err
	}
	l := newLister(g, low.moves, &o)
	if err := l.listAll(ctx, low.moves, (*lister).together); err != nil {
		return nil, err
	}
	r := &Rounds{BufferMap: g.BufferMap, Parts: g.parts, Rounded: g.rounded, Scratch: make([]int, g.Nodes), Stages: make([][]Round, len(p.Stages))}
	stageOf := make([]int32, l.round+1)
	for rank := range l.ranks {
		for i := range l.ranks[rank] {
			stageOf[l.ranks[rank][i].round] = l.ranks[rank][i].stage
		}
	}
	all := make([]Round, l.round+1)
	for k := range all {
		all[k] = make(Round, g.Nodes)
	}
	for rank := range l.ranks {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		events := l.ranks[rank]
		scratch := compact(events)
		r.Scratch[rank] = scratch
		for len(events) > 0 {
			end := 1
			for end < len(events) && events[end].round == events[0].round {
				end++
			}
			e := exchange{lister: l, rank: rank, events: events[:end], staged: scratch}
			all[events[0].round][rank] = e.make()
			r.Scratch[rank] = max(r.Scratch[rank], e.staged)
			events = events[end:]
		}
	}
	for k, round := range all {
		if slices.ContainsFunc(round, func(x Exchange) bool { return !x.Idle() }) {
			r.Stages[stageOf[k]] = append(r.Stages[stageOf[k]], round)
		}
	}
	return r, nil
}

// together lists the operations of a step in rounds: all messages of a hop are sent before any
// is received, so all of them read the values from before the step.
func (l *lister) together(moves []move) {
	clear(l.renewed)
	left := make([]carried, 0, len(moves))
	for i := range moves {
		m := &moves[i]
		at, _ := l.source(m.src(), int(m.first), m.part)
		left = append(left, carried{move: m, at: at})
	}
	for len(left) > 0 {
		for i := range left {
			l.send(&left[i])
		}
		for i := range left {
			l.receive(&left[i])
		}
		left = slices.DeleteFunc(left, func(c carried) bool { return c.hop == len(c.path)-1 })
		l.round++
	}
}

// exchange builds a rank's part of a round.
type exchange struct {
	*lister
	rank   int
	events []event
	staged int // chunks of scratch in use
}

// make joins the messages of each pair of ranks. A message is received directly at its
// destination if that is one span that nothing else in the round uses earlier, and otherwise
// into scratch.
func (x *exchange) make() Exchange {
	var made Exchange
	from := map[int][]int{} // events that receive, by sender
	to := map[int]int{}     // messages, by receiver
	for i := range x.events {
		e := &x.events[i]
		if e.out >= 0 {
			peer := int(x.messages[e.out].to)
			at, begun := to[peer]
			if !begun {
				at = len(made.Sends)
				to[peer] = at
				made.Sends = append(made.Sends, Message{Peer: peer})
			}
			made.Sends[at].add(Span{e.src, int(e.count)})
		}
		if e.in >= 0 {
			peer := int(x.messages[e.in].from)
			from[peer] = append(from[peer], i)
		}
	}
	first := x.firstUses()
	arrived := make([]program.Loc, len(x.events)) // where each event's data was received
	for peer := range x.Nodes {
		events := from[peer]
		if len(events) == 0 {
			continue
		}
		count := each.Sum(events, func(i int) int { return int(x.events[i].count) })
		at := program.Loc{Buffer: program.Scratch, Offset: int32(x.staged)}
		if x.direct(events, first) {
			at = x.events[events[0]].dst
		} else {
			x.staged += count
		}
		made.Receives = append(made.Receives, Message{peer, []Span{{at, count}}})
		for _, i := range events {
			arrived[i] = at
			at = at.Plus(int(x.events[i].count))
		}
	}
	for i := range x.events {
		x.local(&made, &x.events[i], arrived[i])
	}
	return made
}

// add appends a span.
func (m *Message) add(s Span) {
	if k := len(m.Spans) - 1; k >= 0 && m.Spans[k].Plus(m.Spans[k].Count) == s.Loc {
		m.Spans[k].Count += s.Count
		return
	}
	m.Spans = append(m.Spans, s)
}

// firstUses returns the first event of the round that reads or writes each address; sends count
// as earlier than all others.
func (x *exchange) firstUses() map[int]int {
	first := map[int]int{}
	note := func(i int, at program.Loc) {
		for k := range int(x.events[i].count) {
			address := x.Address(x.rank, at.Plus(k))
			if _, used := first[address]; !used {
				first[address] = i
			}
		}
	}
	for i := range x.events {
		e := &x.events[i]
		if e.kind.Reads() {
			note(i, e.src)
		}
		if e.kind.Writes() {
			note(i, e.dst)
		}
	}
	return first
}

// direct reports whether events receive into one span and are the first to use it.
func (x *exchange) direct(events []int, first map[int]int) bool {
	next := x.events[events[0]].dst
	for _, i := range events {
		e := &x.events[i]
		if e.kind != program.Recv || e.dst != next {
			return false
		}
		for k := range int(e.count) {
			if first[x.Address(x.rank, e.dst.Plus(k))] != i {
				return false
			}
		}
		next = next.Plus(int(e.count))
	}
	return true
}

// local lists what a rank does with data that has arrived, or with its own.
func (x *exchange) local(made *Exchange, e *event, arrived program.Loc) {
	one := Local{Dst: e.dst, Src: e.src, With: program.None(), Count: int(e.count)}
	switch e.kind {
	case program.Recv:
		if one.Src = arrived; arrived == e.dst {
			return
		}
	case program.RecvReduceCopy:
		one.With, one.Adds = arrived, true
	case program.Reduce:
		one.Src, one.With, one.Adds = e.dst, e.src, true
	case program.Copy:
	default:
		return
	}
	if k := len(made.Locals) - 1; k >= 0 && x.continues(&made.Locals[k], &one) {
		made.Locals[k].Count += one.Count
		return
	}
	made.Locals = append(made.Locals, one)
}

// continues reports whether two operations can be joined: the second starts where the first
// ends, and reads nothing that the first writes.
func (x *exchange) continues(last, next *Local) bool {
	if last.Adds != next.Adds || last.Dst.Plus(last.Count) != next.Dst || last.Src.Plus(last.Count) != next.Src || next.Adds && last.With.Plus(last.Count) != next.With {
		return false
	}
	written := x.Address(x.rank, last.Dst)
	reads := func(at program.Loc) bool {
		from := x.Address(x.rank, at)
		return from < written+last.Count && written < from+next.Count
	}
	return !reads(next.Src) && (!next.Adds || !reads(next.With))
}

// Carry returns how long a stage takes. A message starts when both ranks have reached its round,
// and a rank goes on when all its messages have arrived and it has added their data.
func (r *Rounds) Carry(stage int, n check.Network) units.Time {
	now, next := make([]units.Time, r.Nodes), make([]units.Time, r.Nodes)
	for _, round := range r.Stages[stage] {
		copy(next, now)
		for from := range round {
			for i := range round[from].Sends {
				m := &round[from].Sends[i]
				over := n.Of(from, m.Peer)
				end := max(now[from], now[m.Peer]) + over.Latency + units.Time(float64(m.Chunks())*n.Chunk/float64(max(1, over.Count)))*over.PerByte
				next[from], next[m.Peer] = max(next[from], end), max(next[m.Peer], end)
			}
		}
		for rank := range round {
			for _, one := range round[rank].Locals {
				if one.Adds {
					next[rank] += n.Reduce(float64(one.Count) * n.Chunk)
				}
			}
		}
		now, next = next, now
	}
	return slices.Max(now)
}
