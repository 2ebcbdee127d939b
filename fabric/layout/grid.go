package layout

import (
	"fmt"
	"slices"
	"strings"

	"github.com/lightpath-net/lightpath/internal/arithmetic"
)

// grid has a switch for each port of each line of GPUs that differ in only one digit.
type grid struct {
	sides []int
	share []int // ports of each digit; nil: as even as possible
}

var gridKind = kind{
	syntax: "a grid such as 8x8 or 8x8:2,2 (ports by digit)",
	reads:  func(_, head string) bool { return strings.Contains(head, "x") },
	parse:  parseGrid,
}

func parseGrid(text string) (plugger, error) {
	digits, share, shared := strings.Cut(text, ":")
	g := &grid{}
	var err error
	if g.sides, err = numbers(digits, "x", 2); err != nil || !shared {
		return g, err
	}
	if g.share, err = numbers(share, ",", 1); err == nil && len(g.share) != len(g.sides) {
		err = fmt.Errorf("ports for %d digits of %d", len(g.share), len(g.sides))
	}
	return g, err
}

func (g *grid) String() string {
	text := join(g.sides, "x")
	if g.share != nil {
		text += ":" + join(g.share, ",")
	}
	return text
}

// Grid returns the layout of GPUs as points of a grid, numbered with the last digit fastest.
// share has the ports of each digit; nil: divided as evenly as possible, with one more for the
// first digits.
func Grid(sides, share []int) (Layout, error) { return Parse((&grid{sides, share}).String()) }

// Grid returns the sides of a grid and the ports of each digit if a GPU has the given number of
// ports; nil for other layouts.
func (l Layout) Grid(ports int) (sides, share []int) {
	if l.IsZero() {
		return nil, nil
	}
	g, ok := l.read.plugger.(*grid)
	if !ok {
		return nil, nil
	}
	return slices.Clone(g.sides), g.shares(ports)
}

// shares returns the ports of each digit; nil if there are fewer ports than digits.
func (g *grid) shares(ports int) []int {
	if g.share != nil {
		return slices.Clone(g.share)
	}
	return Shares(len(g.sides), ports)
}

// Shares divides ports evenly among digits, giving any remainder to the first digits; nil if
// there are fewer ports than digits.
func Shares(digits, ports int) []int {
	if ports < digits {
		return nil
	}
	share := make([]int, digits)
	for d := range share {
		share[d] = ports / digits
		if d < ports%digits {
			share[d]++
		}
	}
	return share
}

func (g *grid) plug(p *Plugging) error {
	nodes := 1
	for _, side := range g.sides {
		nodes *= side
	}
	if nodes != p.nodes {
		return fmt.Errorf("%s is for %d GPUs, the fabric has %d", g, nodes, p.nodes)
	}
	share := g.shares(p.ports)
	if share == nil {
		return fmt.Errorf("%s: %d ports for %d digits", g, p.ports, len(g.sides))
	}
	if sum := arithmetic.Sum(share); sum != p.ports {
		return fmt.Errorf("%s shares out %d ports, a GPU has %d", g, sum, p.ports)
	}
	firstSwitch, firstPort, weight := 0, 0, nodes
	for d, side := range g.sides {
		weight /= side // weight of this digit
		for u := range nodes {
			line := u/(weight*side)*weight + u%weight
			for j := range share[d] {
				p.at[u*p.ports+firstPort+j] = int32(firstSwitch + line*share[d] + j)
			}
		}
		firstSwitch += nodes / side * share[d]
		firstPort += share[d]
	}
	return nil
}

// Grids lists the grids of the given number of GPUs whose lines fit on switches of the given
// radix: with up to digits digits, each with an equal share of a GPU's ports as far as
// possible.
func Grids(nodes, ports, radix, digits int) []Layout {
	var all []Layout
	for _, sides := range products(nodes, min(ports, digits), radix) {
		for _, share := range evenShares(len(sides), ports) {
			if l, err := Grid(sides, share); err == nil {
				all = append(all, l)
			}
		}
	}
	return all
}

// products lists the ways to write a number as a product of 2 or more sides, at most the given
// number, the largest side first, none above most.
func products(nodes, digits, most int) [][]int {
	var all [][]int
	var split func(rest, largest int, sides []int)
	split = func(rest, largest int, sides []int) {
		if rest == 1 {
			if len(sides) > 1 {
				all = append(all, slices.Clone(sides))
			}
			return
		}
		if len(sides) == digits {
			return
		}
		for side := min(rest, largest); side >= 2; side-- {
			if rest%side == 0 {
				split(rest/side, side, append(sides, side))
			}
		}
	}
	split(nodes, most, nil)
	return all
}

// evenShares lists the ways to divide ports among digits in which no digit has two more than
// another.
func evenShares(digits, ports int) [][]int {
	var all [][]int
	var choose func(share []int, larger int)
	choose = func(share []int, larger int) {
		if len(share) == digits {
			if larger == 0 {
				all = append(all, slices.Clone(share))
			}
			return
		}
		if larger > 0 {
			choose(append(share, ports/digits+1), larger-1)
		}
		if larger <= digits-len(share)-1 {
			choose(append(share, ports/digits), larger)
		}
	}
	if ports >= digits {
		choose(nil, ports%digits)
	}
	return all
}
