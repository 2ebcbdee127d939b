package check_test

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/lightpath-net/lightpath"
	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/collective/algorithms"
	"github.com/lightpath-net/lightpath/compile/check"
	"github.com/lightpath-net/lightpath/compile/lower"
	"github.com/lightpath-net/lightpath/compile/msccl"
	"github.com/lightpath-net/lightpath/compile/program"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/units"
)

// compiled returns the program of a static plan.
func compiled(t testing.TB, op collective.Op, algorithm string, nodes, ports int, dialect msccl.Dialect, noFuse bool) *program.Program {
	t.Helper()
	ctx := context.Background()
	f := fabric.Default()
	f.Nodes, f.Ports = nodes, ports
	c, err := algorithms.New(op, algorithm, nodes, ports)
	if err != nil {
		t.Fatal(err)
	}
	static, err := lightpath.Planners().Lookup("static")
	if err != nil {
		t.Fatal(err)
	}
	p, err := static.Plan(ctx, planner.Request{Fabric: f, Collective: c, Size: units.MiB})
	if err != nil {
		t.Fatal(err)
	}
	low, err := lower.Lower(ctx, p, lower.Options{Limits: dialect.Limits(), Protocol: program.Simple, NoFuse: noFuse, MaxBytes: 1 << 30})
	if err != nil {
		t.Fatal(err)
	}
	return low.Programs[0]
}

// again writes a program and reads it back, so that mutations do not touch the original.
func again(t testing.TB, p *program.Program) *program.Program {
	t.Helper()
	var file bytes.Buffer
	if err := msccl.Write(&file, p, msccl.MSCCL); err != nil {
		t.Fatal(err)
	}
	read, _, err := msccl.Read(context.Background(), &file, msccl.MSCCL)
	if err != nil {
		t.Fatal(err)
	}
	return read
}

// find returns the first operation of a kind.
func find(t testing.TB, p *program.Program, kind program.Kind, waits bool) (*program.Rank, *program.Block, *program.Op) {
	t.Helper()
	for r := range p.Ranks {
		for b := range p.Ranks[r].Blocks {
			for i := range p.Ranks[r].Blocks[b].Ops {
				op := &p.Ranks[r].Blocks[b].Ops[i]
				if op.Kind == kind && (!waits || len(op.Deps) > 0) {
					return &p.Ranks[r], &p.Ranks[r].Blocks[b], op
				}
			}
		}
	}
	t.Fatalf("no %v", kind)
	return nil, nil, nil
}

// Every kind of damage is found by the right check, with its own message.
func TestMutatedProgramsAreRejectedEachInItsOwnWords(t *testing.T) {
	ring := compiled(t, collective.AllReduce, "ring", 4, 1, msccl.MSCCL, true)
	fused := compiled(t, collective.AllReduce, "ring", 4, 1, msccl.MSCCL, false)
	gather := compiled(t, collective.AllGather, "recursive-doubling", 4, 1, msccl.MSCCL, true)
	local := compiled(t, collective.AllReduce, "ring", 4, 1, msccl.RCCL, true)
	staged := compiled(t, collective.AllReduce, "direct-exchange", 4, 1, msccl.RCCL, true)
	op := func(kind program.Kind, change func(o *program.Op)) func(p *program.Program) {
		return func(p *program.Program) {
			_, _, o := find(t, p, kind, false)
			change(o)
		}
	}
	for _, m := range []struct {
		name   string
		of     *program.Program
		mutate func(p *program.Program)
		check  string
		says   string
	}{
		{"a send is left out", ring, func(p *program.Program) {
			_, b, _ := find(t, p, program.Send, false)
			b.Ops = b.Ops[:len(b.Ops)-1]
		}, "connections", "receives message 6 from rank 0 on channel 0, which sends 5"},
		{"a receive is left out", ring, func(p *program.Program) {
			_, b, _ := find(t, p, program.RecvReduceCopy, false)
			b.Ops = b.Ops[:len(b.Ops)-1]
		}, "connections", "this is message 6 to rank 0 on channel 0, which receives 5"},
		{"no thread block receives", ring, func(p *program.Program) {
			_, b, _ := find(t, p, program.RecvReduceCopy, false)
			b.Ops, b.Recv = nil, -1
			for r := range p.Ranks[0].Blocks {
				for i := range p.Ranks[0].Blocks[r].Ops {
					p.Ranks[0].Blocks[r].Ops[i].Deps = nil
				}
			}
		}, "connections", "where no thread block receives from rank 3"},
		{"counts differ", ring, op(program.Send, func(o *program.Op) { o.Count, o.Src.Offset = 2, 0 }), "connections", "receives 1 chunks, but rank 0, thread block"},
		{"two owners of a connection", ring, func(p *program.Program) {
			_, b, _ := find(t, p, program.Send, false)
			p.Ranks[0].Blocks = append(p.Ranks[0].Blocks, program.Block{Send: b.Send, Recv: -1})
		}, "connections", "both send to rank 1 on channel 0"},
		{"two owners that receive", ring, func(p *program.Program) {
			_, b, _ := find(t, p, program.RecvReduceCopy, false)
			p.Ranks[0].Blocks = append(p.Ranks[0].Blocks, program.Block{Send: -1, Recv: b.Recv})
		}, "connections", "both receive from rank 3 on channel 0"},
		{"a wait is left out", ring, func(p *program.Program) {
			_, _, o := find(t, p, program.Send, true)
			o.Deps = nil
		}, "races", "nothing orders the two"},
		{"a wait for an earlier step", ring, func(p *program.Program) {
			_, b, _ := find(t, p, program.Send, true)
			last := &b.Ops[len(b.Ops)-1]
			last.Deps = []program.Dep{b.Ops[1].Deps[0]}
		}, "races", "reads"},
		{"a wait for a later step", ring, func(p *program.Program) {
			_, b, o := find(t, p, program.Send, true)
			o.Deps[0].Op = int32(len(b.Ops) - 1)
			p.Ranks[0].Blocks[o.Deps[0].Block].Ops[o.Deps[0].Op].Awaited = true
		}, "deadlock", "deadlock"},
		{"a wait for a step that is silent", ring, func(p *program.Program) {
			_, _, o := find(t, p, program.Send, true)
			p.Ranks[0].Blocks[o.Deps[0].Block].Ops[o.Deps[0].Op].Awaited = false
		}, "form", "which has hasdep=0"},
		{"a wait for a step that is not there", ring, func(p *program.Program) {
			_, _, o := find(t, p, program.Send, true)
			o.Deps[0].Op = 99
		}, "form", "waits for step 99 of thread block"},
		{"a wait for a thread block that is not there", ring, func(p *program.Program) {
			_, _, o := find(t, p, program.Send, true)
			o.Deps[0].Block = 99
		}, "form", "waits for thread block 99; there are"},
		{"a wait for oneself", ring, func(p *program.Program) {
			r, b, o := find(t, p, program.Send, true)
			for i := range r.Blocks {
				if &r.Blocks[i] == b {
					o.Deps[0] = program.Dep{Block: int32(i), Op: 5}
				}
			}
		}, "form", "of its own thread block, which comes no earlier"},
		{"a peer that is not there", ring, func(p *program.Program) { p.Ranks[2].Blocks[0].Send = 4 }, "form", "peer 4 is not in 0..3"},
		{"a peer that is oneself", ring, func(p *program.Program) { p.Ranks[2].Blocks[0].Send = 2 }, "form", "its peer is its own rank"},
		{"a channel that is not connected", ring, func(p *program.Program) { p.Ranks[1].Blocks[0].Channel = 1 }, "form", "channel 1 is not in 0..0"},
		{"a send without a peer", ring, func(p *program.Program) {
			_, b, _ := find(t, p, program.Send, false)
			b.Send = -1
		}, "form", "no peer to send to"},
		{"a receive without a peer", ring, func(p *program.Program) {
			_, b, _ := find(t, p, program.RecvReduceCopy, false)
			b.Recv = -1
		}, "form", "no peer to receive from"},
		{"a count of none", ring, op(program.Send, func(o *program.Op) { o.Count = 0 }), "form", "cnt is 0"},
		{"a source outside", ring, op(program.Send, func(o *program.Op) { o.Src.Offset = 4 }), "bounds", "source i[4] of 1 chunks is not within the 4 chunks"},
		{"a target outside", ring, op(program.Recv, func(o *program.Op) { o.Dst.Offset = 4 }), "bounds", "target o[4] of 1 chunks is not within the 4 chunks"},
		{"scratch that is not there", staged, func(p *program.Program) { p.Ranks[1].Scratch = 0 }, "bounds", "s[0] of 1 chunks is not within the 0 chunks"},
		{"a buffer of the wrong size", ring, func(p *program.Program) { p.Ranks[3].Input = 5 }, "bounds", "i_chunks is 5; the input of allreduce in 4 chunks has 4"},
		{"an output of the wrong size", ring, func(p *program.Program) { p.Ranks[3].Output = 3 }, "bounds", "o_chunks is 3; the output of allreduce in 4 chunks has 4"},
		{"an operation on itself", local, op(program.Reduce, func(o *program.Op) { o.Src = o.Dst }), "bounds", "which overlaps it"},
		{"another chunk is sent", ring, op(program.Send, func(o *program.Op) { o.Src.Offset = (o.Src.Offset + 1) % 4 }), "reductions", "adds chunk"},
		{"a sum instead of a copy", ring, op(program.Recv, func(o *program.Op) {
			o.Kind, o.Src = program.RecvReduceCopy, program.Loc{Buffer: program.Input, Offset: o.Dst.Offset}
		}), "reductions", "counts rank 0 twice in chunk"},
		{"a copy instead of a sum", ring, op(program.RecvReduceCopy, func(o *program.Op) { o.Kind = program.Recv }), "result", "lacks the contribution of rank 0"},
		{"a sum that is not kept", fused, op(program.RecvReduceCopySend, func(o *program.Op) { o.Kind, o.Dst = program.RecvReduceSend, program.None() }), "result", "nothing was written to o["},
		{"a reduction where nothing is reduced", gather, op(program.Recv, func(o *program.Op) {
			o.Kind, o.Src = program.RecvReduceCopy, program.Loc{Buffer: program.Input}
		}), "reductions", "allgather reduces nothing"},
		{"a copy that is left out", gather, func(p *program.Program) {
			_, b, _ := find(t, p, program.Copy, false)
			b.Ops = nil
		}, "result", "nothing was written to o[0]"},
		{"data that is not there yet", gather, func(p *program.Program) {
			_, _, o := find(t, p, program.Send, false)
			o.Src = program.Loc{Buffer: program.Output, Offset: 2}
		}, "races", "nothing orders the two"},
		{"too many steps", ring, func(p *program.Program) {
			b := &p.Ranks[0].Blocks[0]
			for len(b.Ops) <= 256 {
				b.Ops = append(b.Ops, program.Op{Kind: program.Copy, Src: program.Loc{Buffer: program.Input}, Dst: program.Loc{Buffer: program.Scratch}, Count: 1})
			}
			p.Ranks[0].Scratch = 1
		}, "limits", "steps: 257; MSCCL takes at most 256"},
		{"too many channels", ring, func(p *program.Program) { p.Channels = 33 }, "limits", "channels: 33; MSCCL takes at most 32"},
		{"too many chunks at once", ring, func(p *program.Program) {
			p.Ranks[0].Scratch = 200
			p.Ranks[0].Blocks = append(p.Ranks[0].Blocks, program.Block{Send: -1, Recv: -1, Ops: []program.Op{
				{Kind: program.Copy, Src: program.Loc{Buffer: program.Scratch}, Dst: program.Loc{Buffer: program.Scratch, Offset: 100}, Count: 72},
			}})
		}, "limits", "cnt: 72; MSCCL takes at most 71"},
		{"too many thread blocks", ring, func(p *program.Program) {
			for len(p.Ranks[0].Blocks) <= 216 {
				p.Ranks[0].Blocks = append(p.Ranks[0].Blocks, program.Block{Send: -1, Recv: -1})
			}
		}, "limits", "thread blocks: 217; MSCCL takes at most 216"},
		{"for another number of ranks", ring, func(p *program.Program) { p.Ranks = p.Ranks[:3] }, "form", "3 ranks are described, the program is for 4"},
		{"for another collective", ring, func(p *program.Program) { p.Op = collective.AllGather }, "bounds", "the input of allgather in 4 chunks has 1"},
	} {
		p := again(t, m.of)
		limits := msccl.MSCCL.Limits()
		if bad := check.Programs("msccl", limits, p).First(); bad != nil {
			t.Fatalf("%s: before the damage: %s: %s", m.name, bad.Name, bad.Detail)
		}
		m.mutate(p)
		bad := check.Programs("msccl", limits, p).First()
		switch {
		case bad == nil:
			t.Errorf("%s: not found", m.name)
		case bad.Name != m.check || !strings.Contains(bad.Detail, m.says):
			t.Errorf("%s: %s: %s; want %s: ..%s..", m.name, bad.Name, bad.Detail, m.check, m.says)
		}
	}
}
