package digit

import (
	"fmt"
	"iter"
	"math"
	"math/rand/v2"

	"github.com/lightpath-net/lightpath/planner/joint/network"
	"github.com/lightpath-net/lightpath/topology"
)

// The wiring of covers.
//
// Of its d ports a point uses some for its cell, a circulant with jumps 1, 2, .., and the others
// lead to other cells. All cells look alike, and they are numbered modulo their number: what
// leaves point i of cell c by port e arrives in cell c + jump(i, e), at a point that depends only
// on i and e. So point i of cell 0 stands for all i-th points, and what these points reach within
// some hops judges a wiring in no time. Wirings are drawn at random, always the same ones, and
// the best is kept: the one whose farthest cell is nearest and, among those, the one whose cells
// are nearest in total.

// wiring is where the ports lead that are not for the cell: port e of point i leads to point
// at[i][e], jump[i][e] cells further on.
type wiring struct{ jump, at [][]int }

// wiringWork limits the links that the search for the best wiring looks at. At most 4000 wirings
// are drawn for 128 points with two ports in cells of 4, and fewer for larger ones.
const wiringWork = 1 << 22

// draw returns a random wiring.
func (c cover) draw(random *rand.Rand, outside int) wiring {
	w := wiring{make([][]int, c.size), make([][]int, c.size)}
	for i := range c.size {
		w.jump[i], w.at[i] = make([]int, outside), make([]int, outside)
	}
	for e := range outside {
		for i, at := range random.Perm(c.size) {
			w.jump[i][e], w.at[i][e] = 1+random.IntN(c.points/c.size-1), at
		}
	}
	return w
}

// judge finds out how far cells are from points.
type judge struct {
	cover
	in         [][]back // links into a point
	seen, had  []bool
	level, far []int
}

// back is a link into a point: from which point, and how many cells before.
type back struct{ point, jump int }

// widths returns the largest distance of a point from any cell and the sum of its distances from
// all cells, over the points of a cell; ok is false if a distance exceeds the limit.
func (c *judge) widths(w wiring, limit int) (farthest, sum int, ok bool) {
	cells := c.points / c.size
	for i := range c.in {
		c.in[i] = c.in[i][:0]
	}
	for i := range c.size {
		for jump := 1; jump <= c.inside; jump++ {
			c.in[(i+jump)%c.size] = append(c.in[(i+jump)%c.size], back{i, 0})
		}
		for e, at := range w.at[i] {
			c.in[at] = append(c.in[at], back{i, w.jump[i][e]})
		}
	}
	for i := range c.size {
		clear(c.seen)
		clear(c.had)
		c.level = append(c.level[:0], i)
		c.seen[i], c.had[0] = true, true
		for hops, met := 1, 1; met < cells; hops++ {
			if hops > limit || len(c.level) == 0 {
				return 0, 0, false
			}
			next := c.far[:0]
			for _, u := range c.level {
				for _, b := range c.in[u%c.size] {
					cell := u/c.size - b.jump
					if cell < 0 {
						cell += cells
					}
					v := cell*c.size + b.point
					if c.seen[v] {
						continue
					}
					c.seen[v] = true
					next = append(next, v)
					if !c.had[cell] {
						c.had[cell] = true
						met++
						sum += hops
					}
				}
			}
			c.level, c.far = next, c.level
			farthest = max(farthest, hops)
		}
	}
	return farthest, sum, true
}

// nearest returns how near cells can be. If there are far fewer wirings than draws, it tries all
// of them. Otherwise it returns a bound, from the number of links that lead to other cells.
func (c cover) nearest(j *judge, outside, draws int) (farthest, sum int) {
	cells := c.points / c.size
	for left, room := cells-1, outside; left > 0; room *= outside + c.inside {
		farthest++
		sum += c.size * farthest * min(left, room)
		left -= min(left, room)
	}
	wirings := 1.0
	for i := range c.size {
		wirings *= float64((i + 1) * (cells - 1))
	}
	if math.Pow(wirings, float64(outside)) > float64(draws)/fewer {
		return farthest, sum
	}
	farthest, sum = c.points, math.MaxInt
	for w := range c.wirings(outside) {
		if far, all, ok := j.widths(w, farthest); ok && (far < farthest || all < sum) {
			farthest, sum = far, all
		}
	}
	return farthest, sum
}

// fewer is how many times fewer wirings than draws there must be for nearest to try all of them.
const fewer = 8

// wirings yields all wirings; each is valid until the next.
func (c cover) wirings(outside int) iter.Seq[wiring] {
	return func(yield func(wiring) bool) {
		w := wiring{make([][]int, c.size), make([][]int, c.size)}
		for i := range c.size {
			w.jump[i], w.at[i] = make([]int, outside), make([]int, outside)
		}
		taken := make([]bool, c.size*outside)
		var choose func(k int) bool
		choose = func(k int) bool {
			if k == c.size*outside {
				return yield(w)
			}
			e, i := k/c.size, k%c.size
			for at := range c.size {
				if taken[e*c.size+at] {
					continue
				}
				taken[e*c.size+at] = true
				w.at[i][e] = at
				for jump := 1; jump < c.points/c.size; jump++ {
					w.jump[i][e] = jump
					if !choose(k + 1) {
						return false
					}
				}
				taken[e*c.size+at] = false
			}
			return true
		}
		choose(0)
	}
}

// drawn returns the best wiring that is drawn; the zero wiring if none connects all points.
func (c cover) drawn(ports int) wiring {
	random := rand.New(rand.NewPCG(uint64(c.points), uint64(c.size)))
	var best wiring
	farthest, sum := c.points, math.MaxInt
	j := &judge{cover: c, in: make([][]back, c.size), seen: make([]bool, c.points), had: make([]bool, c.points/c.size)}
	draws := max(1, wiringWork/(c.points*c.size*ports))
	leastFar, leastSum := c.nearest(j, ports-c.inside, draws)
	for range draws {
		w := c.draw(random, ports-c.inside)
		if far, all, ok := j.widths(w, farthest); ok && (far < farthest || all < sum) {
			best, farthest, sum = w, far, all
			if far == leastFar && all == leastSum {
				break // no later draw is better
			}
		}
	}
	return best
}

// wire returns the best wiring that is drawn, as a network; nil if none connects all points.
func (c cover) wire(ports int) *network.Network {
	best := c.drawn(ports)
	if best.jump == nil {
		return nil
	}
	var edges []topology.Edge
	for u := range c.points {
		cell, i := u/c.size, u%c.size
		for jump := 1; jump <= c.inside; jump++ {
			edges = append(edges, topology.Edge{From: u, To: cell*c.size + (i+jump)%c.size, Count: 1})
		}
		for e, at := range best.at[i] {
			edges = append(edges, topology.Edge{From: u, To: (cell+best.jump[i][e])%(c.points/c.size)*c.size + at, Count: 1})
		}
	}
	g := topology.New(c.points, fmt.Sprintf("Cells(%d,%d,%d)", ports, c.points, c.size), edges)
	return network.New(g, topology.Translations{})
}
