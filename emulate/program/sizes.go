package program

import (
	"math"
	"sort"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/internal/arithmetic"
	"github.com/lightpath-net/lightpath/units"
)

// sizes computes how many elements a chunk has. A buffer has the smallest number of elements
// that covers its bytes, and is cut at floor(i*elements/chunks).
type sizes struct {
	sections []section
}

type section struct {
	first int
	space *collective.Space
	bytes units.Bytes
}

func newSizes(space *collective.Space, bytes units.Bytes) *sizes {
	if space.Kind != collective.Sections {
		return &sizes{[]section{{0, space, bytes}}}
	}
	s := &sizes{}
	first := 0
	for i := range space.Sections {
		at := &space.Sections[i]
		s.sections = append(s.sections, section{first, &at.Space, at.Size})
		first += at.Space.Chunks()
	}
	return s
}

// elements returns the number of elements of a chunk, for elements of the given size.
func (s *sizes) elements(chunk, size int) int {
	i := sort.Search(len(s.sections), func(i int) bool { return s.sections[i].first > chunk }) - 1
	at := &s.sections[i]
	return at.elements(chunk-at.first, size)
}

func (s *section) elements(chunk, size int) int {
	space := s.space
	switch {
	case space.Kind == collective.Listed:
		return int(math.Ceil(space.Pieces[chunk].Bytes / float64(size)))
	case space.Sizes != nil:
		n, block := space.MembersCount(), chunk/space.Parts
		return part(covering(int64(space.Sizes[block/n][block%n]), size), chunk%space.Parts, space.Parts)
	}
	parts := space.Parts
	if space.Kind != collective.Whole {
		parts *= space.MembersCount()
	}
	return part(covering(int64(s.bytes), size), chunk%parts, parts)
}

// covering returns how many elements of a size cover some bytes.
func covering(bytes int64, size int) int64 { return arithmetic.CeilDiv(bytes, int64(size)) }

// part returns the elements of part i of a buffer.
func part(elements int64, i, parts int) int {
	return int(cut(elements, int64(i)+1, int64(parts)) - cut(elements, int64(i), int64(parts)))
}

// cut returns floor(i*elements/parts) without overflow of the product.
func cut(elements, i, parts int64) int64 { return elements/parts*i + elements%parts*i/parts }
