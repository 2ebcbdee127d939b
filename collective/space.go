package collective

import (
	"fmt"

	"github.com/lightpath-net/lightpath/topology"
)

// Kind says what a chunk number stands for.
type Kind string

// The kinds of chunk spaces. All chunks of a space have the same size; where the
// bytes do not divide, a runtime cuts at floor(i*size/chunks).
const (
	// Blocks: the buffer is cut into a block per node, each of Parts chunks; chunk
	// b*Parts+p is part p of the block that belongs to node b.
	Blocks Kind = "blocks"
	// Pairs: a block for every ordered pair of nodes; chunk (s*n+d)*Parts+p is part p
	// of what s has for d.
	Pairs Kind = "pairs"
	// Whole: the buffer is cut into Parts chunks that belong to nobody in particular.
	Whole Kind = "whole"
)

// Space gives chunk numbers their meaning.
type Space struct {
	Kind  Kind `json:"kind"`
	Nodes int  `json:"-"`
	Parts int  `json:"parts"`
}

// SpaceOf returns the space that an operation works on. Broadcast and reduce may also
// work on Blocks, for algorithms that spread the buffer over the nodes on the way.
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

// maxParts keeps chunk numbers far from overflow: n*n*parts stays below 2^60 for
// every graph that topology can hold.
const maxParts = 1 << 20

// Check reports whether the space is one that SpaceOf could have made for op.
func (s Space) Check(op Op) error {
	want := SpaceOf(op, s.Nodes, s.Parts)
	if s.Kind != want.Kind && !(want.Kind == Whole && s.Kind == Blocks) {
		return fmt.Errorf("chunks of kind %q do not fit %s; want %q", s.Kind, op, want.Kind)
	}
	if s.Parts < 1 || s.Parts > maxParts {
		return fmt.Errorf("parts is %d; want 1..%d", s.Parts, maxParts)
	}
	return nil
}

// Chunks returns the number of chunks in the space.
func (s Space) Chunks() int {
	switch s.Kind {
	case Pairs:
		return s.Nodes * s.Nodes * s.Parts
	case Whole:
		return s.Parts
	default:
		return s.Nodes * s.Parts
	}
}

// ChunkBytes returns the size of one chunk when the collective has the given size.
func (s Space) ChunkBytes(size float64) float64 {
	if s.Kind == Whole {
		return size / float64(s.Parts)
	}
	return size / float64(s.Nodes*s.Parts)
}

// Translate returns the set that the k-th element of t makes of chunks: nodes in
// the meaning of a chunk move along.
func (s Space) Translate(t topology.Translations, k int, chunks Chunks) Chunks {
	if k == 0 || s.Kind == Whole {
		return chunks
	}
	if s.Kind == Blocks && len(t.Dims) == 1 {
		return s.rotate(k*t.Stride[0]*s.Parts, chunks)
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

// Move returns the chunk that the k-th element of t makes of chunk c.
func (s Space) Move(t topology.Translations, k, c int) int {
	if s.Kind == Whole {
		return c
	}
	block, part := c/s.Parts, c%s.Parts
	if s.Kind == Pairs {
		src, dst := block/s.Nodes, block%s.Nodes
		return (t.Apply(k, src)*s.Nodes+t.Apply(k, dst))*s.Parts + part
	}
	return t.Apply(k, block)*s.Parts + part
}

// Home returns the element that takes the representative of chunk c's orbit to c:
// the one whose first node is the representative of its own orbit.
func (s Space) Home(t topology.Translations, c int) int {
	node := c / s.Parts
	if s.Kind == Pairs {
		node /= s.Nodes
	}
	k, _ := t.Locate(node)
	return k
}

// rotate adds shift to every chunk, modulo the space; a run that passes the end
// becomes two, unless it is a whole residue class, which stays one.
func (s Space) rotate(shift int, chunks Chunks) Chunks {
	total := s.Chunks()
	moved := make(Chunks, 0, len(chunks)+1)
	for _, r := range chunks {
		first := (r.First + shift) % total
		if r.Count*r.Stride == total {
			moved = append(moved, Run{first % r.Stride, r.Count, r.Stride})
			continue
		}
		fit := min(r.Count, (total-1-first)/r.Stride+1)
		moved = append(moved, run(first, fit, r.Stride))
		if fit < r.Count {
			moved = append(moved, run(first+fit*r.Stride-total, r.Count-fit, r.Stride))
		}
	}
	return moved
}

func run(first, count, stride int) Run {
	if count == 1 {
		stride = 1
	}
	return Run{first, count, stride}
}
