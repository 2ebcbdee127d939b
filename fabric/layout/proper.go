package layout

import (
	"slices"

	"github.com/lightpath-net/lightpath/flow/matching"
	"github.com/lightpath-net/lightpath/internal/disjoint"
)

// properColours gives links one of k colours each, so that no two at a node are the same; nil
// if it finds none, with whether it has proven that there is none. Nodes must have at most k
// links.
//
// Components are coloured one by one: a bipartite one by König's theorem; others link by link,
// exchanging two colours along a path if none is free at both ends (Kempe), then by a search. A
// component with more links than k matchings of its nodes can have is refused at once.
func properColours(nodes int, links [][2]int, k int) (colours []int, proven bool) {
	colours = make([]int, len(links))
	for _, part := range components(nodes, links) {
		c := &component{links: links, part: part, k: k, colour: colours}
		if !c.number() {
			return nil, true
		}
		if c.bipartite() || c.kempe() {
			continue
		}
		if found, proven := c.search(); !found {
			return nil, proven
		}
	}
	return colours, false
}

// components lists links by connected component.
func components(nodes int, links [][2]int) [][]int {
	connected := disjoint.New(nodes)
	for _, c := range links {
		connected.Join(c[0], c[1])
	}
	var all [][]int
	place := map[int]int{}
	for i, c := range links {
		r := connected.Find(c[0])
		at, known := place[r]
		if !known {
			at = len(all)
			place[r] = at
			all = append(all, nil)
		}
		all[at] = append(all[at], i)
	}
	return all
}

// component is a set of connected links that are coloured together.
type component struct {
	links  [][2]int // of all components
	part   []int    // those of this component
	k      int
	colour []int // of all links
	ends   [][2]int
	nodes  int
	at     []int // index in part of the link with a colour at a node, or -1, at node*k+colour
}

// number numbers the component's nodes. It reports whether k matchings can have that many
// links.
func (c *component) number() bool {
	local := map[int]int{}
	c.ends = make([][2]int, len(c.part))
	for j, i := range c.part {
		for side, u := range c.links[i] {
			at, known := local[u]
			if !known {
				at = len(local)
				local[u] = at
			}
			c.ends[j][side] = at
		}
	}
	c.nodes = len(local)
	return len(c.part) <= c.k*(c.nodes/2)
}

func (c *component) bipartite() bool {
	side := make([]int, c.nodes)
	at := make([][]int, c.nodes)
	for j, e := range c.ends {
		at[e[0]], at[e[1]] = append(at[e[0]], j), append(at[e[1]], j)
	}
	side[0] = 1
	for queue := []int{0}; len(queue) > 0; queue = queue[1:] {
		u := queue[0]
		for _, j := range at[u] {
			switch v := c.ends[j][0] + c.ends[j][1] - u; side[v] {
			case 0:
				side[v] = -side[u]
				queue = append(queue, v)
			case side[u]:
				return false
			}
		}
	}
	pairs := make([][2]int, len(c.ends))
	for j, e := range c.ends {
		if pairs[j] = e; side[e[0]] < 0 {
			pairs[j] = [2]int{e[1], e[0]}
		}
	}
	for colour, group := range matching.Divide(c.nodes, pairs) {
		for _, j := range group {
			c.colour[c.part[j]] = colour
		}
	}
	return true
}

func (c *component) clear() {
	c.at = slices.Repeat([]int{-1}, c.nodes*c.k)
}

func (c *component) set(j, colour int) {
	c.at[c.ends[j][0]*c.k+colour], c.at[c.ends[j][1]*c.k+colour] = j, j
	c.colour[c.part[j]] = colour
}

func (c *component) unset(j, colour int) {
	c.at[c.ends[j][0]*c.k+colour], c.at[c.ends[j][1]*c.k+colour] = -1, -1
}

func (c *component) free(u, colour int) bool { return c.at[u*c.k+colour] < 0 }

// kempe colours links one by one, and reports whether it coloured all.
func (c *component) kempe() bool {
	c.clear()
	for j := range c.ends {
		if !c.place(j) {
			return false
		}
	}
	return true
}

func (c *component) place(j int) bool {
	u, v := c.ends[j][0], c.ends[j][1]
	for colour := range c.k {
		if c.free(u, colour) && c.free(v, colour) {
			c.set(j, colour)
			return true
		}
	}
	for a := range c.k {
		for b := 0; b < c.k && c.free(u, a); b++ {
			if c.free(v, b) && c.exchange(v, u, a, b) {
				c.set(j, a)
				return true
			}
		}
	}
	return false
}

// exchange exchanges colours a and b along the path from v that begins with a, unless it ends
// at u.
func (c *component) exchange(v, u, a, b int) bool {
	var path []int
	at, colour := v, a
	for {
		j := c.at[at*c.k+colour]
		if j < 0 {
			break
		}
		path = append(path, j)
		at = c.ends[j][0] + c.ends[j][1] - at
		colour = a + b - colour
	}
	if at == u {
		return false
	}
	for n, j := range path {
		c.unset(j, []int{a, b}[n%2])
	}
	for n, j := range path {
		c.set(j, []int{b, a}[n%2])
	}
	return true
}

// search looks for a colouring depth first: the link with the fewest possible colours comes
// next, and among unused colours only the first is tried. It reports whether it found one and,
// if not, whether it searched everywhere.
func (c *component) search() (found, proven bool) {
	c.clear()
	left, waiting := effort, make([]bool, len(c.ends))
	for j := range waiting {
		waiting[j] = true
	}
	options := func(j int) int {
		count := 0
		for colour := range c.k {
			if c.free(c.ends[j][0], colour) && c.free(c.ends[j][1], colour) {
				count++
			}
		}
		return count
	}
	var from func(done, used int) bool
	from = func(done, used int) bool {
		if done == len(c.ends) {
			return true
		}
		best, fewest := -1, c.k+1
		for j := range c.ends {
			if left--; waiting[j] {
				if n := options(j); n < fewest {
					best, fewest = j, n
				}
			}
		}
		waiting[best] = false
		for colour := 0; colour < min(c.k, used+1) && left > 0; colour++ {
			if c.free(c.ends[best][0], colour) && c.free(c.ends[best][1], colour) {
				c.set(best, colour)
				if from(done+1, max(used, colour+1)) {
					return true
				}
				c.unset(best, colour)
			}
		}
		waiting[best] = true
		return false
	}
	found = from(0, 0)
	return found, !found && left > 0
}
