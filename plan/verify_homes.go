package plan

import (
	"context"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/topology"
)

// homed writes the moves of a plan whose steps share a group as moves of the chunks that stand
// for their orbits: what a move carries of an orbit is carried of its representative from where
// the same translation takes both ends. Then these chunks can be followed as those of a plan
// without symmetry are, neighbours that are alike at once and by counting: on 16384 GPUs, whose
// numbers have a digit of 1024 on a graph without symmetry and one of 16 with it, 4096 chunks
// stand for all, of which 64 are different.
//
// It does so for blocks of one operation. Blocks in a row that one translation takes home to
// blocks in a row are taken at once; it takes time linear in the runs that come of it. It
// returns nil where there are more than mostHomed, or for other spaces.
func (p *Plan) homed(ctx context.Context, group topology.Translations, moves []move) ([]move, error) {
	space := &p.Collective.Space
	if space.Kind != collective.Blocks || space.Members != nil {
		return nil, nil
	}
	rows := newRows(group, space.Nodes)
	at := make([]int32, group.Order()) // by translation: where the move is that it makes of the present one, and 1
	var list []move
	var used []int
	runs := 0
	for i := range moves {
		if i%1024 == 0 {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
		}
		m := &moves[i]
		for _, r := range m.Chunks {
			for c, end := clipped(r, 0, space.Chunks()); c < end; { // beyond it another check says so
				if runs++; runs > mostHomed {
					return nil, nil
				}
				row := rows[c/space.Parts]
				count := (min(end, int(row.end)*space.Parts)-1-c)/r.Stride + 1
				k := int(row.by)
				if at[k] == 0 {
					inverse := group.Inverse(k)
					t := collective.Transfer{Src: group.Apply(inverse, m.Src), Dst: group.Apply(inverse, m.Dst), Action: m.Action}
					list = append(list, move{t, m.step, m.at, m.stage, m.in})
					at[k] = int32(len(list))
					used = append(used, k)
				}
				home := collective.Run{First: int(row.home)*space.Parts + c%space.Parts, Count: count, Stride: r.Stride}
				into := &list[at[k]-1]
				if last := len(into.Chunks) - 1; last >= 0 && r.Stride == 1 && into.Chunks[last].Stride == 1 && into.Chunks[last].Last()+1 == home.First {
					into.Chunks[last].Count += count
				} else {
					into.Chunks = append(into.Chunks, home)
				}
				c += count * r.Stride
			}
		}
		for _, k := range used {
			at[k] = 0
		}
		used = used[:0]
	}
	return list, nil
}

// mostHomed is the number of runs up to which moves are written so: some hundred megabytes.
const mostHomed = 1 << 22

// row is where a block is taken.
type row struct {
	by   int32 // the translation that leads from home to it
	home int32 // the block that stands for it
	end  int32 // the block before which those after it are taken by the same to the next ones
}

// newRows returns where blocks are taken by a group.
func newRows(group topology.Translations, blocks int) []row {
	rows := make([]row, blocks)
	for u := blocks - 1; u >= 0; u-- {
		k, home := group.Locate(u)
		rows[u] = row{int32(k), int32(home), int32(u + 1)}
		if u+1 < blocks && rows[u+1].by == int32(k) && rows[u+1].home == int32(home)+1 {
			rows[u].end = rows[u+1].end
		}
	}
	return rows
}

// atHome leaves the spans of those chunks that stand for their orbits.
func (s spans) atHome(group topology.Translations, space *collective.Space) {
	rep := false
	for u := range space.Nodes {
		k, _ := group.Locate(u)
		first := u * space.Parts
		if k == 0 && !rep {
			s.cut(first, space.Chunks())
		}
		rep = k == 0
		for c := first; !rep && c < first+space.Parts; c++ {
			s.starts[c/64] &^= 1 << (c % 64)
		}
	}
}

// differs reports whether no more than so many chunks are left to be followed of a plan whose
// steps share a group, of those that are alike one.
func (p *Plan) differs(ctx context.Context, group topology.Translations, most int) bool {
	space, total := &p.Collective.Space, p.Collective.Space.Chunks()
	if total > maxSpanned {
		return false
	}
	home, err := p.homed(ctx, group, p.moves(false))
	if err != nil || home == nil {
		return err != nil // which whoever goes on will say
	}
	apart := 0 // chunks of runs with gaps, of which each is a span
	for i := range home {
		for _, r := range home[i].Chunks {
			if r.Stride > 1 {
				apart += r.Count
			}
		}
	}
	if apart > most {
		return false
	}
	alike, err := newSpans(ctx, p.Collective.Op, space, home, total)
	if err != nil {
		return true
	}
	alike.atHome(group, space)
	return countEvents(home, alike, 0, total) <= most
}
