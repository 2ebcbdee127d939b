package lower

import (
	"cmp"
	"slices"

	"github.com/lightpath-net/lightpath/compile/program"
)

// port is one end of a connection at a rank: the peer and the channel.
type port struct {
	peer, channel int32
}

// couple is a receiving port and a sending port of one rank that could share a thread block.
type couple struct {
	in, out port
}

// fuse joins receives with the sends of what they have received, in one rank and stage: r and s
// become rcs, rrc and s become rrcs, or rrs if nothing reads the sum afterwards. It returns the
// sending port that shares a thread block with each receiving port. Ports are coupled only if at
// least half of the messages of each would be joined, because a thread block with two ports does
// one thing at a time. A pair is joined only if the thread block has nothing to do in between,
// so that the order of no connection changes.
func fuse(events []event, messages []message) map[port]port {
	pairs := candidates(events, messages)
	received, sent := map[port]int{}, map[port]int{}
	for i := range events {
		if e := &events[i]; e.in >= 0 {
			received[inPort(messages, e.in)]++
		}
		if e := &events[i]; e.out >= 0 {
			sent[outPort(messages, e.out)]++
		}
	}
	joined := map[couple]int{}
	for _, pair := range pairs {
		c := couple{inPort(messages, events[pair[0]].in), outPort(messages, events[pair[1]].out)}
		if c.in.channel == c.out.channel {
			joined[c]++
		}
	}
	type ranked struct {
		couple
		count int
	}
	var best []ranked
	for c, count := range joined {
		if 2*count >= received[c.in] && 2*count >= sent[c.out] {
			best = append(best, ranked{c, count})
		}
	}
	slices.SortFunc(best, func(a, b ranked) int {
		return cmp.Or(b.count-a.count, int(a.in.channel-b.in.channel), int(a.in.peer-b.in.peer), int(a.out.peer-b.out.peer))
	})
	coupled, taken := map[port]port{}, map[port]bool{}
	for _, c := range best {
		if _, has := coupled[c.in]; !has && !taken[c.out] {
			coupled[c.in], taken[c.out] = c.out, true
		}
	}
	join(events, messages, pairs, coupled)
	return coupled
}

func inPort(messages []message, id int32) port {
	return port{messages[id].from, messages[id].channel}
}

func outPort(messages []message, id int32) port { return port{messages[id].to, messages[id].channel} }

// candidates lists the pairs of a receive and a send of the same chunks, with no write to
// them in between.
func candidates(events []event, messages []message) [][2]int {
	writer := map[program.Loc]int{}
	var pairs [][2]int
	for i := range events {
		e := &events[i]
		if e.kind == program.Send {
			w, known := writer[e.src]
			same := known && events[w].in >= 0 && events[w].dst == e.src && events[w].count == e.count
			for k := 1; same && k < int(e.count); k++ {
				same = writer[e.src.Plus(k)] == w
			}
			if same {
				pairs = append(pairs, [2]int{w, i})
			}
		}
		if e.kind.Writes() {
			for k := range int(e.count) {
				writer[e.dst.Plus(k)] = i
			}
		}
	}
	return pairs
}

// join fuses the pairs that follow one another in a thread block.
func join(events []event, messages []message, pairs [][2]int, coupled map[port]port) {
	previous := map[int]int{} // the event before a send, in its thread block
	last := map[port]int{}    // by the sending port of a thread block
	back := map[port]port{}
	for in, out := range coupled {
		back[out] = in
	}
	for i := range events {
		e := &events[i]
		if e.in >= 0 {
			if out, has := coupled[inPort(messages, e.in)]; has {
				last[out] = i
			}
		}
		if e.out >= 0 {
			out := outPort(messages, e.out)
			if _, has := back[out]; has {
				if before, any := last[out]; any {
					previous[i] = before
				}
				last[out] = i
			}
		}
	}
	for _, pair := range pairs {
		a, b := &events[pair[0]], &events[pair[1]]
		if before, any := previous[pair[1]]; !any || before != pair[0] || a.out >= 0 {
			continue
		}
		a.out, b.gone = b.out, true
		if a.kind == program.Recv {
			a.kind = program.RecvCopySend
		} else {
			a.kind = program.RecvReduceCopySend
		}
	}
}

// forget makes a reduction that is sent on keep nothing if nothing reads the sum afterwards.
// events are those of a rank in all stages; due says what must be there in the end.
func forget(events []event, due func(program.Loc) bool) {
	needed := map[program.Loc]bool{}
	need := func(at program.Loc) bool {
		n, known := needed[at]
		if !known {
			n = due(at)
		}
		return n
	}
	for i := len(events) - 1; i >= 0; i-- {
		e := &events[i]
		if e.gone {
			continue
		}
		if e.kind == program.RecvReduceCopySend {
			keep := false
			for k := range int(e.count) {
				keep = keep || need(e.dst.Plus(k))
			}
			if !keep {
				e.kind, e.dst = program.RecvReduceSend, program.None()
			}
		}
		if e.kind.Writes() && e.kind != program.Reduce {
			for k := range int(e.count) {
				needed[e.dst.Plus(k)] = false
			}
		}
		for k := range int(e.count) {
			if e.kind.Reads() {
				needed[e.src.Plus(k)] = true
			}
			if e.kind == program.Reduce {
				needed[e.dst.Plus(k)] = true
			}
		}
	}
}
