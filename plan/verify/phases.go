package verify

import (
	"context"
	"math/bits"
	"slices"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/topology"
)

// phases proves a plan whose steps have different groups of symmetries. Numbers with two digits
// of 256 on graphs without symmetry have none in common: the steps of one digit look the same
// only from GPUs that differ in the other digit. But during the phase of one digit, one chunk
// of each orbit of that phase stands for all, and at its end what nodes hold is invariant under
// the next group, too. That is checked, so the next phase may begin with the chunks that stand
// for its own orbits. Of 65536 GPUs, each phase runs 256 chunks instead of 65536.
//
// A tally tracks what nodes hold. If that is not enough within a phase, as for sums over walks,
// the values that are live at its beginning are tracked as contributions of their own (core).
// Phases report only success; failing to prove a plan says nothing about it.
type phases struct {
	plan  *plan.Plan
	list  []phase
	parts int // per block
	// duties gives the duty of each chunk.
	duties func(chunk int) collective.Duty
	run    *dataRun // for chunks that a tally cannot prove
}

// phase is a sequence of steps with the same group.
type phase struct {
	group topology.Translations
	moves []move // those that stand for the others
}

// mostHeld bounds the bits for what nodes hold of the chunks that are run at once: 64 MB.
const mostHeld = 1 << 29

// mostCore bounds the events of chunks that a tally cannot prove: 512 MB.
const mostCore = 1 << 25

// byPhases reports whether phases, each with its own symmetries, prove that the plan is
// correct. The error is that of its context.
func byPhases(ctx context.Context, p *plan.Plan) (proven bool, err error) {
	x, err := newPhases(ctx, p)
	if x == nil || err != nil {
		return false, err
	}
	var now *stand
	for i := range x.list {
		next, err := x.begin(ctx, now, &x.list[i])
		if next == nil || err != nil {
			return false, err
		}
		if ok, err := x.follow(ctx, next, i == 0); !ok || err != nil {
			return false, err
		}
		now = next
	}
	return len(now.found()) == 0, nil
}

// newPhases returns nil if all steps have the same group, or groups of different kinds.
func newPhases(ctx context.Context, p *plan.Plan) (*phases, error) {
	space := &p.Collective.Space
	if space.Kind != collective.Blocks || space.Members != nil || !space.Follows(p.Collective.Op) || p.Independent {
		return nil, nil
	}
	x := &phases{plan: p, parts: max(1, space.Parts), duties: collective.Duties(p.Collective.Op, space)}
	at, chunks, dims := int32(0), 0, p.Stages[0].Steps[0].Group.Dims
	for i := range p.Stages {
		for j := range p.Stages[i].Steps {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			step := &p.Stages[i].Steps[j]
			if step.Group.Trivial() || !slices.Equal(step.Group.Dims, dims) || p.Fabric.Nodes/step.Group.Order()*x.parts > mostHeld/p.Fabric.Nodes {
				return nil, nil
			}
			if n := len(x.list); n == 0 || !x.list[n-1].group.Equal(step.Group) {
				x.list = append(x.list, phase{group: step.Group})
			}
			now := &x.list[len(x.list)-1]
			for k := range step.Base {
				if chunks += step.Base[k].Chunks.Len(); chunks > maxMoves {
					return nil, nil
				}
				now.moves = append(now.moves, move{&step.Base[k].Transfer, at, int32(k), int32(i), int32(j)})
			}
			at++
		}
	}
	if len(x.list) < 2 {
		return nil, nil
	}
	return x, nil
}

// stand records what nodes hold of the chunks that stand for their orbits under the group of a
// phase. The chunks of a block are consecutive.
type stand struct {
	*block
	phase *phase
	rows  []row   // where translations take blocks
	index []int32 // the first chunk of each block that stands for others
	parts int
}

// begin returns what nodes hold when a phase begins, nil if that is not invariant under its
// group.
func (x *phases) begin(ctx context.Context, before *stand, ph *phase) (*stand, error) {
	nodes, total := x.plan.Fabric.Nodes, x.plan.Collective.Space.Chunks()
	s := &stand{phase: ph, rows: newRows(ph.group, nodes), index: make([]int32, nodes), parts: x.parts}
	alike := spans{make([]uint64, (total+63)/64)}
	count := 0
	for u := range nodes {
		if s.rows[u].by != 0 {
			continue
		}
		s.index[u] = int32(count)
		for c := u * x.parts; c < (u+1)*x.parts; c++ {
			alike.cut(c, total)
		}
		count += x.parts
	}
	t := &tally{moves: ph.moves, duties: x.duties, alike: alike, nodes: nodes, width: count, rank: make([]int32, len(alike.starts)+1)}
	for i, w := range alike.starts {
		t.rank[i+1] = t.rank[i] + int32(bits.OnesCount64(w))
	}
	s.block = newBlock(t, nil)
	s.block.begin(0, total)
	if before == nil {
		return s, nil
	}
	if same, err := before.keeps(ctx, ph.group); !same || err != nil {
		return nil, err
	}
	clear(s.live)
	clear(s.begun)
	for u := range nodes {
		if s.rows[u].by != 0 {
			continue
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		home := &before.rows[u]
		from, to := int(before.index[home.home]), int(s.index[u])
		copy(s.rest[to:to+x.parts], before.rest[from:])
		for v := range nodes {
			row := before.row(before.phase.group.Back(int(home.by), v))
			for k := range x.parts {
				if row[(from+k)/64]>>((from+k)%64)&1 != 0 {
					s.row(v)[(to+k)/64] |= 1 << ((to + k) % 64)
				}
			}
		}
	}
	s.dirty = 0
	s.count()
	return s, nil
}

// keeps reports whether what nodes hold, invariant under the group of its phase, is also
// invariant under another group. Translations commute, so checking the representative chunks
// under the generators of the other group is enough.
func (s *stand) keeps(ctx context.Context, other topology.Translations) (bool, error) {
	group := s.phase.group
	for _, g := range other.Generators() {
		if _, home := group.Locate(other.Apply(g, 0)); home == 0 {
			continue // it is in the group itself: the sides are the same
		}
		for u := range s.rows {
			if s.rows[u].by != 0 {
				continue
			}
			if err := ctx.Err(); err != nil {
				return false, err
			}
			image := &s.rows[other.Apply(g, u)]
			from, to := int(s.index[u]), int(s.index[image.home])
			if !slices.Equal(s.rest[from:from+s.parts], s.rest[to:to+s.parts]) {
				return false, nil
			}
			for v := range s.rows {
				one, two := s.row(v), s.row(group.Back(int(image.by), other.Apply(g, v)))
				for k := range s.parts {
					if one[(from+k)/64]>>((from+k)%64)&1 != two[(to+k)/64]>>((to+k)%64)&1 {
						return false, nil
					}
				}
			}
		}
	}
	return true, nil
}

// follow runs the steps of a phase, and reports whether their result is known.
func (x *phases) follow(ctx context.Context, s *stand, first bool) (bool, error) {
	start := slices.Clone(s.live)
	rest := slices.Clone(s.rest)
	if err := s.through(ctx); err != nil {
		return false, err
	}
	var left []int
	for i := range s.rest {
		if s.rest[i] < 0 || s.strange[i/64]>>(i%64)&1 != 0 {
			left = append(left, i)
		}
	}
	if len(left) == 0 {
		return true, nil
	}
	return x.core(ctx, s, left, origin{start, rest, first})
}

// through is block.run for moves that are taken home one by one: a list of them would have as
// many entries as nodes receive chunks.
func (s *stand) through(ctx context.Context) error {
	moves := s.phase.moves
	for i := 0; i < len(moves); {
		end, copies := i+1, moves[i].Action == collective.Copy
		for ; end < len(moves) && moves[end].step == moves[i].step; end++ {
			copies = copies || moves[end].Action == collective.Copy
		}
		if copies && s.dirty < len(s.rest) {
			s.count()
		}
		for _, apply := range []func(m *move, from, to int){s.read, s.write} {
			for k := i; k < end; k++ {
				if err := ctx.Err(); err != nil {
					return err
				}
				s.home(&moves[k], apply)
			}
		}
		i = end
	}
	s.count()
	return nil
}

// home calls apply with each move translated so that its chunks are at home.
func (s *stand) home(m *move, apply func(m *move, from, to int)) {
	group := s.phase.group
	moved := *m.Transfer
	at := *m
	at.Transfer = &moved
	by := int32(0)
	for _, r := range m.Chunks {
		for c, end := r.First, r.Last()+1; c < end; {
			row := &s.rows[c/s.parts]
			if row.by != by {
				by = row.by
				moved.Src, moved.Dst = group.Back(int(by), m.Src), group.Back(int(by), m.Dst)
			}
			from := int(s.index[row.home]) + c%s.parts
			count := 1
			if r.Stride == 1 {
				count = min(end, int(row.end)*s.parts) - c
			}
			apply(&at, from, from+count)
			c += count * r.Stride
		}
	}
}

// origin records what nodes hold when a phase begins.
type origin struct {
	live  []uint64
	rest  []int32
	first bool // nothing has been sent
}

// core runs the chunks of a phase that a tally cannot prove. At the start no contribution is in
// two live values, and together these have all, so each live value is tracked as if it were one
// contribution. At the end, complete values are live.
func (x *phases) core(ctx context.Context, s *stand, left []int, start origin) (bool, error) {
	parted := slices.ContainsFunc(s.phase.moves, func(m move) bool { return m.Part != collective.WholePart })
	if parted && !start.first {
		return false, nil // a node's own contribution is no longer separate
	}
	wanted := make([]bool, len(s.rest))
	for _, i := range left {
		if !x.duties(s.chunks[i]).Reduces || start.rest[i] == 0 {
			return false, nil
		}
		wanted[i] = true
	}
	var list []event
	for k := range s.phase.moves {
		if err := ctx.Err(); err != nil {
			return false, err
		}
		s.home(&s.phase.moves[k], func(m *move, from, to int) {
			for i := from; i < to && len(list) <= mostCore; i++ {
				if wanted[i] {
					list = append(list, event{chunk: int32(i), src: int32(m.Src), dst: int32(m.Dst), by: int32(k)})
				}
			}
		})
		if len(list) > mostCore {
			return false, nil
		}
	}
	list = byChunk(list)
	if x.run == nil {
		x.run = newDataRun(x.plan)
	}
	x.run.moves = s.phase.moves
	nodes := len(s.rows)
	for _, i := range left {
		if err := ctx.Err(); err != nil {
			return false, err
		}
		end := 0
		for end < len(list) && int(list[end].chunk) == i {
			end++
		}
		var from []int
		for u := range nodes {
			if start.live[u*s.words+i/64]>>(i%64)&1 != 0 {
				from = append(from, u)
			}
		}
		complete := x.run.completed(from, list[:end])
		list = list[end:]
		if complete == nil {
			return false, nil
		}
		for u := range nodes {
			s.row(u)[i/64] &^= 1 << (i % 64)
		}
		for _, u := range complete {
			s.row(u)[i/64] |= 1 << (i % 64)
		}
		s.rest[i] = 0
		s.done[i/64] |= 1 << (i % 64)
		s.strange[i/64] &^= 1 << (i % 64)
	}
	return true, nil
}

// completed runs the events of a chunk that is reduced, from nodes that each have a value of
// their own, and returns the nodes that end with all of those values. It returns nil if
// something is wrong, or no node has all.
func (r *dataRun) completed(from []int, events []event) []int {
	duty := collective.Duty{From: from, Reduces: true}
	if !r.compile(duty, events) {
		return nil
	}
	var nodes []int
	for u := range r.mark {
		if r.has(u) {
			nodes = append(nodes, u)
		}
	}
	c := &r.columns
	for low := 0; low < len(from); low += columnWords * 64 {
		want, ok := c.follow(duty, low)
		if !ok {
			return nil
		}
		nodes = slices.DeleteFunc(nodes, func(u int) bool { return !c.held[u].has(&want) })
	}
	return nodes
}
