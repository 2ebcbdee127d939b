package collective

import (
	"fmt"
	"slices"

	"github.com/lightpath-net/lightpath/internal/each"
	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/units"
)

// Kind says what a chunk number stands for.
type Kind string

// These are the kinds of chunk spaces. In the first three all chunks have the same size, unless
// the space has Sizes. If the bytes cannot be divided evenly, a runtime cuts at
// floor(i*size/chunks).
const (
	// Blocks divides the buffer into a block per member, each of Parts chunks; chunk b*Parts+p is
	// part p of the block that belongs to member b.
	Blocks Kind = "blocks"
	// Pairs has a block for every ordered pair of members; chunk (s*n+d)*Parts+p is part p of what
	// s has for d.
	Pairs Kind = "pairs"
	// Whole divides the buffer into Parts chunks that belong to no particular node.
	Whole Kind = "whole"
	// Listed means that Pieces describes every chunk individually.
	Listed Kind = "listed"
	// Sections has the chunks of several operations, one after another.
	Sections Kind = "sections"
)

// Space gives chunk numbers their meaning.
type Space struct {
	Kind  Kind `json:"kind"`
	Nodes int  `json:"-"` // of the fabric
	Parts int  `json:"parts,omitempty"`

	// Members are the nodes that take part; member i is node Members[i]; nil: all. Blocks and
	// pairs are numbered by member.
	Members []int `json:"gpus,omitempty"`
	// Sizes are the bytes of each pair of members, if they differ.
	Sizes Demand `json:"bytes,omitempty"`
	// Pieces are the chunks of a Listed space.
	Pieces []Piece `json:"pieces,omitempty"`
	// Sections are the operations of a space of kind Sections, in order.
	Sections []Section `json:"sections,omitempty"`
}

// Section is one of several operations. Its chunks follow those of the previous sections.
type Section struct {
	Op        Op
	Algorithm string
	Size      units.Bytes
	Space     Space
}

// Piece is a chunk with its own goal: the nodes of From have it at the start, and every node of
// To must have it at the end. If it Reduces, each node of From has a contribution, and the
// result is their sum.
type Piece struct {
	Bytes   float64 `json:"bytes"`
	From    []int   `json:"from"`
	To      []int   `json:"to"`
	Reduces bool    `json:"reduce,omitempty"`
}

// SpaceOf returns the space that an operation works on. Broadcast and reduce may also work on
// Blocks, for algorithms that spread the buffer over the nodes on the way.
func SpaceOf(op Op, nodes, parts int) Space {
	kind := Blocks
	switch op {
	case AllToAll:
		kind = Pairs
	case Broadcast, RootReduce:
		kind = Whole
	}
	return Space{Kind: kind, Nodes: nodes, Parts: parts}
}

// MaxParts keeps chunk numbers far from overflow: n*n*parts stays below 2^60 for
// every graph that topology can hold.
const MaxParts = 1 << 20

// MembersCount returns the number of nodes that take part.
func (s *Space) MembersCount() int {
	if s.Members != nil {
		return len(s.Members)
	}
	return s.Nodes
}

// Chunks returns the number of chunks in the space.
func (s *Space) Chunks() int {
	n := s.MembersCount()
	switch s.Kind {
	case Pairs:
		return n * n * s.Parts
	case Whole:
		return s.Parts
	case Listed:
		return len(s.Pieces)
	case Sections:
		return each.SumBelow(len(s.Sections), func(i int) int {
			return s.Sections[i].Space.Chunks()
		})
	default:
		return n * s.Parts
	}
}

// Bytes returns the size of the given chunks if the collective has the given size. The sections
// of a space have sizes of their own.
func (s *Space) Bytes(size float64, chunks Chunks) float64 {
	switch {
	case s.Kind == Sections:
		sum := 0.0
		s.bySection(chunks, func(i int, local Chunks) {
			sum += s.Sections[i].Space.Bytes(float64(s.Sections[i].Size), local)
		})
		return sum
	case s.Kind == Listed:
		sum := 0.0
		for c := range chunks.All() {
			sum += s.Pieces[c].Bytes
		}
		return sum
	case s.Sizes != nil:
		n, sum := s.MembersCount(), 0.0
		for c := range chunks.All() {
			block := c / s.Parts
			sum += float64(s.Sizes[block/n][block%n]) / float64(s.Parts)
		}
		return sum
	case s.Kind == Whole:
		return size / float64(s.Parts) * float64(chunks.Len())
	}
	return size / float64(s.MembersCount()*s.Parts) * float64(chunks.Len())
}

// Homogeneous reports whether the image of any chunk under a translation of the nodes has the
// same size. Only then can a step stand for its images.
func (s *Space) Homogeneous() bool {
	for i := range s.Sections {
		if !s.Sections[i].Space.Homogeneous() {
			return false
		}
	}
	return s.Members == nil && s.Sizes == nil && s.Kind != Listed
}

// HomogeneousAt is Homogeneous for some chunks of one section: a sequence may have sections
// with and without symmetry.
func (s *Space) HomogeneousAt(chunks Chunks) bool {
	if s.Kind != Sections {
		return s.Homogeneous()
	}
	i := s.SectionOf(chunks)
	return i >= 0 && s.Sections[i].Space.Homogeneous()
}

// Follows reports whether, in an operation, the meaning of every chunk is moved by a
// translation of the nodes. A chunk that belongs to no node stays in place, and so does a root.
func (s *Space) Follows(op Op) bool {
	for i := range s.Sections {
		if section := &s.Sections[i]; !section.Space.Follows(section.Op) {
			return false
		}
	}
	return s.Homogeneous() && s.Kind != Whole && !op.Rooted()
}

// bySection visits the chunks of each section that has any, numbered as in that section's own
// space.
func (s *Space) bySection(chunks Chunks, visit func(i int, local Chunks)) {
	first := 0
	for i := range s.Sections {
		count := s.Sections[i].Space.Chunks()
		if local := chunks.Within(first, count); len(local) > 0 {
			visit(i, local)
		}
		first += count
	}
}

// section returns the section of a chunk and the first chunk of that section.
func (s *Space) section(c int) (at *Section, first int) {
	for i := range s.Sections {
		count := s.Sections[i].Space.Chunks()
		if c < first+count {
			return &s.Sections[i], first
		}
		first += count
	}
	panic(fmt.Sprintf("collective: chunk %d is in no section", c))
}

// Translate returns the image of chunks under the k-th element of t: the nodes that a chunk
// refers to are moved.
func (s *Space) Translate(t topology.Translations, k int, chunks Chunks) Chunks {
	if k == 0 || s.Kind == Whole || s.Kind == Listed {
		return chunks
	}
	if s.Kind == Sections {
		var moved Chunks
		first := 0
		for i := range s.Sections {
			section := &s.Sections[i].Space
			count := section.Chunks()
			if local := chunks.Within(first, count); len(local) > 0 {
				moved = append(moved, section.Translate(t, k, local).Shift(first)...)
			}
			first += count
		}
		return moved
	}
	if s.Kind == Blocks && len(t.Dims) == 1 {
		return s.rotate(k*t.Stride[0]*s.Parts, chunks)
	}
	if s.Kind == Pairs && len(t.Dims) == 1 && len(chunks) > 1 {
		return s.rotatePairs(k*t.Stride[0], chunks)
	}
	if len(chunks) == 1 && chunks[0].Count == 1 {
		return Single(s.Move(t, k, chunks[0].First))
	}
	ids := make([]int, 0, chunks.Len())
	for c := range chunks.All() {
		ids = append(ids, s.Move(t, k, c))
	}
	return Of(ids)
}

// Renumber returns the chunks under other node numbers: the chunks of node u become those of
// node to[u]. The space must be of whole buffers, blocks or pairs.
func (s *Space) Renumber(to []int, chunks Chunks) Chunks {
	if s.Kind == Whole {
		return chunks
	}
	ids := make([]int, 0, chunks.Len())
	for c := range chunks.All() {
		block, part := c/s.Parts, c%s.Parts
		if s.Kind == Pairs {
			block = to[block/s.Nodes]*s.Nodes + to[block%s.Nodes]
		} else {
			block = to[block]
		}
		ids = append(ids, block*s.Parts+part)
	}
	slices.Sort(ids)
	return Of(ids)
}

// Move returns the image of chunk c under the k-th element of t.
func (s *Space) Move(t topology.Translations, k, c int) int {
	switch s.Kind {
	case Whole, Listed:
		return c
	case Sections:
		at, first := s.section(c)
		return first + at.Space.Move(t, k, c-first)
	}
	block, part := c/s.Parts, c%s.Parts
	if s.Kind == Pairs {
		src, dst := block/s.Nodes, block%s.Nodes
		return (t.Apply(k, src)*s.Nodes+t.Apply(k, dst))*s.Parts + part
	}
	return t.Apply(k, block)*s.Parts + part
}

// Home returns the element that moves the representative of chunk c's orbit to c. The
// representative is the chunk whose first node represents its own orbit.
func (s *Space) Home(t topology.Translations, c int) int {
	if s.Kind == Sections {
		at, first := s.section(c)
		return at.Space.Home(t, c-first)
	}
	node := c / s.Parts
	if s.Kind == Pairs {
		node /= s.Nodes
	}
	k, _ := t.Locate(node)
	return k
}

// rotate adds shift to every chunk, modulo the space. A run that passes the end becomes two,
// unless it is a whole residue class, which stays one.
func (s *Space) rotate(shift int, chunks Chunks) Chunks {
	total := s.Chunks()
	moved := make(Chunks, 0, len(chunks)+1)
	for _, r := range chunks {
		first := (r.First + shift) % total
		if r.Count*r.Stride == total {
			moved = append(moved, Run{first % r.Stride, r.Count, r.Stride})
			continue
		}
		fit := min(r.Count, (total-1-first)/r.Stride+1)
		moved = append(moved, RunOf(first, fit, r.Stride))
		if fit < r.Count {
			moved = append(moved, RunOf(first+fit*r.Stride-total, r.Count-fit, r.Stride))
		}
	}
	return moved
}

// RunOf returns a run; a single chunk gets stride 1.
func RunOf(first, count, stride int) Run {
	if count == 1 {
		stride = 1
	}
	return Run{first, count, stride}
}
