package lines

import (
	"slices"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/fabric/layout"
	"github.com/lightpath-net/lightpath/internal/each"
	"github.com/lightpath-net/lightpath/topology"
)

// grid is the layout of a fabric as digits. GPUs are numbered with the last digit fastest.
type grid struct {
	nodes  int
	sides  []int
	ports  []int // of a GPU in each digit
	weight []int // of each digit in the number of a GPU
}

// gridOf returns the grid of a fabric; nil if its GPUs are not cabled as a grid.
func gridOf(f *fabric.Fabric) *grid {
	sides, ports := f.Layout.Grid(f.AllPorts())
	if sides == nil || ports == nil {
		return nil
	}
	g := &grid{f.Nodes, sides, ports, make([]int, len(sides))}
	weight := 1
	for d := len(sides) - 1; d >= 0; d-- {
		g.weight[d] = weight
		weight *= sides[d]
	}
	return g
}

// digit returns the digit that a piece takes at a turn.
func (g *grid) digit(piece, turn int) int { return (piece + turn) % len(g.sides) }

// digits returns the digits that a piece takes at the given turns.
func (g *grid) digits(piece int, turns []int) []int {
	return each.Of(turns, func(turn int) int { return g.digit(piece, turn) })
}

// at returns the place of a GPU in a digit.
func (g *grid) at(u, d int) int { return u / g.weight[d] % g.sides[d] }

// move returns the GPU at another place on a GPU's line in a digit.
func (g *grid) move(u, d, place int) int { return u + (place-g.at(u, d))*g.weight[d] }

// line returns a line of a digit as a flat fabric. Two-way circuits with several ports need an
// edge colouring, as on rails: each port has its own switch.
func (g *grid) line(f *fabric.Fabric, d int) fabric.Fabric {
	flat := *f
	flat.Nodes, flat.Ports = g.sides[d], g.ports[d]
	flat.Layout, flat.Radix, flat.Base = layout.Layout{}, 0, ""
	if f.Duplex && flat.Ports > 1 {
		flat.Layout = layout.Rails()
	}
	return flat
}

// origins lists one GPU of every line of a digit, of the lines whose places are representatives
// in the other digits, and 0 in the digits zero.
func (g *grid) origins(d int, reps [][]int, zero []int) []int {
	all := []int{0}
	for e := range g.sides {
		if e == d || slices.Contains(zero, e) {
			continue
		}
		var next []int
		for _, u := range all {
			for _, place := range reps[e] {
				next = append(next, g.move(u, e, place))
			}
		}
		all = next
	}
	return all
}

// agreeing lists the GPUs that have a given place in digit d and agree with GPU u in the fixed
// digits. They may be anywhere in the other digits. The list is ascending.
func (g *grid) agreeing(u, d, place int, fixed []int) []int {
	all := []int{g.move(u, d, place)}
	for e, side := range g.sides {
		if e == d || slices.Contains(fixed, e) {
			continue
		}
		var next []int
		for _, v := range all {
			for at := range side {
				next = append(next, g.move(v, e, at))
			}
		}
		all = next
	}
	slices.Sort(all)
	return all
}

// blocks lists the blocks, or pairs, that a block of a line's operation stands for if the line
// goes through GPU u.
func (v visit) blocks(g *grid, piece, u, block int) []int {
	if v.whole() {
		return []int{0} // the only block
	}
	d := g.digit(piece, v.turn)
	fixed := g.digits(piece, v.fixed)
	if v.op != collective.AllToAll {
		return g.agreeing(u, d, block, fixed)
	}
	var open []int
	for e := range g.sides {
		if !slices.Contains(fixed, e) {
			open = append(open, e)
		}
	}
	from := g.agreeing(u, d, block/g.sides[d], open)
	to := g.agreeing(u, d, block%g.sides[d], fixed)
	pairs := make([]int, 0, len(from)*len(to))
	for _, s := range from {
		for _, t := range to {
			pairs = append(pairs, s*g.nodes+t)
		}
	}
	return pairs
}

// rotations returns all translations of a line.
func rotations(side int) topology.Translations {
	return topology.Translations{Dims: []int{side}, Stride: []int{1}}
}

// group returns the product of groups of lines, and the representatives in each digit.
func (g *grid) group(of []topology.Translations) (group topology.Translations, reps [][]int) {
	reps = make([][]int, len(g.sides))
	for d, side := range g.sides {
		part := of[d]
		if part.Trivial() {
			part = topology.Translations{Dims: []int{side}, Stride: []int{side}}
		}
		for place := range side {
			if k, _ := part.Locate(place); k == 0 {
				reps[d] = append(reps[d], place)
			}
		}
		group.Dims, group.Stride = append(group.Dims, part.Dims...), append(group.Stride, part.Stride...)
	}
	if group.Trivial() {
		group = topology.Translations{}
	}
	return group, reps
}
