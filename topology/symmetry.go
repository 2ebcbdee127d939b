package topology

// Symmetry finds a group of translations that moves every node to every other and
// leaves the circuits of g unchanged, if there is one for the numbering that g has.
// All circulants, tori, hypercubes, complete and Hamming graphs and products of them
// have one; line graphs and Kautz graphs do not.
//
// A side of d nodes at weight w is the permutation that adds w to u modulo d w within
// its block. Sides are chosen from the fastest up, so that the product of those below
// is the weight of the next; the largest side that works is tried first. Each
// candidate is tested once, in O(bundles log degree), and most fail on an early node.
func (g *Graph) Symmetry() (Translations, bool) {
	n := g.Nodes()
	if n < 2 {
		return Translations{}, n == 1
	}
	dead := map[int]bool{} // weights from which no choice of sides reaches n
	var climb func(weight int) []int
	climb = func(weight int) []int {
		if weight == n {
			return []int{}
		}
		if dead[weight] {
			return nil
		}
		for d := n / weight; d > 1; d-- {
			if n/weight%d != 0 || !g.invariantUnderSide(weight, d) {
				continue
			}
			if above := climb(weight * d); above != nil {
				return append(above, d)
			}
		}
		dead[weight] = true
		return nil
	}
	dims := climb(1)
	if dims == nil {
		return Translations{}, false
	}
	return Translation(dims...), true
}

func (g *Graph) invariantUnderSide(weight, d int) bool {
	shift := func(u int) int {
		if u/weight%d == d-1 {
			return u - (d-1)*weight
		}
		return u + weight
	}
	for u := range g.Nodes() {
		to, count := g.Row(u)
		moved := shift(u)
		if len(to) != int(g.start[moved+1]-g.start[moved]) {
			return false
		}
		for i, v := range to {
			if g.Count(moved, shift(int(v))) != int(count[i]) {
				return false
			}
		}
	}
	return true
}
