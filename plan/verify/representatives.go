package verify

import (
	"context"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/topology"
)

// homes holds the moves of a plan whose steps share a group, rewritten as moves of one
// representative chunk per orbit: a move of another chunk of the orbit becomes a move of the
// representative, with both ends translated accordingly. These chunks can then be followed as
// in a plan without symmetry, with identical neighbours at once and by counting. On 16384 GPUs
// whose numbers have a digit of 1024 on a graph without symmetry and one of 16 with symmetry,
// 16384 chunks stand for all, and 256 of them differ.
//
// homes is for blocks of one operation. If all blocks have the same duty and some moves carry
// one part of many blocks, chunks are numbered part by part, which makes such chunks
// neighbours.
type homes struct {
	space   *collective.Space
	group   topology.Translations
	rows    []row
	byParts bool // chunk p*blocks+b is part p of block b
	moves   []move
	runs    int
}

// homed rewrites the moves. It returns nil if there are more than mostHomed runs, or for other
// spaces. It takes time linear in the runs: consecutive blocks that one translation moves to
// consecutive home blocks are moved at once.
func homed(ctx context.Context, p *plan.Plan, group topology.Translations, moves []move) (*homes, error) {
	h := &homes{space: &p.Collective.Space, group: group}
	if h.space.Kind != collective.Blocks || h.space.Members != nil || h.space.Chunks() > maxSpanned {
		return nil, nil
	}
	h.rows = newRows(group, h.space.Nodes)
	h.byParts = p.Collective.Op == collective.AllReduce && h.space.Parts > 1 && h.space.Parts <= fewParts && dealt(moves, h.space.Parts)
	// into[k] is the number, plus 1, of the move that translation k makes of the current one.
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

// fewParts is the largest number of parts per block for which chunks are numbered part by part.
// A run of whole blocks is then divided into that many runs.
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

// take rewrites a run of a move; it returns false if there are too many runs. into gives, for
// each translation, the number (plus 1) of the move that it has made of m, or 0.
func (h *homes) take(m *move, r collective.Run, into []int32) bool {
	parts := h.space.Parts
	for c, end := clipped(r, 0, h.space.Chunks()); c < end; { // another check reports others
		row := &h.rows[c/parts]
		count := (min(end, int(row.end)*parts)-1-c)/r.Stride + 1
		if into[row.by] == 0 {
			back := h.group.Inverse(int(row.by))
			t := collective.Transfer{Src: h.group.Apply(back, m.Src), Dst: h.group.Apply(back, m.Dst), Action: m.Action, Part: m.Part, Sides: m.Sides}
			h.moves = append(h.moves, move{&t, m.step, row.by, m.stage, m.in})
			into[row.by] = int32(len(h.moves))
		}
		to := &h.moves[into[row.by]-1]
		switch {
		case !h.byParts:
			h.put(to, collective.Run{First: int(row.home)*parts + c%parts, Count: count, Stride: r.Stride})
		case r.Stride%parts == 0:
			h.put(to, collective.Run{First: c%parts*len(h.rows) + int(row.home), Count: count, Stride: r.Stride / parts})
		default: // every parts-th chunk belongs to the same part
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

// chunk returns the number of a chunk in the plan.
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
	count, each := 1, h.space.Parts // rows of all blocks, and chunks of a block in each row
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

// mostHomed is the largest number of runs for rewritten moves: some hundred megabytes.
const mostHomed = 1 << 22

// row says where a translation takes a block.
type row struct {
	by   int32 // the translation from home to the block
	home int32 // the block that represents it
	end  int32 // blocks up to this one, exclusive, have the same translation and consecutive homes
}

// newRows returns where a group takes each block.
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

// mostImages is the largest number of represented transfers that are listed: some gigabytes.
const mostImages = 1 << 24

// differs reports whether a plan whose steps share a group leaves no more than the given number
// of chunk events to run, counting identical neighbours once.
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
		return true // the next check reports the error
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

// apart returns how many chunks are in runs with gaps; each of them is a span.
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
