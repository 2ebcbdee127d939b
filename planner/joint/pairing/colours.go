package pairing

import (
	"slices"

	"github.com/lightpath-net/lightpath/internal/each"
)

// Colours gives each pair of points one of the given number of colours, so that no two pairs of a
// point have the same colour (Misra and Gries, A constructive proof of Vizing's theorem, 1992).
// There must be one colour more than the most pairs that any point has, and no pair may occur
// twice. It takes O(pairs * points).
func Colours(points int, pairs [][2]int, colours int) []int {
	c := &colouring{colours: colours, to: make([]int, points*colours)}
	for i := range c.to {
		c.to[i] = -1
	}
	for _, p := range pairs {
		c.add(p[0], p[1])
	}
	return each.Of(pairs, func(p [2]int) int { return c.of(p[0], p[1]) })
}

// colouring holds the point that each colour leads to from each point, or -1.
type colouring struct {
	colours int
	to      []int
}

func (c *colouring) at(u, colour int) *int { return &c.to[u*c.colours+colour] }

// of returns the colour of a pair, -1 if it has none.
func (c *colouring) of(u, v int) int { return slices.Index(c.to[u*c.colours:(u+1)*c.colours], v) }

// free returns the first colour that no pair of a point has.
func (c *colouring) free(u int) int { return c.of(u, -1) }

func (c *colouring) set(u, v, colour int) { *c.at(u, colour), *c.at(v, colour) = v, u }

// add gives a pair a colour. A fan of u is a list of neighbours of u that begins with v. The
// colour of each later neighbour is free at the neighbour before it, so the colours can move up
// by one place.
func (c *colouring) add(u, v int) {
	fan := []int{v}
	for grown := true; grown; {
		grown = false
		last := fan[len(fan)-1]
		for colour := range c.colours {
			if w := *c.at(u, colour); w >= 0 && *c.at(last, colour) < 0 && !slices.Contains(fan, w) {
				fan, grown = append(fan, w), true
				break
			}
		}
	}
	own, end := c.free(u), c.free(fan[len(fan)-1])
	c.swap(u, end, own)
	for i, w := range fan {
		if *c.at(w, end) >= 0 || !c.isFan(u, fan[:i+1]) {
			continue
		}
		for k := range i { // colours move up
			colour := c.of(u, fan[k+1])
			*c.at(fan[k+1], colour) = -1
			c.set(u, fan[k], colour)
		}
		c.set(u, w, end)
		return
	}
}

// isFan reports whether the colour of each later neighbour is free at the neighbour before it.
func (c *colouring) isFan(u int, fan []int) bool {
	for i := range len(fan) - 1 {
		if *c.at(fan[i], c.of(u, fan[i+1])) >= 0 {
			return false
		}
	}
	return true
}

// swap exchanges two colours along the path that starts at u with the first of them.
func (c *colouring) swap(u, first, second int) {
	path := []int{u}
	for colour := first; ; {
		next := *c.at(path[len(path)-1], colour)
		if next < 0 {
			break
		}
		path = append(path, next)
		colour = first + second - colour
	}
	for i := range len(path) - 1 {
		colour := first
		if i%2 == 1 {
			colour = second
		}
		*c.at(path[i], colour), *c.at(path[i+1], colour) = -1, -1
	}
	for i := range len(path) - 1 {
		colour := second
		if i%2 == 1 {
			colour = first
		}
		c.set(path[i], path[i+1], colour)
	}
}
