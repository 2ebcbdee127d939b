package verify

import (
	"context"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/topology"
)

// homes holds the moves of a plan whose steps share a group, rewritten as moves of one
// representative chunk per orbit: a move of another chunk of the orbit becomes a move of the
// representative, with both ends translated accordingly. These chunks can then be followed as in a
// plan without symmetry, identical neighbours at once and by counting. On 16384 GPUs whose numbers
// have a digit of 1024 on a graph without symmetry and one of 16 with symmetry, 16384 chunks stand
// for all, and 256 of them differ.
//
// It is for blocks of one operation. If all blocks have the same duty and some moves carry one
// part of many blocks, chunks are numbered part by part, so that these are neighbours.
type homes struct {
	space   *collective.Space
	group   topology.Translations
	rows    []row
	byParts bool // chunk p*blocks+b is part p of block b
	moves   []move
	runs    int
}

// homed returns nil where there are more than mostHomed runs, or for other spaces. It takes time
// linear in the runs: blocks in a row that one translation takes home to blocks in a row are taken
// at once.
func homed(ctx context.Context, p *plan.Plan, group topology.Translations, moves []move) (*homes, error) {
	h := &homes{space: &p.Collective.Space, group: group}
	if h.space.Kind != collective.Blocks || h.space.Members != nil || h.space.Chunks() > maxSpanned {
		return nil, nil
	}
	h.rows = newRows(group, h.space.Nodes)
	h.byParts = p.Collective.Op == collective.AllReduce && h.space.Parts > 1 && h.space.Parts <= fewParts && dealt(moves, h.space.Parts)
	// By translation: the move that it makes of the present one, plus 1.
	into := make([]int32, group.Order())
	for i := range moves {
		if i%1024 == 0 {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
		}
		first := len(h.moves)
		for _, r := range moves[i].Chunks {
			if !h.take(&moves[i], r, into) {
				return nil, nil
			}
		}
		for k := first; k < len(h.moves); k++ {
			into[h.moves[k].at] = 0
			h.moves[k].at = moves[i].at
		}
	}
	return h, nil
}

// fewParts is the number of parts of a block up to which chunks are numbered part by part: a run
// of whole blocks becomes as many.
const fewParts = 64

// dealt reports whether some move carries one part of several blocks.
func dealt(moves []move, parts int) bool {
	for i := range moves {
		for _, r := range moves[i].Chunks {
			if r.Stride > 1 && r.Stride%parts == 0 {
				return true
			}
		}
	}
	return false
}

// take writes a run of a move, unless there are too many. into says which of the moves that are
// made of it a translation has made, and so does at in these until all are.
func (h *homes) take(m *move, r collective.Run, into []int32) bool {
	parts := h.space.Parts
	for c, end := clipped(r, 0, h.space.Chunks()); c < end; { // beyond it another check says so
		row := &h.rows[c/parts]
		count := (min(end, int(row.end)*parts)-1-c)/r.Stride + 1
		if into[row.by] == 0 {
			back := h.group.Inverse(int(row.by))
			t := collective.Transfer{Src: h.group.Apply(back, m.Src), Dst: h.group.Apply(back, m.Dst), Action: m.Action, Part: m.Part}
			h.moves = append(h.moves, move{&t, m.step, row.by, m.stage, m.in})
			into[row.by] = int32(len(h.moves))
		}
		to := &h.moves[into[row.by]-1]
		switch {
		case !h.byParts:
			h.put(to, collective.Run{First: int(row.home)*parts + c%parts, Count: count, Stride: r.Stride})
		case r.Stride%parts == 0:
			h.put(to, collective.Run{First: c%parts*len(h.rows) + int(row.home), Count: count, Stride: r.Stride / parts})
		default: // every parts-th is of the same part
			for k := range min(count, parts) {
				block := (c + k*r.Stride) / parts
				h.put(to, collective.Run{First: (c+k*r.Stride)%parts*len(h.rows) + int(row.home) + block - c/parts, Count: (count-1-k)/parts + 1, Stride: r.Stride})
			}
		}
		c += count * r.Stride
		if h.runs > mostHomed {
			return false
		}
	}
	return true
}

// put adds a run to a move.
func (h *homes) put(to *move, r collective.Run) {
	if r.Count == 1 {
		r.Stride = 1
	}
	if last := len(to.Chunks) - 1; last >= 0 && r.Stride == 1 && to.Chunks[last].Stride == 1 && to.Chunks[last].Last()+1 == r.First {
		to.Chunks[last].Count += r.Count
		return
	}
	to.Chunks = append(to.Chunks, r)
	h.runs++
}

// chunk returns the number that a chunk has in the plan.
func (h *homes) chunk(c int) int {
	if !h.byParts {
		return c
	}
	return c%len(h.rows)*h.space.Parts + c/len(h.rows)
}

// spans returns the spans of the chunks that stand for their orbits.
func (h *homes) spans(ctx context.Context, op collective.Op) (spans, error) {
	s, err := newSpans(ctx, op, h.space, h.moves, h.space.Chunks())
	if err != nil {
		return spans{}, err
	}
	count, each := 1, h.space.Parts // rows of all blocks, and chunks of one in a row
	if h.byParts {
		count, each = each, count
	}
	for i := range count {
		home := false
		for u := range h.rows {
			first := (i*len(h.rows) + u) * each
			if h.rows[u].by == 0 && !home {
				s.cut(first, h.space.Chunks())
			}
			if home = h.rows[u].by == 0; home {
				continue
			}
			for c := first; c < first+each; c++ {
				s.starts[c/64] &^= 1 << (c % 64)
			}
		}
	}
	return s, nil
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

// mostImages is the number of transfers up to which those that a plan stands for are listed: some
// gigabytes.
const mostImages = 1 << 24

// differs reports whether no more than so many chunks are left to be followed of a plan whose
// steps share a group, of those that are alike one.
func differs(ctx context.Context, p *plan.Plan, group topology.Translations, most int) bool {
	total := p.Collective.Space.Chunks()
	count := 0
	for _, step := range p.Steps() {
		count += step.Len() / group.Order()
	}
	if count > mostImages {
		return false
	}
	list, err := moves(ctx, p, group)
	if err != nil {
		return true // which whoever goes on will say
	}
	home, err := homed(ctx, p, group, list)
	if err != nil || home == nil {
		return err != nil
	}
	if apart(home.moves) > most {
		return false
	}
	alike, err := home.spans(ctx, p.Collective.Op)
	return err != nil || countEvents(home.moves, alike, 0, total) <= most
}

// apart returns how many chunks are in runs with gaps, of which each is a span.
func apart(moves []move) (chunks int) {
	for i := range moves {
		for _, r := range moves[i].Chunks {
			if r.Stride > 1 {
				chunks += r.Count
			}
		}
	}
	return chunks
}

// differsAlone is differs for a plan without symmetry.
func differsAlone(ctx context.Context, p *plan.Plan, most int) bool {
	total := p.Collective.Space.Chunks()
	list, err := moves(ctx, p, topology.Translations{})
	if err != nil {
		return true
	}
	if apart(list) > most {
		return false
	}
	alike, err := newSpans(ctx, p.Collective.Op, &p.Collective.Space, list, total)
	return err != nil || countEvents(list, alike, 0, total) <= most
}
