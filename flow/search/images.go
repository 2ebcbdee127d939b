package search

import "slices"

// Images finds the images of paths under a group of permutations. It reuses its working memory;
// the images themselves are allocated from few large pieces.
type Images struct {
	list  [][]int32
	seen  map[string]bool
	key   []byte
	spare []int32
}

const (
	// fewImages is how many images are compared one by one: hashing a path takes longer.
	fewImages = 32
	// imageMemory is the number of path nodes that are allocated at once.
	imageMemory = 1 << 14
)

// Of returns a path and its images under the group that permutations generate, each once. The
// list is valid until the next call.
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

// known reports whether an image is in the list. From fewImages on it keeps an index.
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
