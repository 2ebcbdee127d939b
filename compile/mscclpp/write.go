package mscclpp

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/lightpath-net/lightpath/compile/lower"
	"github.com/lightpath-net/lightpath/compile/program"
	"github.com/lightpath-net/lightpath/internal/each"
	"github.com/lightpath-net/lightpath/plan"
)

// Options say how to write.
type Options struct {
	Channel ChannelType // of all pairs; "": as Between says
	// Between says how bytes move between two ranks in a stage, from 0; nil: Port.
	Between func(stage, from, to int) ChannelType
	Name    string
	// MinBytes and MaxBytes are the smallest and largest size that the program is for; 0: half
	// and twice the size of the plan, as far as the executor can address it.
	MinBytes, MaxBytes int64
	// MaxParts is the largest number of parts into which a chunk of the plan is cut; 0:
	// lower.DefaultMaxParts.
	MaxParts int
}

// maxWidth is the largest number of channels that fit tries between two ranks, to spread
// operations over more thread blocks.
const maxWidth = 4

// Make lowers a plan and returns the execution plans of its stages: one per stage or, if that
// has too many operations, several.
func Make(ctx context.Context, p *plan.Plan, inPlace bool, o Options) (*lower.OneSided, []*Document, error) {
	if channel := o.Channel; channel != "" {
		o.Between = func(int, int, int) ChannelType { return channel }
	} else if o.Between == nil {
		o.Between = func(int, int, int) ChannelType { return Port }
	}
	pieces := slices.Repeat([]int{1}, len(p.Stages))
	for programs := 0; ; {
		list, err := lower.ListPuts(ctx, p, lower.Options{Limits: Limits(), InPlace: inPlace, Pieces: pieces, MaxParts: o.MaxParts})
		if err != nil {
			return nil, nil, err
		}
		documents, crowded, err := fit(ctx, list, &o)
		if err == nil {
			if err := window(documents, p.Collective.Size, &o); err != nil {
				return nil, nil, err
			}
			return list, documents, distinguish(documents)
		}
		if crowded < 0 {
			return nil, nil, err
		}
		if len(list.Stages) == programs {
			return nil, nil, lower.Refuse("%v, and the step cannot be divided further; plan for fewer ports or with another algorithm", err)
		}
		programs = len(list.Stages)
		pieces[crowded] *= 2
	}
}

// distinguish gives different documents different names. The executor caches its setup by name,
// and would run the wrong program if two had the same name and buffers.
func distinguish(documents []*Document) error {
	for _, d := range documents {
		data, err := json.Marshal(d)
		if err != nil {
			return err
		}
		sum := sha256.Sum256(data)
		d.Name = fmt.Sprintf("%s_%x", d.Name, sum[:4])
	}
	return nil
}

// fit makes the document of every program. It tries one thread block for every end of a
// connection, and then fewer and fewer blocks, which need fewer semaphores but have more
// operations each. If nothing fits a program it returns its stage; -1 stands for any other
// error.
func fit(ctx context.Context, list *lower.OneSided, o *Options) ([]*Document, int, error) {
	documents := make([]*Document, len(list.Stages))
	refusals := make([]error, len(list.Stages))
	left := len(documents)
	for width := 1; width <= maxWidth; width *= 2 {
		list.Widen(width)
		for _, blocks := range []int{0, 4, 3, 2, 1} {
			for i := range documents {
				if err := ctx.Err(); err != nil {
					return nil, -1, err
				}
				if documents[i] != nil {
					continue
				}
				d, err := documentOf(list, i, blocks, o, func(from, to int) ChannelType { return o.Between(list.Stages[i], from, to) })
				switch {
				case err == nil:
					documents[i] = d
					left--
				case !errors.Is(err, lower.ErrRefused):
					return nil, -1, err
				case refusals[i] == nil || blocks == 1 && width == 1:
					refusals[i] = err
				}
			}
			if left == 0 {
				return documents, -1, nil
			}
		}
	}
	at := slices.IndexFunc(documents, func(d *Document) bool { return d == nil })
	err := refusals[at]
	if stage := list.Stages[at]; list.Stages[len(list.Stages)-1] > 0 {
		err = fmt.Errorf("stage %d: %w", stage+1, err)
	}
	return nil, list.Stages[at], err
}

// documentOf makes the document of the i-th program of a list.
func documentOf(list *lower.OneSided, i, blocks int, o *Options, between func(from, to int) ChannelType) (*Document, error) {
	p, crowded := list.Program(i, blocks, maxOps)
	if crowded != nil { // the document has at least as many
		return nil, lower.Refuse("rank %d, thread block %d: operations: at least %d; MSCCL++ takes at most %d", crowded.Rank, crowded.Block, crowded.Ops, maxOps)
	}
	return document(p, o, between)
}

// connection is one direction between two ranks.
type connection struct {
	from, to, channel int
}

// document makes the document of a program, with the type of channel that between gives for two
// ranks.
func document(p *lower.PutProgram, o *Options, between func(from, to int) ChannelType) (*Document, error) {
	d := &Document{
		Name: o.Name, Collective: string(p.Op), Protocol: "Simple", InPlace: p.InPlace,
		BufferAlignment: 16, ThreadsPerBlock: 1024,
	}
	numbers, peers := number(p, between)
	for r := range p.Ranks {
		kind := func(peer int) ChannelType { return between(r, peer) }
		e := &encoder{program: p, rank: r, kind: kind, numbers: numbers[r], pairs: map[[2]int]int{}}
		gpu, err := e.gpu(peers[r])
		if err != nil {
			return nil, err
		}
		d.GPUs = append(d.GPUs, *gpu)
	}
	return d, nil
}

// number gives every rank the numbers of its channels, separately for each type, and their
// peers. Two ranks list the channels between them in the same order, because the k-th channel of
// one is the k-th of the other.
func number(p *lower.PutProgram, between func(from, to int) ChannelType) (numbers []map[connection]int, peers []map[ChannelType][]int) {
	all := map[connection]bool{}
	for r := range p.Ranks {
		for _, block := range p.Ranks[r].Blocks {
			for _, op := range block {
				if op.Kind == program.Send {
					all[connection{r, op.Peer, op.Channel}] = true
				}
			}
		}
	}
	list := slices.Collect(maps.Keys(all))
	slices.SortFunc(list, func(a, b connection) int {
		return slices.Compare([]int{min(a.from, a.to), max(a.from, a.to), a.from, a.channel}, []int{min(b.from, b.to), max(b.from, b.to), b.from, b.channel})
	})
	numbers, peers = make([]map[connection]int, len(p.Ranks)), make([]map[ChannelType][]int, len(p.Ranks))
	for r := range numbers {
		numbers[r], peers[r] = map[connection]int{}, map[ChannelType][]int{}
	}
	for _, c := range list {
		for _, end := range [2][2]int{{c.from, c.to}, {c.to, c.from}} {
			own, kind := peers[end[0]], between(end[0], end[1])
			numbers[end[0]][c] = len(own[kind])
			own[kind] = append(own[kind], end[1])
		}
	}
	return numbers, peers
}

// channelTypes lists the types in the order in which they are written.
var channelTypes = []ChannelType{Port, Memory}

// encoder writes one GPU.
type encoder struct {
	program *lower.PutProgram
	rank    int
	kind    func(peer int) ChannelType
	numbers map[connection]int // among channels of their type
	remote  []RemoteBuffer
	pairs   map[[2]int]int // semaphores, by the blocks that release and acquire
}

func (e *encoder) gpu(peers map[ChannelType][]int) (*GPU, error) {
	rank := &e.program.Ranks[e.rank]
	l := &e.program.BufferMap
	gpu := &GPU{
		ID: e.rank, InputChunks: max(1, l.InputChunks(e.rank)), OutputChunks: max(1, l.OutputChunks(e.rank)), ScratchChunks: rank.Scratch,
		Channels: []Channels{}, RemoteBuffers: []RemoteBuffer{}, Semaphores: []Semaphore{},
	}
	if l.InputChunks(e.rank) == 0 { // the executor divides by both
		gpu.InputChunks = l.Chunks
	}
	if l.OutputChunks(e.rank) == 0 {
		gpu.OutputChunks = l.Chunks
	}
	for _, kind := range channelTypes {
		if len(peers[kind]) > 0 {
			gpu.Channels = append(gpu.Channels, Channels{kind, peers[kind]})
		}
	}
	// The semaphores over which other operations wait for each operation.
	released := make([]map[int][]int, len(rank.Blocks))
	for b := range released {
		released[b] = map[int][]int{}
	}
	for b, block := range rank.Blocks {
		for i := range block {
			for _, dep := range block[i].Deps {
				pair := [2]int{int(dep.Block), b}
				id, known := e.pairs[pair]
				if !known {
					id = len(e.pairs)
					e.pairs[pair] = id
					gpu.Semaphores = append(gpu.Semaphores, Semaphore{})
				}
				released[dep.Block][int(dep.Op)] = append(released[dep.Block][int(dep.Op)], id)
			}
		}
	}
	if len(gpu.Semaphores) > maxSemaphores {
		return nil, lower.Refuse("rank %d: semaphores: %d; MSCCL++ takes at most %d", e.rank, len(gpu.Semaphores), maxSemaphores)
	}
	for b, block := range rank.Blocks {
		w := &blockWriter{encoder: e, block: b, channels: map[ChannelType][]int{}, remotes: map[ChannelType][]int{}}
		tb := w.write(block, released[b])
		if len(tb.Ops) > maxOps {
			return nil, lower.Refuse("rank %d, thread block %d: operations: %d; MSCCL++ takes at most %d", e.rank, b, len(tb.Ops), maxOps)
		}
		n := 0
		for _, kind := range channelTypes {
			n = max(n, len(w.channels[kind]), len(w.remotes[kind]))
		}
		if n > maxChannels {
			return nil, lower.Refuse("rank %d, thread block %d: channels or remote buffers: %d; MSCCL++ takes at most %d", e.rank, b, n, maxChannels)
		}
		gpu.ThreadBlocks = append(gpu.ThreadBlocks, tb)
	}
	if len(gpu.ThreadBlocks) == 0 { // a kernel has at least one
		gpu.ThreadBlocks = []ThreadBlock{{Ops: []Operation{{Name: "nop"}}, Channels: []ChannelIDs{}}}
	}
	byPort := each.Count(e.remote, func(r RemoteBuffer) bool {
		return slices.Contains(r.Access, Port)
	})
	if byPort > maxPortBuffers {
		return nil, lower.Refuse("rank %d: remote buffers over %s channels: %d; MSCCL++ takes at most %d", e.rank, Port, byPort, maxPortBuffers)
	}
	if n := len(peers[Port]); n > maxPortChannels {
		return nil, lower.Refuse("rank %d: %s channels: %d; MSCCL++ takes at most %d", e.rank, Port, n, maxPortChannels)
	}
	gpu.RemoteBuffers = append(gpu.RemoteBuffers, e.remote...)
	return gpu, nil
}

// remoteBuffer returns the number of a peer's buffer.
func (e *encoder) remoteBuffer(rank int, buffer program.Buffer) int {
	i := slices.IndexFunc(e.remote, func(r RemoteBuffer) bool { return r.Rank == rank && r.Type == buffer.String() })
	if i < 0 {
		i = len(e.remote)
		e.remote = append(e.remote, RemoteBuffer{rank, buffer.String(), []ChannelType{e.kind(rank)}})
	}
	return i
}

// Write writes the document.
func (d *Document) Write(w io.Writer) error {
	out := bufio.NewWriterSize(w, 1<<16)
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(d); err != nil {
		return err
	}
	return out.Flush()
}
