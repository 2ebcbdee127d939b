package lower

import (
	"slices"

	"github.com/lightpath-net/lightpath/compile/program"
)

// ends are the ports of a thread block; peer -1: none.
type ends struct {
	send, recv, channel int32
	local               int32 // number among those without ports
}

// assemble makes the thread blocks of a rank in a stage. coupled are the ports that share a
// block; paired lets every sending port share a block with a receiving port if possible, for
// runtimes with few blocks. It returns the blocks and the place of each event in them.
func assemble(events []event, messages []message, coupled map[port]port, paired bool, maxSteps int) ([]program.Block, []program.Dep) {
	with := map[port]port{} // the receiving port of a sending one
	for in, out := range coupled {
		with[out] = in
	}
	if paired {
		pairUp(events, messages, with)
	}
	shares := map[port]port{}
	for out, in := range with {
		shares[in] = out
	}
	index := map[ends]int32{}
	var blocks []program.Block
	at := make([]program.Dep, 0, len(events))
	block := func(e ends) int32 {
		b, known := index[e]
		if !known {
			b = int32(len(blocks))
			index[e] = b
			blocks = append(blocks, program.Block{Send: int(e.send), Recv: int(e.recv), Channel: int(e.channel)})
		}
		return b
	}
	last, locals := int32(-1), int32(0)
	for i := range events {
		e := &events[i]
		if e.gone {
			continue
		}
		var b int32
		switch {
		case e.in >= 0:
			in := inPort(messages, e.in)
			where := ends{send: -1, recv: in.peer, channel: in.channel}
			if out, has := shares[in]; has {
				where.send = out.peer
			}
			b = block(where)
		case e.out >= 0:
			out := outPort(messages, e.out)
			where := ends{send: out.peer, recv: -1, channel: out.channel}
			if in, has := with[out]; has {
				where.recv = in.peer
			}
			b = block(where)
		case e.kind == program.Reduce && last >= 0: // goes with the receive before it
			b = last
		default:
			b = block(ends{send: -1, recv: -1, local: locals / int32(max(1, maxSteps/2))})
			locals++
		}
		last = b
		at = append(at, program.Dep{Block: b, Op: int32(len(blocks[b].Ops))})
		blocks[b].Ops = append(blocks[b].Ops, e.op())
	}
	return blocks, at
}

// op returns the operation of an event, without unused operands.
func (e *event) op() program.Op {
	op := program.Op{Kind: e.kind, Src: program.None(), Dst: program.None(), Count: e.count}
	if e.kind.Reads() {
		op.Src = e.src
	}
	if e.kind.Writes() {
		op.Dst = e.dst
	}
	return op
}

// pairUp couples uncoupled sending ports with uncoupled receiving ports of the same channel.
func pairUp(events []event, messages []message, with map[port]port) {
	var ins, outs []port
	seenIn, seenOut := map[port]bool{}, map[port]bool{}
	for _, in := range with {
		seenIn[in] = true
	}
	for i := range events {
		if e := &events[i]; e.in >= 0 {
			if in := inPort(messages, e.in); !seenIn[in] {
				seenIn[in] = true
				ins = append(ins, in)
			}
		}
		if e := &events[i]; e.out >= 0 {
			out := outPort(messages, e.out)
			if _, has := with[out]; !has && !seenOut[out] {
				seenOut[out] = true
				outs = append(outs, out)
			}
		}
	}
	for _, out := range outs {
		if i := slices.IndexFunc(ins, func(in port) bool { return in.channel == out.channel }); i >= 0 {
			with[out] = ins[i]
			ins = slices.Delete(ins, i, i+1)
		}
	}
}

// renumber puts the thread blocks that others wait for first, because the format has fewer bits
// for their numbers.
func renumber(blocks []program.Block) []program.Block {
	awaited := make([]bool, len(blocks))
	for b := range blocks {
		for i := range blocks[b].Ops {
			for _, d := range blocks[b].Ops[i].Deps {
				awaited[d.Block] = true
			}
		}
	}
	moved := make([]int32, len(blocks))
	sorted := make([]program.Block, 0, len(blocks))
	for _, first := range [2]bool{true, false} {
		for b := range blocks {
			if awaited[b] == first {
				moved[b] = int32(len(sorted))
				sorted = append(sorted, blocks[b])
			}
		}
	}
	for b := range sorted {
		for i := range sorted[b].Ops {
			for k := range sorted[b].Ops[i].Deps {
				sorted[b].Ops[i].Deps[k].Block = moved[sorted[b].Ops[i].Deps[k].Block]
			}
		}
	}
	return sorted
}
