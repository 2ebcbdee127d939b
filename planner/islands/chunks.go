package islands

import (
	"fmt"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/internal/arithmetic"
	"github.com/lightpath-net/lightpath/planner"
)

// shares maps chunks of the core to chunks of the GPUs. Each chunk of the core is divided into a
// share for every place of an island and into pieces.
//
//	blocks   chunk (h, part) of the core -> block of GPU (h, place), part, piece
//	whole    chunk c -> chunk (place, c, piece)
//	pairs    chunk (a, b, part) -> what every GPU of island a has for GPU (b, place)
type shares struct {
	core   collective.Space
	places int
	pieces int
}

// newShares returns an error for spaces that have no such shares.
func newShares(core collective.Space, places, pieces int) (shares, error) {
	switch core.Kind {
	case collective.Blocks, collective.Whole, collective.Pairs:
	default:
		return shares{}, fmt.Errorf("%w: chunks of a core that are %s", planner.ErrInfeasible, core.Kind)
	}
	if core.Members != nil || core.Sizes != nil || core.Parts*places*pieces > collective.MaxParts {
		return shares{}, fmt.Errorf("%w: chunks of a core that differ, or too many", planner.ErrInfeasible)
	}
	return shares{core, places, pieces}, nil
}

// space returns the space of the GPUs.
func (s shares) space() collective.Space {
	parts := s.core.Parts * s.pieces
	if s.core.Kind == collective.Whole {
		parts *= s.places
	}
	return collective.Space{Kind: s.core.Kind, Nodes: s.core.Nodes * s.places, Parts: parts}
}

// moves reports whether moving the places of all islands turns the shares of one place into those
// of another, so that one place stands for all.
func (s shares) moves() bool { return s.core.Kind != collective.Whole }

// of returns the share of a place in some chunks of the core, limited to pieces from..to-1.
func (s shares) of(chunks collective.Chunks, place, from, to int) collective.Chunks {
	var all collective.Chunks
	everyPlace := arithmetic.UpTo(s.places)
	for _, r := range chunks {
		switch s.core.Kind {
		case collective.Whole:
			all = s.line(all, r, 1, place*s.core.Parts, from, to)
		case collective.Blocks:
			all = s.blocks(all, r, place, 0, from, to)
		default:
			all = s.pairs(all, r, everyPlace, place, from, to)
		}
	}
	return all
}

// blocks appends the share of a run of parts of blocks.
func (s shares) blocks(all collective.Chunks, r collective.Run, place, offset, from, to int) collective.Chunks {
	p := s.core.Parts
	for r.Count > 0 {
		h, q := r.First/p, r.First%p
		if p == 1 || r.Stride%p == 0 { // one part of several blocks
			return s.line(all, collective.Run{First: h, Count: r.Count, Stride: max(1, r.Stride/p)}, s.places*p, (place+offset)*p+q, from, to)
		}
		here := min(r.Count, (p-1-q)/r.Stride+1) // parts of one block
		all = s.line(all, collective.Run{First: q, Count: here, Stride: r.Stride}, 1, (h*s.places+place+offset)*p, from, to)
		r.First += here * r.Stride
		r.Count -= here
	}
	return all
}

// sentBy returns the part of some pairs that one GPU of the source, at place source, has for a
// place of the target.
func (s shares) sentBy(chunks collective.Chunks, source, place, from, to int) collective.Chunks {
	var all collective.Chunks
	for _, r := range chunks {
		all = s.pairs(all, r, []int{source}, place, from, to)
	}
	return all
}

// pairs appends the share of a run of parts of pairs that some places of the source have.
func (s shares) pairs(all collective.Chunks, r collective.Run, sources []int, place, from, to int) collective.Chunks {
	row := s.core.Nodes * s.core.Parts
	for r.Count > 0 {
		a := r.First / row
		here := min(r.Count, (a*row+row-1-r.First)/r.Stride+1)
		within := collective.Run{First: r.First - a*row, Count: here, Stride: r.Stride}
		for _, x := range sources {
			// In a row, GPUs are blocks: the offset counts blocks of the rows before.
			all = s.blocks(all, within, place, (a*s.places+x)*s.core.Nodes*s.places, from, to)
		}
		r.First += here * r.Stride
		r.Count -= here
	}
	return all
}

// line appends pieces from..to-1 of the units first, first+stride, .. of a run, where unit u is
// at u*apart+offset.
func (s shares) line(all collective.Chunks, r collective.Run, apart, offset, from, to int) collective.Chunks {
	z, width := s.pieces, to-from
	first := (r.First*apart+offset)*z + from
	step := r.Stride * apart * z
	switch {
	case step == width: // without a gap
		return append(all, collective.RunOf(first, r.Count*width, 1))
	case r.Count <= width:
		for i := range r.Count {
			all = append(all, collective.RunOf(first+i*step, width, 1))
		}
	default:
		for i := range width {
			all = append(all, collective.RunOf(first+i, r.Count, step))
		}
	}
	return all
}
