package check

import (
	"fmt"

	"github.com/lightpath-net/lightpath/compile/program"
)

// Limits reports the first limit of a runtime that a program exceeds, with both numbers.
func Limits(p *program.Program, l *program.Limits) error {
	over := func(what string, has, most int) error {
		return fmt.Errorf("%s: %d; %s takes at most %d", what, has, l.Runtime, most)
	}
	if l.Ranks > 0 && p.Nodes > l.Ranks {
		return over("ranks", p.Nodes, l.Ranks)
	}
	if l.Channels > 0 && p.Channels > l.Channels {
		return over("channels", p.Channels, l.Channels)
	}
	for r := range p.Ranks {
		if err := limitsRank(p, r, l, over); err != nil {
			return err
		}
	}
	for _, m := range p.Merges(l.Fusion) {
		if l.Merged > 0 && m.Reductions > l.Merged {
			return fmt.Errorf("%v: reductions that are merged into one (steps %d to %d): %d; %s takes at most %d, and drops what the target held",
				program.Place{Rank: m.Rank, Block: m.Block, Op: m.From}, m.From, m.To, m.Reductions, l.Runtime, l.Merged)
		}
	}
	return nil
}

func limitsRank(p *program.Program, r int, l *program.Limits, over func(string, int, int) error) error {
	rank := &p.Ranks[r]
	if l.Blocks > 0 && len(rank.Blocks) > l.Blocks {
		return over(fmt.Sprintf("rank %d: thread blocks", r), len(rank.Blocks), l.Blocks)
	}
	if l.Offset > 0 {
		if most := max(rank.Input, rank.Output, rank.Scratch) - 1; most > l.Offset {
			return over(fmt.Sprintf("rank %d: highest offset into a buffer", r), most, l.Offset)
		}
	}
	elements := 1 + p.Nodes + len(rank.Blocks)
	sending, receiving := map[int]int{}, map[int]int{}
	for b := range rank.Blocks {
		block := &rank.Blocks[b]
		elements += len(block.Ops)
		if l.Steps > 0 && len(block.Ops) > l.Steps {
			return over(fmt.Sprintf("rank %d, thread block %d: steps", r, b), len(block.Ops), l.Steps)
		}
		if block.Send >= 0 {
			sending[block.Channel]++
		}
		if block.Recv >= 0 {
			receiving[block.Channel]++
		}
		if most := max(sending[block.Channel], receiving[block.Channel]); l.PerChannel > 0 && most > l.PerChannel {
			return over(fmt.Sprintf("rank %d, channel %d: thread blocks that send, or receive", r, block.Channel), most, l.PerChannel)
		}
		for i := range block.Ops {
			op := &block.Ops[i]
			at := func(what string) string {
				return fmt.Sprintf("%v: %s", program.Place{Rank: r, Block: b, Op: i}, what)
			}
			if l.Count > 0 && int(op.Count) > l.Count {
				return over(at("cnt"), int(op.Count), l.Count)
			}
			if k := op.Kind; !l.Fused && (k.Receives() && k != program.Recv) {
				return fmt.Errorf("%s", at(fmt.Sprintf("%v: %s has no receive that also reduces or sends", k, l.Runtime)))
			}
			for _, d := range op.Deps {
				if l.Awaited > 0 && int(d.Block) > l.Awaited {
					return over(at("depid"), int(d.Block), l.Awaited)
				}
			}
		}
	}
	if l.Elements > 0 && elements >= l.Elements {
		return over(fmt.Sprintf("rank %d: elements of the file that it keeps (1, a gpu per rank, its thread blocks and steps)", r),
			elements, l.Elements-1)
	}
	return nil
}
