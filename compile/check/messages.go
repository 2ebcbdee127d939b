package check

import (
	"fmt"

	"github.com/lightpath-net/lightpath/compile/program"
)

// connection is one direction between two ranks on one channel.
type connection struct {
	from, to, channel int
}

// ends are the events that send and that receive on a connection, in order.
type ends struct {
	sends, recvs         []int32
	sendBlock, recvBlock int // at their ranks; -1: none
}

// connect finds the two ends of every connection. The result lists connections in the order in
// which the program first mentions them.
func connect(p *program.Program) ([]connection, map[connection]*ends, error) {
	var order []connection
	all := map[connection]*ends{}
	at := func(c connection) *ends {
		e := all[c]
		if e == nil {
			e = &ends{sendBlock: -1, recvBlock: -1}
			all[c] = e
			order = append(order, c)
		}
		return e
	}
	id := int32(0)
	for r := range p.Ranks {
		for b := range p.Ranks[r].Blocks {
			block := &p.Ranks[r].Blocks[b]
			var out, in *ends
			if block.Send >= 0 {
				out = at(connection{r, block.Send, block.Channel})
				if out.sendBlock >= 0 {
					return nil, nil, fmt.Errorf("rank %d: thread blocks %d and %d both send to rank %d on channel %d; a connection has one owner",
						r, out.sendBlock, b, block.Send, block.Channel)
				}
				out.sendBlock = b
			}
			if block.Recv >= 0 {
				in = at(connection{block.Recv, r, block.Channel})
				if in.recvBlock >= 0 {
					return nil, nil, fmt.Errorf("rank %d: thread blocks %d and %d both receive from rank %d on channel %d; a connection has one owner",
						r, in.recvBlock, b, block.Recv, block.Channel)
				}
				in.recvBlock = b
			}
			for i := range block.Ops {
				if kind := block.Ops[i].Kind; kind.Sends() {
					out.sends = append(out.sends, id)
				}
				if block.Ops[i].Kind.Receives() {
					in.recvs = append(in.recvs, id)
				}
				id++
			}
		}
	}
	return order, all, nil
}

// pair matches sends with receives, one to one and in order.
func pair(g *Graph, order []connection, all map[connection]*ends) error {
	for _, c := range order {
		e := all[c]
		for i := range max(len(e.sends), len(e.recvs)) {
			switch {
			case i >= len(e.recvs) && e.recvBlock < 0:
				return fmt.Errorf("%v: sends to rank %d on channel %d, where no thread block receives from rank %d",
					g.events[e.sends[i]].place, c.to, c.channel, c.from)
			case i >= len(e.recvs):
				return fmt.Errorf("%v: this is message %d to rank %d on channel %d, which receives %d",
					g.events[e.sends[i]].place, i+1, c.to, c.channel, len(e.recvs))
			case i >= len(e.sends) && e.sendBlock < 0:
				return fmt.Errorf("%v: receives from rank %d on channel %d, where no thread block sends to rank %d",
					g.events[e.recvs[i]].place, c.from, c.channel, c.to)
			case i >= len(e.sends):
				return fmt.Errorf("%v: receives message %d from rank %d on channel %d, which sends %d",
					g.events[e.recvs[i]].place, i+1, c.from, c.channel, len(e.sends))
			}
			if send, recv := &g.events[e.sends[i]], &g.events[e.recvs[i]]; send.count != recv.count {
				return fmt.Errorf("%v: receives %d chunks, but %v sends %d", recv.place, recv.count, send.place, send.count)
			}
		}
	}
	return nil
}

// NewGraph builds the graph of a program that has passed the form and bounds checks. The error
// names a connection whose sends and receives do not match.
func NewGraph(p *program.Program) (*Graph, error) {
	g := &Graph{layout: p.BufferMap, slots: p.Protocol.Slots()}
	order, all, err := connect(p)
	if err != nil {
		return nil, err
	}
	total := 0
	for r := range p.Ranks {
		g.scratch = max(g.scratch, p.Ranks[r].Scratch)
		for b := range p.Ranks[r].Blocks {
			total += len(p.Ranks[r].Blocks[b].Ops)
		}
	}
	g.events = make([]event, 0, total)
	before := make([]edge, 0, 2*total)
	for r := range p.Ranks {
		first := make([]int32, len(p.Ranks[r].Blocks))
		id := int32(len(g.events))
		for b := range p.Ranks[r].Blocks {
			first[b] = id
			id += int32(len(p.Ranks[r].Blocks[b].Ops))
		}
		for b := range p.Ranks[r].Blocks {
			block := &p.Ranks[r].Blocks[b]
			for i := range block.Ops {
				op := &block.Ops[i]
				id := int32(len(g.events))
				g.events = append(g.events, event{
					place: program.Place{Rank: r, Block: b, Op: i}, block: int32(len(g.blocks)), index: int32(i), count: op.Count,
				})
				if i > 0 {
					before = append(before, edge{id - 1, id})
				}
				for _, d := range op.Deps {
					before = append(before, edge{first[d.Block] + d.Op, id})
				}
			}
			g.blocks = append(g.blocks, first[b])
		}
	}
	g.blocks = append(g.blocks, int32(len(g.events)))
	if err := pair(g, order, all); err != nil {
		return nil, err
	}
	in := make([]int32, total) // the message that an event receives
	out := make([]int32, total)
	for _, c := range order {
		e := all[c]
		for i := range e.sends {
			before = append(before, edge{e.sends[i], e.recvs[i]})
			in[e.recvs[i]], out[e.sends[i]] = int32(g.wires), int32(g.wires)
			g.wires += int(g.events[e.sends[i]].count)
		}
	}
	id := 0
	for r := range p.Ranks {
		for b := range p.Ranks[r].Blocks {
			for i := range p.Ranks[r].Blocks[b].Ops {
				g.events[id].operate(&p.BufferMap, &p.Ranks[r].Blocks[b].Ops[i], in[id], out[id])
				id++
			}
		}
	}
	g.order = byTarget(total, before)
	g.fine = func() (*Graph, error) { return NewGraph(split(p)) }
	g.full = func(slots int) []edge {
		var list []edge
		for _, c := range order {
			e := all[c]
			for i := slots; i < len(e.sends); i++ {
				list = append(list, edge{e.recvs[i-slots], e.sends[i]})
			}
		}
		return list
	}
	return g, nil
}

// operate fills in what the operation reads and writes.
func (e *event) operate(l *program.BufferMap, op *program.Op, in, out int32) {
	rank := e.place.Rank
	local := func(at program.Loc) operand { return operand{int32(rank), int32(l.Address(rank, at))} }
	all := make([]operand, 0, 4)
	if op.Kind.Receives() {
		all = append(all, operand{wire, in})
	}
	if op.Kind.Reads() {
		all = append(all, local(op.Src))
	}
	if op.Kind == program.Reduce {
		all = append(all, local(op.Dst))
	}
	n := len(all)
	if op.Kind.Writes() {
		all = append(all, local(op.Dst))
	}
	if op.Kind.Sends() {
		all = append(all, operand{wire, out})
	}
	e.srcs, e.dsts = all[:n:n], all[n:]
}
