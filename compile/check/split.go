package check

import "github.com/lightpath-net/lightpath/compile/program"

// split returns the program with every message cut into chunks, as a runtime does when
// chunks are large.
func split(p *program.Program) *program.Program {
	fine := *p
	fine.Ranks = make([]program.Rank, len(p.Ranks))
	for r := range p.Ranks {
		rank := p.Ranks[r]
		rank.Blocks = make([]program.Block, len(p.Ranks[r].Blocks))
		last := make([][]int32, len(rank.Blocks)) // the last part of each operation
		for b := range rank.Blocks {
			rank.Blocks[b] = p.Ranks[r].Blocks[b]
			at := int32(-1)
			for i := range rank.Blocks[b].Ops {
				at += parts(&rank.Blocks[b].Ops[i])
				last[b] = append(last[b], at)
			}
		}
		for b := range rank.Blocks {
			ops := rank.Blocks[b].Ops
			rank.Blocks[b].Ops = nil
			for i := range ops {
				op := ops[i]
				var deps []program.Dep
				for _, d := range op.Deps {
					deps = append(deps, program.Dep{Block: d.Block, Op: last[d.Block][d.Op]})
				}
				op.Deps = deps
				count := parts(&op)
				op.Count /= count
				for k := range count {
					one := op
					if k > 0 {
						one.Deps = nil
						one.Src.Offset += k
						one.Dst.Offset += k
					}
					rank.Blocks[b].Ops = append(rank.Blocks[b].Ops, one)
				}
			}
		}
		fine.Ranks[r] = rank
	}
	return &fine
}

// parts returns into how many an operation is split.
func parts(op *program.Op) int32 {
	if op.Kind.Sends() || op.Kind.Receives() {
		return max(1, op.Count)
	}
	return 1
}
