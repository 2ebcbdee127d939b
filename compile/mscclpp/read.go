package mscclpp

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/compile/check"
	"github.com/lightpath-net/lightpath/compile/program"
)

// Bounds on what a file may ask for, so that a few bytes cannot demand gigabytes.
const (
	maxFile   = 512 << 20
	maxRanks  = 4096
	maxChunks = 1 << 20
	maxCells  = 1 << 24 // chunks of all memories
)

// Read reads an execution plan.
func Read(r io.Reader) (*Document, error) {
	limited := &io.LimitedReader{R: r, N: maxFile}
	decoder := json.NewDecoder(limited)
	d := &Document{BufferAlignment: 16, ThreadsPerBlock: 1024, MaxMessageSize: 1<<64 - 1}
	if err := decoder.Decode(d); err != nil {
		if errors.Is(err, io.ErrUnexpectedEOF) && limited.N <= 0 {
			return nil, fmt.Errorf("the file is larger than %d MiB", maxFile>>20)
		}
		return nil, err
	}
	if _, err := decoder.Token(); err != io.EOF {
		return nil, errors.New("there is more after the end of the execution plan")
	}
	return d, nil
}

// BufferMap returns the buffer layout of a document.
func (d *Document) BufferMap() (program.BufferMap, int, error) {
	op, err := collective.ParseOp(d.Collective)
	if err != nil {
		return program.BufferMap{}, 0, fmt.Errorf("collective: %w", err)
	}
	if len(d.GPUs) > maxRanks {
		return program.BufferMap{}, 0, fmt.Errorf("%d gpus; at most %d can be checked", len(d.GPUs), maxRanks)
	}
	l := program.BufferMap{Op: op, Nodes: len(d.GPUs), InPlace: d.InPlace}
	scratch := 0
	for r := range d.GPUs {
		g := &d.GPUs[r]
		if g.ID != r {
			return l, 0, fmt.Errorf("gpus: number %d has id %d; the executor takes the rank's position", r, g.ID)
		}
		for _, n := range [3]int{g.InputChunks, g.OutputChunks, g.ScratchChunks} {
			if n < 0 || n > maxChunks {
				return l, 0, fmt.Errorf("rank %d: %d chunks of a buffer, not in 0..%d", r, n, maxChunks)
			}
		}
		if g.InputChunks == 0 || g.OutputChunks == 0 {
			return l, 0, fmt.Errorf("rank %d: input_chunks is %d and output_chunks is %d; the executor divides by both", r, g.InputChunks, g.OutputChunks)
		}
		l.Chunks = max(l.Chunks, g.InputChunks, g.OutputChunks)
		scratch = max(scratch, g.ScratchChunks)
	}
	if err := l.Check(); err != nil {
		return l, 0, err
	}
	if cells := l.Nodes * (l.Reserved() + scratch); cells > maxCells {
		return l, 0, fmt.Errorf("%d chunks in all memories; at most %d can be followed", cells, maxCells)
	}
	for r := range d.GPUs {
		g := &d.GPUs[r]
		if in := l.InputChunks(r); g.InputChunks != in && in != 0 {
			return l, 0, fmt.Errorf("rank %d: input_chunks is %d; the input of %s in %d chunks has %d", r, g.InputChunks, op, l.Chunks, in)
		}
		if out := l.OutputChunks(r); g.OutputChunks != out && out != 0 {
			return l, 0, fmt.Errorf("rank %d: output_chunks is %d; the output of %s in %d chunks has %d", r, g.OutputChunks, op, l.Chunks, out)
		}
	}
	return l, scratch, nil
}

// Check checks execution plans that follow one another.
func Check(documents ...*Document) *check.Report {
	report := check.NewReport("mscclpp")
	stage := func(i int, err error) error {
		if err == nil || len(documents) == 1 {
			return err
		}
		return fmt.Errorf("stage %d: %w", i+1, err)
	}
	readers := make([]*reader, len(documents))
	for i, d := range documents {
		l, scratch, err := d.BufferMap()
		if err == nil && i > 0 && l != readers[0].layout {
			err = fmt.Errorf("is for %v, the first for %v: buffers cannot live on", l, readers[0].layout)
		}
		if err == nil {
			readers[i] = &reader{Document: d, layout: l, scratch: scratch}
			err = readers[i].form()
		}
		if err != nil {
			report.Add("form", "", stage(i, err))
			return report
		}
	}
	report.Add("form", fmt.Sprintf("%s, ranks: %d", documents[0].Collective, len(documents[0].GPUs)), nil)
	for _, c := range []struct {
		name, good string
		run        func(r *reader) error
		must       bool // the later checks assume it
	}{
		{"bounds", "every operand is inside its buffer", (*reader).bounds, true},
		{"limits", "", (*reader).limits, false},
		{"threads", "threads meet wherever one must see what others did", (*reader).threads, false},
	} {
		for i, r := range readers {
			if err := c.run(r); err != nil {
				report.Add(c.name, "", stage(i, err))
				if c.must {
					return report
				}
				break
			}
			if i == len(readers)-1 {
				good := c.good
				if c.name == "limits" {
					good = withinSizes(documents)
				}
				report.Add(c.name, good, nil)
			}
		}
	}
	graphs := make([]*check.Graph, len(readers))
	for i, r := range readers {
		g, err := r.graph()
		if err != nil {
			report.Add("connections", "", stage(i, err))
			return report
		}
		graphs[i] = g
	}
	report.Add("connections", "signals and waits match, on channels and semaphores", nil)
	report.Graphs(graphs...)
	return report
}

// Graphs returns the graphs of documents that have passed Check.
func Graphs(documents ...*Document) ([]*check.Graph, error) {
	var graphs []*check.Graph
	for _, d := range documents {
		l, scratch, err := d.BufferMap()
		if err != nil {
			return nil, err
		}
		r := &reader{Document: d, layout: l, scratch: scratch}
		if err := r.form(); err != nil {
			return nil, err
		}
		g, err := r.graph()
		if err != nil {
			return nil, err
		}
		graphs = append(graphs, g)
	}
	return graphs, nil
}

// reader checks a document.
type reader struct {
	*Document
	layout  program.BufferMap
	scratch int
	blocks  [][]tables // by rank and thread block
}

// tables translate a thread block's own numbers.
type tables struct {
	channels map[ChannelType][]int // channels of the GPU
	remotes  map[ChannelType][]int // remote buffers of the GPU
}

// known lists the operations that the checker follows, and how many threads execute them.
var known = map[string]struct {
	all bool // all threads; else one for each channel, operand or semaphore
}{
	"nop": {}, "barrier": {}, "signal": {}, "wait": {}, "rlxsignal": {}, "rlxwait": {}, "flush": {},
	"sem_acquire": {}, "sem_release": {}, "pws": {}, "pwsf": {}, "put": {},
	"copy": {true}, "get": {true}, "re": {true}, "res": {true}, "rre": {true}, "rres": {true},
}

// form checks names, numbers and lists.
func (r *reader) form() error {
	r.blocks = make([][]tables, len(r.GPUs))
	for rank := range r.GPUs {
		gpu := &r.GPUs[rank]
		count := map[ChannelType]int{}
		for _, c := range gpu.Channels {
			if c.Type != Memory && c.Type != Port {
				return fmt.Errorf("rank %d: channels of type %q cannot be followed; %s and %s can", rank, c.Type, Memory, Port)
			}
			for _, peer := range c.ConnectedTo {
				if peer < 0 || peer >= len(r.GPUs) || peer == rank {
					return fmt.Errorf("rank %d: a channel is connected to %d; other ranks are 0..%d", rank, peer, len(r.GPUs)-1)
				}
			}
			count[c.Type] += len(c.ConnectedTo)
		}
		for _, b := range gpu.RemoteBuffers {
			if _, ok := bufferOf(b.Type); !ok || b.Rank < 0 || b.Rank >= len(r.GPUs) || b.Rank == rank {
				return fmt.Errorf("rank %d: remote buffer %q of rank %d is not i, o or s of another rank", rank, b.Type, b.Rank)
			}
		}
		for b := range gpu.ThreadBlocks {
			t, err := r.tablesOf(rank, b, count)
			if err != nil {
				return err
			}
			r.blocks[rank] = append(r.blocks[rank], *t)
			for i := range gpu.ThreadBlocks[b].Ops {
				if err := r.formOp(rank, t, &gpu.ThreadBlocks[b].Ops[i]); err != nil {
					return fmt.Errorf("%v: %w", program.Place{Rank: rank, Block: b, Op: i}, err)
				}
			}
		}
	}
	return nil
}

func bufferOf(name string) (program.Buffer, bool) {
	i := slices.Index([]string{"i", "o", "s"}, name)
	return program.Buffer(max(0, i)), i >= 0
}

func (r *reader) tablesOf(rank, b int, count map[ChannelType]int) (*tables, error) {
	gpu := &r.GPUs[rank]
	block := &gpu.ThreadBlocks[b]
	if block.ID != b {
		return nil, fmt.Errorf("rank %d: thread block %d has id %d; the kernel takes the position", rank, b, block.ID)
	}
	t := &tables{map[ChannelType][]int{}, map[ChannelType][]int{}}
	for _, c := range block.Channels {
		for _, id := range c.IDs {
			if id < 0 || id >= count[c.Type] {
				return nil, fmt.Errorf("rank %d, thread block %d: %s channel %d; the GPU has %d", rank, b, c.Type, id, count[c.Type])
			}
		}
		t.channels[c.Type] = append(t.channels[c.Type], c.IDs...)
	}
	for _, refs := range block.RemoteRefs {
		for _, id := range refs.IDs {
			if id < 0 || id >= len(gpu.RemoteBuffers) {
				return nil, fmt.Errorf("rank %d, thread block %d: remote buffer %d; the GPU has %d", rank, b, id, len(gpu.RemoteBuffers))
			}
			if !slices.Contains(gpu.RemoteBuffers[id].Access, refs.Type) {
				return nil, fmt.Errorf("rank %d, thread block %d: remote buffer %d is not made known to %s channels", rank, b, id, refs.Type)
			}
		}
		t.remotes[refs.Type] = append(t.remotes[refs.Type], refs.IDs...)
	}
	return t, nil
}
