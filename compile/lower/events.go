package lower

import (
	"slices"

	"github.com/lightpath-net/lightpath/compile/program"
)

// message is one hop of a move.
type message struct {
	from, to int32
	circuits int32 // parallel ones that the connection has
	stage    int32
	channel  int32 // assigned later
}

// event is an operation of a rank, in the order of the list.
type event struct {
	kind     program.Kind
	src, dst program.Loc
	count    int32
	in, out  int32 // messages; -1: none
	stage    int32
	round    int32 // in lists made of rounds
	gone     bool  // joined to an earlier one
}

// lister lists the operations of all ranks.
type lister struct {
	*places
	fused    bool // receives can be joined with reductions
	ranks    [][]event
	messages []message
	stage    int
	step     int
	round    int
	most     int32 // the most units of an operation

	// oneSided says that senders write into the receiver's memory. That memory must be fresh:
	// nobody has touched it in this stage. touched is per rank, by address.
	oneSided bool
	touched  []map[int]int // stage, from 1

	renewed map[[2]int32]bool // ranks and units that moves have replaced in this step
}

func (l *lister) add(rank int, e event) {
	e.stage, e.round = int32(l.stage), int32(l.round)
	if l.oneSided {
		l.touch(rank, &e)
	}
	l.ranks[rank] = append(l.ranks[rank], e)
}

// carried is a move that is under way.
type carried struct {
	*move
	at   program.Loc // where it is now
	room bool        // at is transit scratch
	hop  int         // the next one, from 0
	id   int32       // of its message
	sent int         // place of the sending event
}

func (c *carried) last() bool { return c.hop == len(c.path)-2 }

// send lists the send of the next hop.
func (l *lister) send(c *carried) {
	from, to := c.path[c.hop], c.path[c.hop+1]
	c.id = int32(len(l.messages))
	l.messages = append(l.messages, message{from: from, to: to, circuits: c.circuits, stage: int32(l.stage)})
	c.sent = len(l.ranks[from])
	l.add(int(from), event{kind: program.Send, src: c.at, dst: program.None(), count: c.count, in: -1, out: c.id})
	if c.room {
		l.rooms[from].release(c.at, c.count, l.era())
	}
}

// era numbers the periods after which freed scratch is reused: a step or, if senders write into
// it unasked, a stage.
func (l *lister) era() int {
	if l.oneSided {
		return l.stage
	}
	return l.step
}

// touch notes what an event reads and writes.
func (l *lister) touch(rank int, e *event) {
	note := func(at program.Loc) {
		for k := range int(e.count) {
			l.touched[rank][l.Address(rank, at.Plus(k))] = l.stage + 1
		}
	}
	if e.kind.Reads() {
		note(e.src)
	}
	if e.kind.Writes() {
		note(e.dst)
	}
}

// fresh reports whether nobody has touched some chunks in this stage.
func (l *lister) fresh(rank int, at program.Loc, count int32) bool {
	for k := range int(count) {
		if l.touched[rank][l.Address(rank, at.Plus(k))] == l.stage+1 {
			return false
		}
	}
	return true
}

// receive lists the receive of what was sent.
func (l *lister) receive(c *carried) {
	from, rank := int(c.path[c.hop]), int(c.path[c.hop+1])
	e := event{kind: program.Recv, src: program.None(), count: c.count, in: c.id, out: -1}
	last := c.last()
	c.hop++
	var then []event // what the receiver then does with it
	spare := false
	room := func() {
		e.dst = l.rooms[rank].take(c.count, l.era())
		spare = true
	}
	home := l.home(rank, int(c.first))
	local := func(kind program.Kind, src program.Loc) {
		then = append(then, event{kind: kind, src: src, dst: home, count: c.count, in: -1, out: -1})
	}
	if last {
		for _, t := range l.save(rank, c.move) {
			l.add(rank, t)
		}
	}
	adds, mixed := c.reduce, false
	if last && c.replace {
		adds, mixed = l.replaced(rank, c.move)
	}
	switch {
	case !last:
		room()
		c.at, c.room, spare = e.dst, true, false
	case adds && c.reduce && l.keeps(rank, c.move):
		room()
		then = l.twice(rank, c.move, e.dst)
	case mixed: // moves that replace some of these units were cut elsewhere
		room()
		then = l.piecewise(rank, c.move, e.dst)
	case !adds && l.oneSided && !l.fresh(rank, home, c.count):
		room()
		local(program.Copy, e.dst)
	case !adds:
		e.dst = home
	default:
		sum, _ := l.at(rank, int(c.first))
		switch {
		case l.fused:
			e.kind, e.src, e.dst = program.RecvReduceCopy, sum, home
		case sum != home: // the present value is added to what arrives
			e.dst = home
			local(program.Reduce, sum)
		default:
			room()
			local(program.Reduce, e.dst)
		}
	}
	l.ranks[from][c.sent].dst = e.dst // for one-sided runtimes; others ignore it
	l.add(rank, e)
	for _, t := range then {
		l.add(rank, t)
	}
	if spare {
		l.rooms[rank].release(e.dst, c.count, l.era())
	}
	if last {
		l.write(rank, c.first, c.count)
		if c.replace {
			l.replace(rank, c.move)
		}
	}
}

// replaced reports whether all units of a replacing move have already been replaced in this
// step, so that the move adds to them, and whether only some of them have (mixed).
func (l *lister) replaced(rank int, m *move) (all, mixed bool) {
	count := int32(0)
	for u := m.first; u < m.end(); u++ {
		if l.renewed[[2]int32{int32(rank), u}] {
			count++
		}
	}
	return count == m.count, count > 0 && count < m.count
}

// replace notes that the units of a move have been replaced in this step.
func (l *lister) replace(rank int, m *move) {
	for u := m.first; u < m.end(); u++ {
		l.renewed[[2]int32{int32(rank), u}] = true
	}
}

// piecewise returns the local operations for a move received into scratch: it is added to units
// that have been replaced, and copied to the others.
func (l *lister) piecewise(rank int, m *move, from program.Loc) []event {
	var list []event
	for u := m.first; u < m.end(); {
		kind := program.Copy
		has := l.renewed[[2]int32{int32(rank), u}]
		if has {
			kind = program.Reduce
		}
		e := event{kind: kind, src: from.Plus(int(u - m.first)), dst: l.home(rank, int(u)), in: -1, out: -1}
		for u < m.end() && l.renewed[[2]int32{int32(rank), u}] == has {
			e.count++
			u++
		}
		list = append(list, e)
	}
	return list
}

// listStep lists the operations of a step, in the order that the package comment gives.
func (l *lister) listStep(moves []move) {
	clear(l.renewed)
	var early, late []carried
	for i := range moves {
		m := &moves[i]
		at, _ := l.source(m.src(), int(m.first), m.part)
		c := carried{move: m, at: at}
		if m.hazard && c.last() {
			late = append(late, c)
		} else {
			early = append(early, c)
		}
	}
	further := l.rounds(early)
	// Moves split over parallel circuits stay together, so that sums are complete when they are
	// read.
	slices.SortStableFunc(late, func(a, b carried) int { return int(a.run - b.run) })
	for len(late) > 0 {
		end := 1
		for end < len(late) && late[end].run == late[0].run {
			end++
		}
		for i := range late[:end] {
			l.send(&late[i])
		}
		for i := range late[:end] {
			l.receive(&late[i])
		}
		late = late[end:]
	}
	for len(further) > 0 {
		further = l.rounds(further)
	}
}

// rounds lists one hop of moves that are free of hazards: first one message of every connection,
// all sends before all receives, then the next message of each. It returns the moves that have
// hops left.
func (l *lister) rounds(moves []carried) (further []carried) {
	turn := map[[2]int32]int{}
	var rounds [][]*carried
	for i := range moves {
		c := &moves[i]
		at := [2]int32{c.path[c.hop], c.path[c.hop+1]}
		k := turn[at]
		turn[at]++
		if k == len(rounds) {
			rounds = append(rounds, nil)
		}
		rounds[k] = append(rounds[k], c)
	}
	for _, round := range rounds {
		for _, c := range round {
			l.send(c)
		}
		for _, c := range round {
			l.receive(c)
		}
	}
	for i := range moves {
		if c := &moves[i]; c.hop < len(c.path)-1 {
			further = append(further, *c)
		}
	}
	return further
}

// finish lists the copies of data that a rank has, but not where it must be in the end.
func (l *lister) finish() {
	for rank := range l.Nodes {
		var last *event
		l.due(rank, func(unit int) {
			at, has := l.at(rank, unit)
			end, _ := l.ends(rank, unit)
			if !has || l.Address(rank, at) == l.Address(rank, end) {
				return
			}
			if last != nil && last.count < l.most && at == last.src.Plus(int(last.count)) && end == last.dst.Plus(int(last.count)) {
				last.count++
				return
			}
			l.add(rank, event{kind: program.Copy, src: at, dst: end, count: 1, in: -1, out: -1})
			last = &l.ranks[rank][len(l.ranks[rank])-1]
		})
	}
}
