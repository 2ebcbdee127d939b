package program

import (
	"fmt"

	"github.com/lightpath-net/lightpath/internal/each"
)

// Merge is consecutive reductions that a loader merges into one: all of them then have the count
// of the last. The loaders of MSCCL and RCCL merge reductions that add chunks of one buffer to
// the same chunks, as long as the earlier ones are not awaited and the later ones do not wait.
type Merge struct {
	Rank, Block int
	From, To    int // the first and the last reduction
	Count       int32
	Reductions  int
	Uneven      bool // their counts differed
}

// String says what the loader does.
func (m Merge) String() string {
	return fmt.Sprintf("steps %d to %d of rank %d, thread block %d become one reduction with cnt=%d", m.From, m.To, m.Rank, m.Block, m.Count)
}

// Merges lists the merges of a loader that stops merging after fusion reductions of a thread
// block. MSCCL and RCCL count them over the whole block, not from where a merge began. A nop
// neither ends a merge nor is part of it.
func (p *Program) Merges(fusion int) []Merge {
	if fusion == 0 {
		return nil
	}
	var all []Merge
	for r := range p.Ranks {
		for b := range p.Ranks[r].Blocks {
			var now Merge
			var last *Op // the reduction that the next may be merged with
			seen := 0
			end := func() {
				if now.Reductions > 1 {
					all = append(all, now)
				}
				now, last = Merge{}, nil
			}
			for i := range p.Ranks[r].Blocks[b].Ops {
				op := &p.Ranks[r].Blocks[b].Ops[i]
				switch {
				case op.Kind == Nop:
					continue
				case op.Kind != Reduce:
					end()
					continue
				}
				if last == nil || last.Dst != op.Dst || last.Src.Buffer != op.Src.Buffer || len(op.Deps) > 0 {
					end()
					now = Merge{Rank: r, Block: b, From: i, Count: op.Count}
				}
				now.Uneven = now.Uneven || op.Count != now.Count
				now.To, now.Count = i, op.Count
				now.Reductions++
				seen++
				if last = op; op.Awaited || seen == fusion {
					end()
				}
			}
			end()
		}
	}
	return all
}

// Merged returns the program as such a loader keeps it: every reduction of a merge has the count
// of its last. Merging changes nothing else, because none of the reductions reads what another
// writes, except for the chunks to which all of them add.
func (p *Program) Merged(fusion int) (*Program, []Merge) {
	uneven := each.Where(p.Merges(fusion), func(m Merge) bool { return m.Uneven })
	if len(uneven) == 0 {
		return p, nil
	}
	merged := *p
	merged.Ranks = append([]Rank(nil), p.Ranks...)
	for i, m := range uneven {
		rank := &merged.Ranks[m.Rank]
		if i == 0 || uneven[i-1].Rank != m.Rank {
			rank.Blocks = append([]Block(nil), rank.Blocks...)
		}
		block := &rank.Blocks[m.Block]
		if i == 0 || uneven[i-1].Rank != m.Rank || uneven[i-1].Block != m.Block {
			block.Ops = append([]Op(nil), block.Ops...)
		}
		for k := m.From; k <= m.To; k++ {
			if block.Ops[k].Kind == Reduce {
				block.Ops[k].Count = m.Count
			}
		}
	}
	return &merged, uneven
}

// Unmerge prevents merges that would change the program, or that the loader's kernel cannot
// execute. It marks the reduction before as awaited, which ends a merge and otherwise does
// nothing.
func (p *Program) Unmerge(l *Limits) {
	for {
		changed := false
		for _, m := range p.Merges(l.Fusion) {
			ops := p.Ranks[m.Rank].Blocks[m.Block].Ops
			before, so := -1, 0
			for k := m.From; k <= m.To; k++ {
				if ops[k].Kind != Reduce {
					continue
				}
				if before >= 0 && (ops[k].Count != ops[before].Count || l.Merged > 0 && so == l.Merged) {
					ops[before].Awaited, changed = true, true
					break
				}
				before, so = k, so+1
			}
		}
		if !changed {
			return
		}
	}
}
