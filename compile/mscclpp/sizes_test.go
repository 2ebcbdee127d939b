package mscclpp_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/lightpath-net/lightpath"
	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/collective/algorithms"
	"github.com/lightpath-net/lightpath/compile/lower"
	"github.com/lightpath-net/lightpath/compile/mscclpp"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/units"
)

// placed is the place where the loader puts an operand, in the loader's 32-bit arithmetic and in
// 64 bits. The arithmetic is that of its getOffset and getBufferSize.
type placed struct {
	offset, size     uint32
	trueOff, trueLen uint64
}

// operands places all operands of a document for a message.
func operands(d *mscclpp.Document, message uint64) []placed {
	var all []placed
	for r := range d.GPUs {
		gpu := &d.GPUs[r]
		chunks := uint64(gpu.InputChunks)
		if d.Collective == "allgather" {
			chunks = uint64(gpu.OutputChunks)
		}
		offset := func(index int) uint64 { return uint64(index) * (message / chunks) }
		for _, block := range gpu.ThreadBlocks {
			for _, op := range block.Ops {
				for _, c := range append(append([]mscclpp.Chunk{}, op.Src...), op.Dst...) {
					begin, end := uint32(offset(c.Index)), uint32(offset(c.Index+c.Size))
					all = append(all, placed{begin, end - begin, offset(c.Index), offset(c.Index+c.Size) - offset(c.Index)})
				}
			}
		}
	}
	return all
}

// largestIsTheLast checks that the loader places all operands of a document's largest message
// correctly. With the next larger message that it would accept, an operand ends beyond 32 bits.
func largestIsTheLast(t *testing.T, name string, d *mscclpp.Document) {
	t.Helper()
	largest := d.Largest()
	for _, o := range operands(d, largest) {
		if uint64(o.offset) != o.trueOff || uint64(o.size) != o.trueLen {
			t.Errorf("%s: with %d bytes an operand of %d bytes at %d is placed at %d with %d", name, largest, o.trueLen, o.trueOff, o.offset, o.size)
		}
	}
	chunks := uint64(max(d.GPUs[0].InputChunks, d.GPUs[0].OutputChunks))
	beyond := len(operands(d, 0)) == 0 // of a stage that only waits
	for _, o := range operands(d, largest+16*chunks) {
		beyond = beyond || o.trueOff+o.trueLen > 1<<32 || uint64(o.size) != o.trueLen
	}
	if !beyond {
		t.Errorf("%s: more than %d bytes would be right, too", name, largest)
	}
}

// sized returns a plan on four GPUs for a size; its time does not matter.
func sized(t *testing.T, op collective.Op, algorithm string, size units.Bytes) *plan.Plan {
	t.Helper()
	f := fabric.Default()
	f.Nodes, f.Ports = 4, 1
	c, err := algorithms.New(op, algorithm, 4, 1)
	if err != nil {
		t.Fatal(err)
	}
	static, err := lightpath.Planners().Lookup("static")
	if err != nil {
		t.Fatal(err)
	}
	p, err := static.Plan(context.Background(), planner.Request{Fabric: f, Collective: c, Size: size})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// Compile refuses messages beyond the range of the loader's numbers, exact to the byte, and says
// what would work.
func TestMessagesBeyondTheLoaderAreRefused(t *testing.T) {
	const gib = int64(units.GiB)
	for _, c := range []struct {
		name      string
		op        collective.Op
		algorithm string
		size      int64
		low, high int64 // as asked for
		wantLow   int64
		wantHigh  int64
		says      string
	}{
		{"2 GiB", collective.AllReduce, "ring", 2 * gib, 0, 0, gib, 4 * gib, ""},
		{"the largest", collective.AllReduce, "ring", 4 * gib, 0, 0, 2*gib - 1, 4 * gib, ""},
		{"a byte more", collective.AllReduce, "ring", 4*gib + 1, 0, 0, 0, 0, "right up to 4GiB"},
		{"8 GiB", collective.AllReduce, "ring", 8 * gib, 0, 0, 0, 0, "the plan is for 8GiB; MSCCL++ has offsets of 32 bits, with which its program is right up to 4GiB: use it for parts"},
		{"one chunk, the largest", collective.Broadcast, "binomial", 4*gib - 16, 0, 0, 2*gib - 8, 4*gib - 16, ""},
		{"one chunk, more", collective.Broadcast, "binomial", 4*gib - 15, 0, 0, 0, 0, "right up to 4294967280B"},
		{"a maximum that is right", collective.AllReduce, "ring", gib, 0, 4 * gib, gib / 2, 4 * gib, ""},
		{"a maximum that is not", collective.AllReduce, "ring", gib, 0, 4*gib + 1, 0, 0, "messages of up to 4294967297B"},
		{"a minimum that is read", collective.AllReduce, "ring", 4 * gib, 2*gib - 1, 0, 2*gib - 1, 4 * gib, ""},
		{"a minimum that is not", collective.AllReduce, "ring", 4 * gib, 2 * gib, 0, 0, 0, "min_message_size as a number of 31 bits, at most 2147483647B"},
		{"none in between", collective.AllReduce, "ring", gib, gib, gib - 1, 0, 0, "there are none"},
		{"parts of a gather", collective.Gather, "binomial", gib, 0, 0, gib / 2, 2 * gib, ""},
	} {
		_, documents, err := mscclpp.Make(context.Background(), sized(t, c.op, c.algorithm, units.Bytes(c.size)), false, mscclpp.Options{MinBytes: c.low, MaxBytes: c.high})
		if c.says != "" {
			if !errors.Is(err, lower.ErrRefused) || !strings.Contains(err.Error(), c.says) {
				t.Errorf("%s: %v; want ..%s..", c.name, err, c.says)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		low, high := documents[0].Meant()
		want := [2]units.Bytes{units.Bytes(c.wantLow), units.Bytes(c.wantHigh)}
		if low != want[0] || high != want[1] {
			t.Errorf("%s: meant for %v to %v, not %v to %v", c.name, low, high, want[0], want[1])
		}
		if bad := mscclpp.Check(documents...).First(); bad != nil {
			t.Errorf("%s: %s: %s", c.name, bad.Name, bad.Detail)
		}
	}
}

// In a gather, a rank receives the input of all ranks, and the loader compares the size of one
// input.
func TestTheWindowOfAGatherIsThatOfItsParts(t *testing.T) {
	_, documents, err := mscclpp.Make(context.Background(), sized(t, collective.Gather, "binomial", units.MiB), false, mscclpp.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if d := documents[0]; d.MinMessageSize != 1<<20/8 || d.MaxMessageSize != 1<<20/2 {
		t.Errorf("messages from %d to %d", d.MinMessageSize, d.MaxMessageSize)
	}
}

// Files from elsewhere must meet the same limits.
func TestFilesBeyondTheLoaderAreRefused(t *testing.T) {
	ring := ring3 // three output chunks; the last one ends the buffer
	for _, c := range []struct {
		name   string
		of     func() *mscclpp.Document
		change func(d *mscclpp.Document)
		says   string
	}{
		{"no maximum", ring, func(d *mscclpp.Document) {}, ""},
		{"the largest", ring, func(d *mscclpp.Document) { d.MaxMessageSize = 4294967280 }, ""},
		{"up to the next that the loader takes", ring, func(d *mscclpp.Document) { d.MaxMessageSize = 4294967280 + 47 }, ""},
		{"the next", ring, func(d *mscclpp.Document) { d.MaxMessageSize = 4294967280 + 48 }, "right up to 4294967280"},
		{"the largest minimum", ring, func(d *mscclpp.Document) { d.MinMessageSize = 1<<31 - 1 }, ""},
		{"a minimum that is read as a negative number", ring, func(d *mscclpp.Document) { d.MinMessageSize = 1 << 31 }, "min_message_size is 2147483648, not in 0..2147483647"},
		{"a minimum that is read as none", ring, func(d *mscclpp.Document) { d.MinMessageSize = 1 << 32 }, "min_message_size is 4294967296"},
		{"a negative minimum", ring, func(d *mscclpp.Document) { d.MinMessageSize = -1 }, "min_message_size is -1"},
		{"a minimum above the maximum", ring, func(d *mscclpp.Document) { d.MinMessageSize, d.MaxMessageSize = 2, 1 }, "no message fits"},
		{"no alignment", ring, func(d *mscclpp.Document) { d.BufferAlignment = 0 }, "buffer_alignment is 0"},
		{"any alignment where nothing is added", ring, func(d *mscclpp.Document) { d.BufferAlignment = 4 }, ""},
		{"an alignment that the kernel does not add by", func() *mscclpp.Document { return made(t) }, func(d *mscclpp.Document) { d.BufferAlignment = 8 }, "re with a buffer_alignment of 8"},
		{"shared scratch", func() *mscclpp.Document { return made(t) }, func(d *mscclpp.Document) { d.ReuseResources, d.MaxMessageSize = true, 1<<28 }, "right up to"},
		{"shared scratch that is enough", func() *mscclpp.Document { return made(t) }, func(d *mscclpp.Document) { d.ReuseResources, d.MaxMessageSize = true, 1<<26 }, ""},
		{"scratch that alternates", func() *mscclpp.Document { return made(t) }, func(d *mscclpp.Document) { d.DoubleScratch = true }, "use_double_scratch_buffer"},
		{"more memories than the proxy knows", func() *mscclpp.Document { return made(t) }, func(d *mscclpp.Document) {
			for len(d.GPUs[0].RemoteBuffers) <= 509 {
				d.GPUs[0].RemoteBuffers = append(d.GPUs[0].RemoteBuffers, d.GPUs[0].RemoteBuffers[0])
			}
		}, "remote buffers over port channels: 510; MSCCL++ takes at most 509"},
		{"as many memories as the proxy knows", func() *mscclpp.Document { return made(t) }, func(d *mscclpp.Document) {
			for len(d.GPUs[0].RemoteBuffers) < 509 {
				d.GPUs[0].RemoteBuffers = append(d.GPUs[0].RemoteBuffers, d.GPUs[0].RemoteBuffers[0])
			}
		}, ""},
		{"more channels than the proxy knows", func() *mscclpp.Document { return made(t) }, func(d *mscclpp.Document) {
			for len(d.GPUs[0].Channels[0].ConnectedTo) <= 1024 {
				d.GPUs[0].Channels[0].ConnectedTo = append(d.GPUs[0].Channels[0].ConnectedTo, 1)
			}
		}, "rank 0: port channels: 1025; MSCCL++ takes at most 1024"},
		{"more channels of the peer", func() *mscclpp.Document { return made(t) }, func(d *mscclpp.Document) {
			d.GPUs[1].Channels[0].ConnectedTo = append(d.GPUs[1].Channels[0].ConnectedTo, make([]int, 1024)...)
		}, "rank 0: port channels: 1026; MSCCL++ takes at most 1024"},
	} {
		d := c.of()
		c.change(d)
		bad := mscclpp.Check(d).First()
		switch {
		case c.says == "" && bad != nil:
			t.Errorf("%s: %s: %s", c.name, bad.Name, bad.Detail)
		case c.says != "" && (bad == nil || bad.Name != "limits" || !strings.Contains(bad.Detail, c.says)):
			t.Errorf("%s: %+v; want limits: ..%s..", c.name, bad, c.says)
		}
	}
}
