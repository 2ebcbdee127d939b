package check

import (
	"fmt"

	"github.com/lightpath-net/lightpath/compile/program"
)

// maxCells bounds the memories that the checker follows, and so the memory that a few bytes of a
// file can demand.
const maxCells = 1 << 24

// form checks what all other checks assume: peers, operands and waits exist.
func form(p *program.Program) error {
	if err := p.BufferMap.Check(); err != nil {
		return err
	}
	if len(p.Ranks) != p.Nodes {
		return fmt.Errorf("%d ranks are described, the program is for %d", len(p.Ranks), p.Nodes)
	}
	scratch := 0
	for r := range p.Ranks {
		scratch = max(scratch, p.Ranks[r].Scratch)
	}
	if cells := p.Nodes * (p.Reserved() + scratch); cells > maxCells {
		return fmt.Errorf("%d chunks in the memories of all ranks; at most %d can be followed", cells, maxCells)
	}
	for r := range p.Ranks {
		rank := &p.Ranks[r]
		for b := range rank.Blocks {
			block := &rank.Blocks[b]
			for _, peer := range [2]int{block.Send, block.Recv} {
				switch {
				case peer == r:
					return fmt.Errorf("rank %d, thread block %d: its peer is its own rank", r, b)
				case peer < -1 || peer >= p.Nodes:
					return fmt.Errorf("rank %d, thread block %d: peer %d is not in 0..%d, nor -1", r, b, peer, p.Nodes-1)
				}
			}
			if block.Channel < 0 || block.Channel >= p.Channels {
				return fmt.Errorf("rank %d, thread block %d: channel %d is not in 0..%d: it is not connected", r, b, block.Channel, p.Channels-1)
			}
			for i := range block.Ops {
				if err := formOp(rank, block, b, i); err != nil {
					return fmt.Errorf("%v: %w", program.Place{Rank: r, Block: b, Op: i}, err)
				}
			}
		}
	}
	return nil
}

func formOp(rank *program.Rank, block *program.Block, b, i int) error {
	op := &block.Ops[i]
	switch {
	case op.Kind.Sends() && block.Send < 0:
		return fmt.Errorf("%v sends, but the thread block has no peer to send to", op.Kind)
	case op.Kind.Receives() && block.Recv < 0:
		return fmt.Errorf("%v receives, but the thread block has no peer to receive from", op.Kind)
	case op.Kind != program.Nop && op.Count < 1:
		return fmt.Errorf("cnt is %d; at least 1 is needed", op.Count)
	}
	for _, d := range op.Deps {
		switch {
		case d.Block < 0 || int(d.Block) >= len(rank.Blocks):
			return fmt.Errorf("waits for thread block %d; there are %d", d.Block, len(rank.Blocks))
		case d.Op < 0 || int(d.Op) >= len(rank.Blocks[d.Block].Ops):
			return fmt.Errorf("waits for step %d of thread block %d, which has %d", d.Op, d.Block, len(rank.Blocks[d.Block].Ops))
		case int(d.Block) == b && int(d.Op) >= i:
			return fmt.Errorf("waits for step %d of its own thread block, which comes no earlier", d.Op)
		case int(d.Block) != b && !rank.Blocks[d.Block].Ops[d.Op].Awaited:
			return fmt.Errorf("waits for step %d of thread block %d, which has hasdep=0 and does not make its end known", d.Op, d.Block)
		}
	}
	return nil
}

// bounds checks that operands are inside their buffers, and that no operation overwrites what it
// is still reading.
func bounds(p *program.Program) error {
	for r := range p.Ranks {
		rank := &p.Ranks[r]
		if due := p.InputChunks(r); rank.Input != 0 && rank.Input != due && !(due == 0 && rank.Input == p.Chunks) {
			return fmt.Errorf("rank %d: i_chunks is %d; the input of %s in %d chunks has %d there", r, rank.Input, p.Op, p.Chunks, due)
		}
		if due := p.OutputChunks(r); rank.Output != 0 && rank.Output != due && !(due == 0 && rank.Output == p.Chunks) {
			return fmt.Errorf("rank %d: o_chunks is %d; the output of %s in %d chunks has %d there", r, rank.Output, p.Op, p.Chunks, due)
		}
		if rank.Scratch < 0 {
			return fmt.Errorf("rank %d: s_chunks is %d", r, rank.Scratch)
		}
		sizes := [3]int{rank.Input, rank.Output, rank.Scratch}
		for b := range rank.Blocks {
			for i := range rank.Blocks[b].Ops {
				if err := boundsOp(p, r, &rank.Blocks[b].Ops[i], sizes); err != nil {
					return fmt.Errorf("%v: %w", program.Place{Rank: r, Block: b, Op: i}, err)
				}
			}
		}
	}
	return nil
}

func boundsOp(p *program.Program, rank int, op *program.Op, sizes [3]int) error {
	inside := func(what string, at program.Loc) error {
		if size := sizes[at.Buffer]; at.Offset < 0 || int(at.Offset)+int(op.Count) > size {
			return fmt.Errorf("%s %v of %d chunks is not within the %d chunks of its buffer", what, at, op.Count, size)
		}
		return nil
	}
	if op.Kind.Reads() {
		if err := inside("source", op.Src); err != nil {
			return err
		}
	}
	if op.Kind.Writes() {
		if err := inside("target", op.Dst); err != nil {
			return err
		}
	}
	if op.Kind.Reads() && op.Kind.Writes() {
		from, to := p.Address(rank, op.Src), p.Address(rank, op.Dst)
		same := from == to && op.Kind != program.Reduce
		if apart := max(from-to, to-from); !same && apart < int(op.Count) {
			return fmt.Errorf("%v writes %v while it reads %v, which overlaps it", op.Kind, op.Dst, op.Src)
		}
	}
	return nil
}
