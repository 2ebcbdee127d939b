package collective

import (
	"slices"
	"sort"
)

// rotatePairs returns the image of pairs of nodes when all nodes are moved by turn. Chunks in
// ascending order have ascending images but for two breaks: sources that pass the last node come
// first, and among the pairs of a source, destinations that pass it. Written in that order, images
// need no sorting, which for the 65536 images of a step of 32768 pairs took minutes.
func (s *Space) rotatePairs(turn int, chunks Chunks) Chunks {
	ids := make([]int, 0, chunks.Len())
	for c := range chunks.All() {
		ids = append(ids, c)
	}
	slices.Sort(ids)
	row := s.Nodes * s.Parts
	stay := s.Nodes - turn // nodes below this one do not pass the last
	moved := make([]int, 0, len(ids))
	first := sort.SearchInts(ids, stay*row)
	for _, part := range [][]int{ids[first:], ids[:first]} {
		for len(part) > 0 {
			src := part[0] / row
			pairs := part[:sort.SearchInts(part, (src+1)*row)]
			part = part[len(pairs):]
			by := (src+turn)%s.Nodes*row - src*row
			passes := sort.SearchInts(pairs, src*row+stay*s.Parts)
			for _, c := range pairs[passes:] {
				moved = append(moved, c+by-stay*s.Parts)
			}
			for _, c := range pairs[:passes] {
				moved = append(moved, c+by+turn*s.Parts)
			}
		}
	}
	return AppendOf(nil, moved)
}
