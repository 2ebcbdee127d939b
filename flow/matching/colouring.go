package matching

import "math/bits"

// Divide splits pairs (source, destination) of nodes 0..n-1 into groups in
// which every node is at most once a source and at most once a destination. It
// returns the indices of the pairs of each group, ascending. The number of groups
// is the largest number of pairs that a node sends or receives, which is the least
// possible (König 1916); pairs may repeat.
//
// Pairs are coloured one by one. When the two ends have no free colour in common,
// the path of alternating colours from the destination is recoloured, which cannot
// end at the source because sources and destinations are the two sides of a
// bipartite graph. It takes O(pairs x (n + groups/64)) and O(n x groups) memory.
func Divide(n int, pairs [][2]int) [][]int {
	degree := make([]int, 2*n) // sources, then destinations
	colours := 0
	for _, p := range pairs {
		degree[p[0]]++
		degree[n+p[1]]++
		colours = max(colours, degree[p[0]], degree[n+p[1]])
	}
	if colours == 0 {
		return nil
	}
	if colours == len(pairs) { // all at one node: each gets its own colour, in order
		groups := make([][]int, colours)
		for i := range groups {
			groups[i] = []int{i}
		}
		return groups
	}
	return coloured(n, pairs, colours)
}

// coloured is Divide with the number of groups.
func coloured(n int, pairs [][2]int, colours int) [][]int {
	c := newColouring(2*n, colours)
	for i, p := range pairs {
		u, v := p[0], n+p[1]
		colour := c.common(u, v)
		if colour < 0 {
			colour = c.common(u, u)
			c.flip(pairs, n, v, colour, c.common(v, v))
		}
		c.set(u, colour, i)
		c.set(v, colour, i)
	}
	groups := make([][]int, colours)
	colourOf := make([]int, len(pairs))
	for u := range n {
		for k, i := range c.pair[u*colours : (u+1)*colours] {
			if i >= 0 {
				colourOf[i] = k
			}
		}
	}
	for i, k := range colourOf {
		groups[k] = append(groups[k], i)
	}
	return groups
}

// colouring says which pair has which colour at each node of either side.
type colouring struct {
	colours int
	words   int
	pair    []int32  // pair of a colour at a node, or -1
	free    []uint64 // colours without a pair, as bits
}

func newColouring(nodes, colours int) *colouring {
	c := &colouring{
		colours: colours,
		words:   (colours + 63) / 64,
		pair:    make([]int32, nodes*colours),
	}
	c.free = make([]uint64, nodes*c.words)
	for i := range c.pair {
		c.pair[i] = -1
	}
	for u := range nodes {
		for k := range colours {
			c.free[u*c.words+k/64] |= 1 << (k % 64)
		}
	}
	return c
}

// common returns the smallest colour free at both nodes, or -1.
func (c *colouring) common(u, v int) int {
	for w := range c.words {
		if both := c.free[u*c.words+w] & c.free[v*c.words+w]; both != 0 {
			return 64*w + bits.TrailingZeros64(both)
		}
	}
	return -1
}

// set gives a colour at a node to a pair, or frees it with pair -1.
func (c *colouring) set(u, colour, pair int) {
	c.pair[u*c.colours+colour] = int32(pair)
	if bit := uint64(1) << (colour % 64); pair < 0 {
		c.free[u*c.words+colour/64] |= bit
	} else {
		c.free[u*c.words+colour/64] &^= bit
	}
}

// flip exchanges colours a and b on the path that starts at node u with colour a,
// b being free there, so that a becomes free at u.
func (c *colouring) flip(pairs [][2]int, n, u, a, b int) {
	carried := -1 // the pair that was a on the way here and is now b
	for {
		next := int(c.pair[u*c.colours+a])
		c.set(u, a, carried)
		if next < 0 {
			if carried >= 0 {
				c.set(u, b, -1)
			}
			return
		}
		// At u, pair next turns from a to b. So it does at its other end, and there the pair that has
		// b turns to a.
		c.set(u, b, next)
		if u < n {
			u = n + pairs[next][1]
		} else {
			u = pairs[next][0]
		}
		carried = next
		a, b = b, a
	}
}
