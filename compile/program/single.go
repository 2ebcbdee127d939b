package program

// SingleDeps returns the program with at most one dependency per operation: if an operation has
// more, all but the last go to nops before it. It marks operations that others wait for.
func (p *Program) SingleDeps() *Program {
	single := *p
	single.Ranks = make([]Rank, len(p.Ranks))
	for r := range p.Ranks {
		rank := p.Ranks[r]
		rank.Blocks = make([]Block, len(p.Ranks[r].Blocks))
		moved := make([][]int32, len(rank.Blocks)) // new position of each operation of a block
		for b, block := range p.Ranks[r].Blocks {
			moved[b] = make([]int32, len(block.Ops))
			at := int32(0)
			for i := range block.Ops {
				at += int32(max(0, len(block.Ops[i].Deps)-1))
				moved[b][i] = at
				at++
			}
			rank.Blocks[b] = block
			rank.Blocks[b].Ops = make([]Op, 0, at)
		}
		for b := range p.Ranks[r].Blocks {
			into := &rank.Blocks[b]
			for _, op := range p.Ranks[r].Blocks[b].Ops {
				deps := op.Deps
				op.Deps = nil
				for i, d := range deps {
					one := []Dep{{d.Block, moved[d.Block][d.Op]}}
					if i < len(deps)-1 {
						into.Ops = append(into.Ops, Op{Kind: Nop, Src: None(), Dst: None(), Count: 1, Deps: one})
						continue
					}
					op.Deps = one
				}
				op.Awaited = false
				into.Ops = append(into.Ops, op)
			}
		}
		for b := range rank.Blocks {
			for i := range rank.Blocks[b].Ops {
				for _, d := range rank.Blocks[b].Ops[i].Deps {
					rank.Blocks[d.Block].Ops[d.Op].Awaited = true
				}
			}
		}
		single.Ranks[r] = rank
	}
	return &single
}
