package collective

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/lightpath-net/lightpath/units"
)

// Check reports why a space is invalid for an operation of the given size. Its numbers may come
// from a file.
func (s *Space) Check(op Op, size units.Bytes) error {
	switch {
	case size <= 0:
		return fmt.Errorf("size_bytes must be above 0")
	case op == Sequence || s.Kind == Sections:
		return s.checkSections(op, size)
	case s.Sections != nil:
		return fmt.Errorf("sections are for chunks of kind %q", Sections)
	case s.Kind == Listed:
		if err := s.checkPieces(op); err != nil {
			return err
		}
		if op == AllToAll {
			return s.checkSums(size)
		}
		sum, err := s.piecesSize()
		if err != nil {
			return err
		}
		return checkSize(size, sum)
	}
	want := SpaceOf(op, s.Nodes, s.Parts)
	switch {
	case op == Pattern:
		return fmt.Errorf("chunks of kind %q do not fit %s; want %q", s.Kind, op, Listed)
	case s.Kind != want.Kind && !(want.Kind == Whole && s.Kind == Blocks):
		return fmt.Errorf("chunks of kind %q do not fit %s; want %q", s.Kind, op, want.Kind)
	case s.Parts < 1 || s.Parts > MaxParts:
		return fmt.Errorf("parts is %d; want 1..%d", s.Parts, MaxParts)
	case s.Pieces != nil:
		return fmt.Errorf("pieces are for chunks of kind %q", Listed)
	case s.Sizes != nil && s.Kind != Pairs:
		return fmt.Errorf("bytes of pairs do not fit %s", op)
	}
	if err := CheckMembers(s.Members, s.Nodes); err != nil {
		return err
	}
	return s.checkSizes(size)
}

// checkSizes checks the bytes of pairs, if they differ.
func (s *Space) checkSizes(size units.Bytes) error {
	if s.Sizes == nil {
		return nil
	}
	if err := s.Sizes.Check(s.MembersCount()); err != nil {
		return err
	}
	return checkSize(size, s.Sizes.Size())
}

// checkSize compares the size of an operation with the sum of its chunks.
func checkSize(size, chunks units.Bytes) error {
	if size != chunks {
		return fmt.Errorf("size_bytes is %d, that of the chunks %d", size, chunks)
	}
	return nil
}

func (s *Space) checkSections(op Op, size units.Bytes) error {
	if op != Sequence || s.Kind != Sections {
		return fmt.Errorf("chunks of kind %q do not fit %s", s.Kind, op)
	}
	if len(s.Sections) == 0 {
		return fmt.Errorf("no section")
	}
	if s.Members != nil || s.Sizes != nil || s.Pieces != nil || s.Parts != 0 {
		return fmt.Errorf("a space of sections has nothing but sections")
	}
	total, sum := 0, units.Bytes(0)
	for i := range s.Sections {
		section := &s.Sections[i]
		if section.Op == Sequence {
			return fmt.Errorf("section %d: a sequence within a sequence", i+1)
		}
		if err := section.Op.Known(); err != nil {
			return fmt.Errorf("section %d: %w", i+1, err)
		}
		if section.Space.Nodes != s.Nodes {
			return fmt.Errorf("section %d is for %d nodes, not %d", i+1, section.Space.Nodes, s.Nodes)
		}
		if err := section.Space.Check(section.Op, section.Size); err != nil {
			return fmt.Errorf("section %d: %w", i+1, err)
		}
		if total += section.Space.Chunks(); total > maxChunks {
			return fmt.Errorf("more than %d chunks", maxChunks)
		}
		if section.Size > math.MaxInt64-sum {
			return fmt.Errorf("the sizes add up to more than %v", units.Bytes(math.MaxInt64))
		}
		sum += section.Size
	}
	return checkSize(size, sum)
}

// maxChunks keeps the sum of the chunks of sections from overflowing.
const maxChunks = 1 << 61

// checkPieces checks chunks that are listed one by one.
func (s *Space) checkPieces(op Op) error {
	if op != Pattern && op != AllToAll {
		return fmt.Errorf("chunks of kind %q do not fit %s", s.Kind, op)
	}
	if len(s.Pieces) == 0 {
		return fmt.Errorf("no piece")
	}
	if s.Parts != 0 || s.Members != nil && op == Pattern || s.Sizes != nil && op == Pattern {
		return fmt.Errorf("listed chunks have no parts, gpus or bytes but their own")
	}
	for i := range s.Pieces {
		if err := s.Pieces[i].check(s.Nodes); err != nil {
			return fmt.Errorf("chunk %d: %w", i, err)
		}
	}
	return nil
}

func (p *Piece) check(nodes int) error {
	if !(p.Bytes > 0) || p.Bytes > math.MaxInt64 {
		return fmt.Errorf("%v bytes; want more than 0", p.Bytes)
	}
	for _, side := range []struct {
		name  string
		nodes []int
	}{{"from", p.From}, {"to", p.To}} {
		if len(side.nodes) == 0 {
			return fmt.Errorf("%s names no node", side.name)
		}
		sorted := slices.Sorted(slices.Values(side.nodes))
		if sorted[0] < 0 || sorted[len(sorted)-1] >= nodes {
			return fmt.Errorf("%s has a node outside 0..%d", side.name, nodes-1)
		}
		if len(slices.Compact(sorted)) != len(side.nodes) {
			return fmt.Errorf("%s names a node twice", side.name)
		}
	}
	return nil
}

// checkSums checks that the listed pieces of an all-to-all add up to the demand of every pair.
func (s *Space) checkSums(size units.Bytes) error {
	if err := CheckMembers(s.Members, s.Nodes); err != nil {
		return err
	}
	if err := s.checkSizes(size); err != nil {
		return err
	}
	n := s.MembersCount()
	sums := make(map[[2]int]float64, len(s.Pieces))
	for i := range s.Pieces {
		p := &s.Pieces[i]
		if len(p.From) != 1 || len(p.To) != 1 || p.Reduces {
			return fmt.Errorf("chunk %d: in %s a piece goes from one node to one", i, AllToAll)
		}
		sums[[2]int{p.From[0], p.To[0]}] += p.Bytes
	}
	for a := range n {
		for b := range n {
			want := float64(size) / float64(n)
			if s.Sizes != nil {
				want = float64(s.Sizes[a][b])
			}
			u, v := s.Member(a), s.Member(b)
			if got := sums[[2]int{u, v}]; a != b && math.Abs(got-want) > pieceTolerance*want {
				return fmt.Errorf("the chunks from %d to %d have %s, not %s", u, v, units.FormatBytes(got), units.FormatBytes(want))
			}
			delete(sums, [2]int{u, v})
		}
	}
	if len(sums) > 0 {
		return fmt.Errorf("a chunk goes between nodes that do not take part")
	}
	return nil
}

// pieceTolerance is the relative rounding of bytes that were divided and added up again.
const pieceTolerance = 1e-9

// CheckForm checks what planners and the verifier rely on: every number is within its range,
// groups are those of the nodes, no node sends to itself, and no step is empty.
func (c *Collective) CheckForm() error {
	if c.Space.Nodes != c.Nodes {
		return fmt.Errorf("the space is of %d nodes", c.Space.Nodes)
	}
	if c.Space.Kind == Sections || c.Space.Kind == Listed || c.Space.Members != nil || c.Space.Sizes != nil {
		return errors.New("the space has sections, pieces, members or sizes, which an algorithm does not choose")
	}
	if err := c.Space.Check(c.Op, units.GiB); err != nil { // any size: it matters only for sizes
		return err
	}
	if len(c.Steps) == 0 {
		return errors.New("no step")
	}
	for i, step := range c.Steps {
		if len(step.Base) == 0 {
			return fmt.Errorf("step %d has no transfer", i+1)
		}
		if err := step.Group.Check(c.Nodes); err != nil {
			return fmt.Errorf("step %d: %w", i+1, err)
		}
		for _, t := range step.Base {
			if err := t.check(c); err != nil {
				return fmt.Errorf("step %d, transfer %d -> %d: %w", i+1, t.Src, t.Dst, err)
			}
		}
	}
	return nil
}

func (t *Transfer) check(c *Collective) error {
	switch {
	case t.Src < 0 || t.Src >= c.Nodes || t.Dst < 0 || t.Dst >= c.Nodes:
		return fmt.Errorf("nodes are 0..%d", c.Nodes-1)
	case t.Src == t.Dst:
		return errors.New("a node sends to itself")
	case len(t.Chunks) == 0:
		return errors.New("no chunks")
	}
	if err := t.Action.Check(); err != nil {
		return err
	}
	if err := t.Part.Check(); err != nil {
		return err
	}
	if err := t.Sides.Check(t.Action); err != nil {
		return err
	}
	return t.Chunks.Check(c.Space.Chunks())
}
