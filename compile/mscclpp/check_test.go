package mscclpp_test

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/lightpath-net/lightpath"
	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/collective/algorithms"
	"github.com/lightpath-net/lightpath/compile/check"
	"github.com/lightpath-net/lightpath/compile/mscclpp"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/units"
)

// ring3 is an allgather of three ranks in the form that the executor's loader takes.
func ring3() *mscclpp.Document {
	d := &mscclpp.Document{
		Name: "ag_ring3", Collective: "allgather", Protocol: "Simple", BufferAlignment: 16, MaxMessageSize: 1<<64 - 1,
	}
	zero := 0
	for r := range 3 {
		next, last := (r+1)%3, (r+2)%3
		own := []mscclpp.Chunk{{Type: "o", Index: r, Size: 1}}
		put := func(chunk int) mscclpp.Operation {
			return mscclpp.Operation{
				Name: "put", ChannelType: mscclpp.Memory, ChannelIDs: []int{0},
				Src: []mscclpp.Chunk{{Type: "o", Index: chunk, Size: 1}}, Dst: []mscclpp.Chunk{{BufferID: &zero, Index: chunk, Size: 1}},
			}
		}
		on := func(name string, channel int) mscclpp.Operation {
			return mscclpp.Operation{Name: name, ChannelType: mscclpp.Memory, ChannelIDs: []int{channel}}
		}
		nop := mscclpp.Operation{Name: "nop"}
		d.GPUs = append(d.GPUs, mscclpp.GPU{
			ID: r, InputChunks: 1, OutputChunks: 3,
			Channels:      []mscclpp.Channels{{Type: mscclpp.Memory, ConnectedTo: []int{next, last}}},
			RemoteBuffers: []mscclpp.RemoteBuffer{{Rank: next, Type: "o", Access: []mscclpp.ChannelType{mscclpp.Memory}}},
			ThreadBlocks: []mscclpp.ThreadBlock{{
				Channels:   []mscclpp.ChannelIDs{{Type: mscclpp.Memory, IDs: []int{0, 1}}},
				RemoteRefs: []mscclpp.RemoteRefs{{Type: mscclpp.Memory, IDs: []int{0}}},
				Ops: []mscclpp.Operation{
					{Name: "copy", Src: []mscclpp.Chunk{{Type: "i", Index: 0, Size: 1}}, Dst: own},
					on("rlxsignal", 1), on("rlxwait", 0), nop,
					put(r), nop, on("signal", 0), on("wait", 1), nop,
					put(last), nop, on("signal", 0), on("wait", 1),
				},
			}},
		})
	}
	return d
}

func TestARingThatTheLoaderTakesPassesEveryCheck(t *testing.T) {
	if bad := mscclpp.Check(ring3()).First(); bad != nil {
		t.Errorf("%s: %s", bad.Name, bad.Detail)
	}
	graphs, err := mscclpp.Graphs(ring3())
	if err != nil {
		t.Fatal(err)
	}
	for seed := range uint64(20) {
		if err := check.InterpretGraphs(seed, graphs...); err != nil {
			t.Error(err)
		}
	}
}

// made is an allreduce over ports, with several thread blocks and semaphores.
func made(t testing.TB) *mscclpp.Document {
	t.Helper()
	f := fabric.Default()
	f.Nodes, f.Ports = 4, 1
	c, err := algorithms.New(collective.AllReduce, "ring", 4, 1)
	if err != nil {
		t.Fatal(err)
	}
	static, err := lightpath.Planners().Lookup("static")
	if err != nil {
		t.Fatal(err)
	}
	p, err := static.Plan(context.Background(), planner.Request{Fabric: f, Collective: c, Size: units.MiB})
	if err != nil {
		t.Fatal(err)
	}
	_, documents, err := mscclpp.Make(context.Background(), p, false, mscclpp.Options{Name: "x", MaxBytes: 1 << 30})
	if err != nil {
		t.Fatal(err)
	}
	return documents[0]
}

// first returns the first operation of a name.
func first(t testing.TB, d *mscclpp.Document, name string) (*mscclpp.ThreadBlock, int) {
	t.Helper()
	for r := range d.GPUs {
		for b := range d.GPUs[r].ThreadBlocks {
			for i := range d.GPUs[r].ThreadBlocks[b].Ops {
				if d.GPUs[r].ThreadBlocks[b].Ops[i].Name == name {
					return &d.GPUs[r].ThreadBlocks[b], i
				}
			}
		}
	}
	t.Fatalf("no %s", name)
	return nil, 0
}

func TestMutatedExecutionPlansAreRejectedEachInItsOwnWords(t *testing.T) {
	change := func(name string, with func(op *mscclpp.Operation)) func(d *mscclpp.Document) {
		return func(d *mscclpp.Document) {
			tb, i := first(t, d, name)
			with(&tb.Ops[i])
		}
	}
	remove := func(name string) func(d *mscclpp.Document) {
		return func(d *mscclpp.Document) {
			tb, i := first(t, d, name)
			tb.Ops = append(tb.Ops[:i:i], tb.Ops[i+1:]...)
		}
	}
	nine := 9
	for _, m := range []struct {
		name   string
		of     func() *mscclpp.Document
		mutate func(d *mscclpp.Document)
		check  string
		says   string
	}{
		{"a signal is left out", ring3, remove("signal"), "connections", "waits for signal 2 of rank 0"},
		{"a wait is left out", ring3, remove("wait"), "connections", "the next call would see what is left"},
		{"a wait that promises nothing", ring3, change("wait", func(op *mscclpp.Operation) { op.Name = "rlxwait" }), "races", "nothing orders the two"},
		{"no nop before a signal", ring3, func(d *mscclpp.Document) {
			tb, i := first(t, d, "signal")
			tb.Ops = append(tb.Ops[:i-1:i-1], tb.Ops[i:]...)
		}, "threads", "signal without a nop after the work of all threads"},
		{"no nop after a wait", ring3, func(d *mscclpp.Document) {
			tb, i := first(t, d, "wait")
			tb.Ops = append(tb.Ops[:i+1:i+1], tb.Ops[i+2:]...)
		}, "threads", "put without a nop after the wait"},
		{"a copy is left out", ring3, remove("copy"), "data", "reads o[0] of rank 0, to which nothing was written"},
		{"another chunk", ring3, change("put", func(op *mscclpp.Operation) { op.Dst[0].Index = 2 }), "data", "reads o[0] of rank 1, to which nothing was written"},
		{"outside", ring3, change("put", func(op *mscclpp.Operation) { op.Dst[0].Index = 3 }), "bounds", "o[3] of 1 chunks is not within the 3 chunks of that buffer of rank 1"},
		{"an operation that is not known", ring3, change("copy", func(op *mscclpp.Operation) { op.Name = "glres" }), "form", `operation "glres" cannot be followed`},
		{"a channel that is not there", ring3, change("put", func(op *mscclpp.Operation) { op.ChannelIDs = []int{2} }), "form", "memory channel 2; the thread block has 2"},
		{"a remote buffer that is not there", ring3, change("put", func(op *mscclpp.Operation) { op.Dst[0].BufferID = &nine }), "form", "remote buffer 9; the thread block has 1"},
		{"sizes that differ", ring3, change("put", func(op *mscclpp.Operation) { op.Dst[0].Size = 2 }), "form", "operands of 1 and 2 chunks"},
		{"put and signal over memory", ring3, change("put", func(op *mscclpp.Operation) { op.Name = "pws" }), "form", "puts but does not signal"},
		{"another rank", ring3, func(d *mscclpp.Document) { d.GPUs[1].ID = 2 }, "form", "number 1 has id 2"},
		{"another thread block", ring3, func(d *mscclpp.Document) { d.GPUs[1].ThreadBlocks[0].ID = 2 }, "form", "thread block 0 has id 2"},
		{"no input", ring3, func(d *mscclpp.Document) { d.GPUs[1].InputChunks = 0 }, "form", "the executor divides by both"},
		{"another collective", ring3, func(d *mscclpp.Document) { d.Collective = "allfather" }, "form", `unknown operation "allfather"`},
		{"too many operations", ring3, func(d *mscclpp.Document) {
			tb := &d.GPUs[0].ThreadBlocks[0]
			for len(tb.Ops) <= 64 {
				tb.Ops = append(tb.Ops, mscclpp.Operation{Name: "nop"})
			}
		}, "limits", "operations: 65; MSCCL++ takes at most 64"},
		{"a semaphore that is not there", func() *mscclpp.Document { return made(t) },
			change("sem_acquire", func(op *mscclpp.Operation) { op.SemaphoreIDs = []int{17} }), "form", "semaphore 17; the GPU has"},
		{"a release is left out", func() *mscclpp.Document { return made(t) }, remove("sem_release"), "connections", "acquired 2 times, released 1 times"},
		{"an acquire is left out", func() *mscclpp.Document { return made(t) }, remove("sem_acquire"), "connections", "is released"},
		{"a put that is not awaited", func() *mscclpp.Document { return made(t) }, change("pws", func(op *mscclpp.Operation) { op.Src[0].Index = (op.Src[0].Index + 1) % 4 }), "reductions", "adds chunk"},
		{"too many semaphores", func() *mscclpp.Document { return made(t) }, func(d *mscclpp.Document) {
			d.GPUs[0].Semaphores = make([]mscclpp.Semaphore, 17)
		}, "limits", "semaphores: 17; MSCCL++ takes at most 16"},
	} {
		d := m.of()
		if bad := mscclpp.Check(d).First(); bad != nil {
			t.Fatalf("%s: before the damage: %s: %s", m.name, bad.Name, bad.Detail)
		}
		m.mutate(d)
		bad := mscclpp.Check(d).First()
		switch {
		case bad == nil:
			t.Errorf("%s: not found", m.name)
		case bad.Name != m.check || !strings.Contains(bad.Detail, m.says):
			t.Errorf("%s: %s: %s; want %s: ..%s..", m.name, bad.Name, bad.Detail, m.check, m.says)
		}
	}
}

func FuzzRead(f *testing.F) {
	for _, d := range []*mscclpp.Document{ring3(), made(f)} {
		data, err := json.Marshal(d)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Add([]byte(`{"collective":"broadcast","gpus":[{"id":0,"input_chunks":1,"output_chunks":1},{"id":1,"input_chunks":1,"output_chunks":1,"threadblocks":[{"id":0,"ops":[{"name":"barrier","barrier_id":3,"num_threadblocks":1}]}]}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		d, err := mscclpp.Read(bytes.NewReader(data))
		if err != nil || len(d.GPUs) > 16 {
			return
		}
		for _, g := range d.GPUs {
			if max(g.InputChunks, g.OutputChunks, g.ScratchChunks) > 1<<12 {
				return // correct, and slow to check
			}
		}
		report := mscclpp.Check(d)
		graphs, err := mscclpp.Graphs(d)
		if report.OK && err != nil {
			t.Errorf("passes, but: %v", err)
		}
		if report.OK {
			if err := check.InterpretGraphs(1, graphs...); err != nil {
				t.Errorf("passes, but a run gives another result: %v", err)
			}
		}
	})
}
