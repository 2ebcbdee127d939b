package search

import "slices"

// Images finds the images of paths under a group of permutations. It keeps what it needs
// between paths; the images themselves are made of few large pieces of memory.
type Images struct {
	list  [][]int32
	seen  map[string]bool
	key   []byte
	spare []int32
}

const (
	// fewImages is how many images are compared one by one: looking a path up by all of its
	// nodes takes longer.
	fewImages = 32
	// imageMemory is how many nodes of paths are made room for at once.
	imageMemory = 1 << 14
)

// Of returns a path and its images under the group that permutations generate, each once. The
// list is good until the next call.
func (p *Images) Of(path []int32, moves [][]int32) [][]int32 {
	p.list = append(p.list[:0], path)
	clear(p.seen)
	for i := 0; i < len(p.list); i++ {
		for _, move := range moves {
			if len(p.spare) < len(path) {
				p.spare = make([]int32, max(imageMemory, len(path)))
			}
			image := p.spare[:len(path):len(path)]
			for h, u := range p.list[i] {
				image[h] = move[u]
			}
			if !p.known(image) {
				p.list = append(p.list, image)
				p.spare = p.spare[len(path):]
			}
		}
	}
	return p.list
}

// known reports whether an image is in the list, and from fewImages on keeps what is.
func (p *Images) known(image []int32) bool {
	if len(p.list) < fewImages {
		return slices.ContainsFunc(p.list, func(other []int32) bool { return slices.Equal(other, image) })
	}
	if p.seen == nil {
		p.seen = map[string]bool{}
	}
	if len(p.seen) == 0 {
		for _, other := range p.list {
			p.seen[string(p.keyOf(other))] = true
		}
	}
	if p.seen[string(p.keyOf(image))] {
		return true
	}
	p.seen[string(p.key)] = true
	return false
}

func (p *Images) keyOf(path []int32) []byte {
	p.key = p.key[:0]
	for _, u := range path {
		p.key = append(p.key, byte(u), byte(u>>8), byte(u>>16))
	}
	return p.key
}
