package mscclpp

import (
	"fmt"
	"slices"

	"github.com/lightpath-net/lightpath/compile/check"
	"github.com/lightpath-net/lightpath/compile/program"
	"github.com/lightpath-net/lightpath/internal/each"
)

// shape is how many operands an operation has; a negative number is a minimum.
type shape struct{ src, dst int }

var shapes = map[string]shape{
	"copy": {1, 1}, "re": {-2, 1}, "res": {-1, -2}, "rre": {-2, 1}, "rres": {-2, -2},
}

// formOp checks one operation.
func (r *reader) formOp(rank int, t *tables, op *Operation) error {
	if _, ok := known[op.Name]; !ok {
		return fmt.Errorf("operation %q cannot be followed", op.Name)
	}
	if op.ThreadBlockPart != nil {
		return fmt.Errorf("%s with tbg_info cannot be followed", op.Name)
	}
	for _, id := range op.ChannelIDs {
		if id < 0 || id >= len(t.channels[op.ChannelType]) {
			return fmt.Errorf("%s: %s channel %d; the thread block has %d", op.Name, op.ChannelType, id, len(t.channels[op.ChannelType]))
		}
	}
	for _, id := range op.SemaphoreIDs {
		if id < 0 || id >= len(r.GPUs[rank].Semaphores) {
			return fmt.Errorf("%s: semaphore %d; the GPU has %d", op.Name, id, len(r.GPUs[rank].Semaphores))
		}
	}
	for _, list := range [2][]Chunk{op.Src, op.Dst} {
		for _, c := range list {
			_, isLocal := bufferOf(c.Type)
			switch {
			case c.SwitchID != nil:
				return fmt.Errorf("%s over a switch channel cannot be followed", op.Name)
			case isLocal == (c.BufferID != nil):
				return fmt.Errorf("%s: an operand has a type (i, o or s) or a buffer_id, one of the two", op.Name)
			case c.BufferID != nil && (*c.BufferID < 0 || *c.BufferID >= len(t.remotes[op.ChannelType])):
				return fmt.Errorf("%s: remote buffer %d; the thread block has %d over %s channels", op.Name, *c.BufferID, len(t.remotes[op.ChannelType]), op.ChannelType)
			case c.Size < 1:
				return fmt.Errorf("%s: an operand of %d chunks", op.Name, c.Size)
			case c.Size != op.size():
				return fmt.Errorf("%s: operands of %d and %d chunks", op.Name, op.size(), c.Size)
			}
		}
	}
	return op.formNamed(rank, r)
}

// size returns the chunks of the first operand.
func (op *Operation) size() int {
	if len(op.Src) > 0 {
		return op.Src[0].Size
	}
	if len(op.Dst) > 0 {
		return op.Dst[0].Size
	}
	return 0
}

func (op *Operation) formNamed(rank int, r *reader) error {
	fits := func(have, want int) bool { return want >= 0 && have == want || want < 0 && have >= -want }
	if s, has := shapes[op.Name]; has && (!fits(len(op.Src), s.src) || !fits(len(op.Dst), s.dst)) {
		return fmt.Errorf("%s has %d sources and %d targets", op.Name, len(op.Src), len(op.Dst))
	}
	switch op.Name {
	case "put", "pws", "pwsf":
		if len(op.Src) == 0 || len(op.Src) != len(op.Dst) || len(op.Dst) != len(op.ChannelIDs) && op.ChannelType == Port {
			return fmt.Errorf("%s has %d sources, %d targets and %d channels; they go together", op.Name, len(op.Src), len(op.Dst), len(op.ChannelIDs))
		}
		if op.Name != "put" && op.ChannelType != Port {
			return fmt.Errorf("%s over a %s channel puts but does not signal; only %s channels do", op.Name, op.ChannelType, Port)
		}
		for i := range op.Dst {
			if op.Dst[i].BufferID == nil || op.Src[i].BufferID != nil {
				return fmt.Errorf("%s goes from a local to a remote buffer", op.Name)
			}
			if op.ChannelType == Memory && op.Src[i].Type != op.Src[0].Type {
				return fmt.Errorf("put: sources in different buffers; the kernel takes the first one's for all")
			}
		}
	case "get":
		if op.ChannelType != Memory || len(op.Src) == 0 || len(op.Src) != len(op.Dst) {
			return fmt.Errorf("get needs a %s channel and as many targets as sources", Memory)
		}
		for i := range op.Src {
			if op.Src[i].BufferID == nil || op.Dst[i].BufferID != nil {
				return fmt.Errorf("get goes from a remote to a local buffer")
			}
			if op.Src[i].Index != op.Dst[i].Index {
				return fmt.Errorf("get from %d to %d: the kernel exchanges the two, so they must be equal", op.Src[i].Index, op.Dst[i].Index)
			}
		}
	case "signal", "wait", "rlxsignal", "rlxwait":
		if len(op.ChannelIDs) == 0 {
			return fmt.Errorf("%s without a channel", op.Name)
		}
	case "flush":
		if op.ChannelType != Port || len(op.Dst) < len(op.ChannelIDs) {
			return fmt.Errorf("flush of %d channels with %d targets; the kernel counts targets, and knows %s channels only", len(op.ChannelIDs), len(op.Dst), Port)
		}
	case "sem_acquire", "sem_release":
		if len(op.SemaphoreIDs) == 0 {
			return fmt.Errorf("%s without a semaphore", op.Name)
		}
	case "barrier":
		if op.BarrierID == nil || *op.BarrierID < 0 || op.ThreadBlocks < 1 || op.ThreadBlocks > len(r.GPUs[rank].ThreadBlocks) {
			return fmt.Errorf("barrier without a barrier_id, or of %d thread blocks where there are %d", op.ThreadBlocks, len(r.GPUs[rank].ThreadBlocks))
		}
	}
	return nil
}

// operand returns the chunks of a rank to which an operand refers.
func (r *reader) operand(rank, block int, op *Operation, c *Chunk) check.Operand {
	if c.BufferID == nil {
		b, _ := bufferOf(c.Type)
		return check.Operand{Rank: rank, Loc: program.Loc{Buffer: b, Offset: int32(c.Index)}}
	}
	remote := r.GPUs[rank].RemoteBuffers[r.blocks[rank][block].remotes[op.ChannelType][*c.BufferID]]
	b, _ := bufferOf(remote.Type)
	return check.Operand{Rank: remote.Rank, Loc: program.Loc{Buffer: b, Offset: int32(c.Index)}}
}

// bounds checks that operands are inside their buffers.
func (r *reader) bounds() error {
	return r.each(func(at program.Place, op *Operation) error {
		if op.Name == "flush" { // a flush uses only the number of its targets
			return nil
		}
		for _, list := range [2][]Chunk{op.Src, op.Dst} {
			for i := range list {
				c := &list[i]
				o := r.operand(at.Rank, at.Block, op, c)
				gpu := &r.GPUs[o.Rank]
				size := [3]int{gpu.InputChunks, gpu.OutputChunks, gpu.ScratchChunks}[o.Loc.Buffer]
				if c.Index < 0 || c.Index > size || c.Size > size-c.Index {
					return fmt.Errorf("%s: %v[%d] of %d chunks is not within the %d chunks of that buffer of rank %d", op.Name, o.Loc.Buffer, c.Index, c.Size, size, o.Rank)
				}
			}
		}
		return nil
	})
}

// each visits every operation and adds the place to errors.
func (r *reader) each(visit func(at program.Place, op *Operation) error) error {
	for rank := range r.GPUs {
		for b := range r.GPUs[rank].ThreadBlocks {
			ops := r.GPUs[rank].ThreadBlocks[b].Ops
			for i := range ops {
				at := program.Place{Rank: rank, Block: b, Op: i}
				if err := visit(at, &ops[i]); err != nil {
					return fmt.Errorf("%v: %w", at, err)
				}
			}
		}
	}
	return nil
}

// limits checks the limits of the executor and of its kernel.
func (r *reader) limits() error {
	if err := r.sizes(); err != nil {
		return err
	}
	ports := r.portChannels()
	for rank := range r.GPUs {
		gpu := &r.GPUs[rank]
		memories := each.Count(gpu.RemoteBuffers, func(b RemoteBuffer) bool {
			return slices.Contains(b.Access, Port)
		})
		if memories > maxPortBuffers {
			return fmt.Errorf("rank %d: remote buffers over %s channels: %d; MSCCL++ takes at most %d", rank, Port, memories, maxPortBuffers)
		}
		if n := ports[rank]; n > maxPortChannels {
			return fmt.Errorf("rank %d: %s channels: %d; MSCCL++ takes at most %d", rank, Port, n, maxPortChannels)
		}
		if n := len(gpu.Semaphores); n > maxSemaphores {
			return fmt.Errorf("rank %d: semaphores: %d; MSCCL++ takes at most %d", rank, n, maxSemaphores)
		}
		for b := range gpu.ThreadBlocks {
			if n := len(gpu.ThreadBlocks[b].Ops); n > maxOps {
				return fmt.Errorf("rank %d, thread block %d: operations: %d; MSCCL++ takes at most %d", rank, b, n, maxOps)
			}
			for _, lists := range [2]map[ChannelType][]int{r.blocks[rank][b].channels, r.blocks[rank][b].remotes} {
				for _, kind := range [2]ChannelType{Memory, Port} {
					if n := len(lists[kind]); n > maxChannels {
						return fmt.Errorf("rank %d, thread block %d: %s channels or remote buffers: %d; MSCCL++ takes at most %d", rank, b, kind, n, maxChannels)
					}
				}
			}
		}
	}
	return r.each(func(_ program.Place, op *Operation) error {
		switch {
		case len(op.ChannelIDs) > maxPerOp:
			return fmt.Errorf("channels of an operation: %d; MSCCL++ takes at most %d", len(op.ChannelIDs), maxPerOp)
		case max(len(op.Src), len(op.Dst)) > maxBuffers:
			return fmt.Errorf("operands of an operation: %d; MSCCL++ takes at most %d", max(len(op.Src), len(op.Dst)), maxBuffers)
		case op.BarrierID != nil && *op.BarrierID >= maxBarriers:
			return fmt.Errorf("barrier %d; MSCCL++ has %d", *op.BarrierID, maxBarriers)
		}
		return nil
	})
}

// portChannels counts the port channels of every rank. If a peer lists more channels to the rank
// than the rank lists to the peer, the executor adds the missing ones.
func (r *reader) portChannels() []int {
	between := map[[2]int]int{}
	for rank := range r.GPUs {
		for _, c := range r.GPUs[rank].Channels {
			for _, peer := range c.ConnectedTo {
				if c.Type == Port {
					between[[2]int{rank, peer}]++
				}
			}
		}
	}
	count := make([]int, len(r.GPUs))
	for pair, n := range between {
		count[pair[0]] += n
		count[pair[1]] += max(0, n-between[[2]int{pair[1], pair[0]}])
	}
	return count
}

// threads checks that a nop stands between the work of all threads and that of few, wherever one
// must see the effects of the other.
func (r *reader) threads() error {
	worked, waited := false, 0
	return r.each(func(at program.Place, op *Operation) error {
		if at.Op == 0 {
			worked, waited = false, 0
		}
		need := func(few int) error {
			if worked {
				return fmt.Errorf("%s without a nop after the work of all threads before it, which may not have ended", op.Name)
			}
			if waited > 0 && (waited > 1 || few > 1) {
				return fmt.Errorf("%s without a nop after the wait before it, which other threads did", op.Name)
			}
			return nil
		}
		switch op.Name {
		case "nop", "barrier":
			worked, waited = false, 0
		case "wait", "rlxwait":
			waited = max(waited, len(op.ChannelIDs))
		case "sem_acquire":
			waited = max(waited, len(op.SemaphoreIDs))
		case "flush":
			waited = max(waited, len(op.ChannelIDs))
		case "signal":
			return need(len(op.ChannelIDs))
		case "sem_release":
			return need(len(op.SemaphoreIDs))
		case "rlxsignal": // orders nothing
		default:
			if op.ChannelType == Port {
				err := need(len(op.Dst))
				if op.Name == "pwsf" {
					waited = max(waited, len(op.Dst))
				}
				return err
			}
			if waited > 0 {
				return fmt.Errorf("%s without a nop after the wait before it, which other threads did", op.Name)
			}
			worked = true
		}
		return nil
	})
}
