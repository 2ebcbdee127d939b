package fixed

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/internal/arithmetic"
	"github.com/lightpath-net/lightpath/internal/each"
	"github.com/lightpath-net/lightpath/topology"
)

// mostGrids limits the tori that are tried, the most even first.
const mostGrids = 3

// fewGrids is that limit for more than mostNodes GPUs.
const fewGrids = 1

// grids lists the sides of the tori that the blocks of a fabric can form, if they are meshes.
func grids(f *fabric.Fabric) [][]int {
	e, err := topology.ParseExpr(f.Fixed.Links.String())
	if err != nil || e.Family != "Mesh" {
		return nil
	}
	var all [][]int
	blocks := f.Nodes / f.Fixed.Links.Block().Nodes()
	var fill func(sides []int, left int)
	fill = func(sides []int, left int) {
		i := len(sides)
		if i == len(e.Numbers) {
			if left == 1 {
				all = append(all, slices.Clone(sides))
			}
			return
		}
		for _, k := range arithmetic.Divisors(left) {
			fill(append(sides, k*e.Numbers[i]), left/k)
		}
	}
	fill(nil, blocks)
	slices.SortStableFunc(all, func(a, b []int) int {
		return cmp.Or(cmp.Compare(arithmetic.Sum(a), arithmetic.Sum(b)), cmp.Compare(slices.Max(a), slices.Max(b)))
	})
	if f.Nodes > mostNodes {
		return all[:min(len(all), fewGrids)]
	}
	return all[:min(len(all), mostGrids)]
}

// Faces lists the circuits that join the blocks of a fabric into tori, as far as failures leave
// them. They are for plans of some of its GPUs. There are none for more than mostNodes GPUs.
func Faces(f *fabric.Fabric) []*topology.Graph {
	if f.Fixed.IsZero() || f.Nodes > mostNodes {
		return nil
	}
	whole := *f
	whole.Avoid, whole.Spares = fabric.Failures{}, fabric.Spares{}
	var all []*topology.Graph
	for _, sides := range grids(f) {
		if n, ok := torus(&whole, sides); ok {
			all = append(all, left(f, n.circuits))
		}
	}
	return all
}

// torus returns the network of a torus with the given sides: the fixed links of the meshes, and
// circuits between their faces. A side of 2 has only one link, which is there already.
func torus(f *fabric.Fabric, sides []int) (Network, bool) {
	e, err := topology.ParseExpr(f.Fixed.Links.String())
	if err != nil {
		return Network{}, false
	}
	n := Network{Name: "torus", to: make([]int, f.Nodes), sides: sides, block: e.Numbers}
	for u := range n.to {
		n.to[u] = n.gpu(u)
	}
	whole := topology.Torus(sides...)
	block := f.Fixed.Links.Block()
	size := block.Nodes()
	var edges []topology.Edge
	for edge := range whole.Edges() {
		if u, v := n.to[edge.From], n.to[edge.To]; block.Count(u%size, v%size) == 0 || u/size != v/size {
			edges = append(edges, topology.Edge{From: u, To: v, Count: edge.Count})
		}
	}
	text := each.Of(sides, func(s int) string { return fmt.Sprint(s) })
	n.circuits = topology.New(f.Nodes, "faces of "+strings.Join(text, "x"), edges)
	if !f.Avoid.IsZero() {
		if f.Nodes > mostNodes {
			return n, false
		}
		return joined(f, n.Name, left(f, n.circuits))
	}
	n.Fabric = still(f, whole, whole.Name(), len(edges) > 0)
	if len(edges) == 0 {
		return n, false // that is the fixed links alone
	}
	return n, f.Fits(n.circuits) == nil
}

// twisted returns the network of a torus whose links around the shorter sides also lead half way
// along the longest ones, which shortens the paths along those. The same faces meet, so switches
// of faces can set up the circuits.
func twisted(f *fabric.Fabric, sides []int) (Network, bool) {
	if f.Nodes > mostNodes || slices.Min(sides) == slices.Max(sides) {
		return Network{}, false
	}
	intact := *f
	intact.Avoid, intact.Spares = fabric.Failures{}, fabric.Spares{}
	plain, ok := torus(&intact, sides)
	if !ok {
		return Network{}, false
	}
	for i, s := range sides {
		if s == slices.Max(sides) && s%(2*plain.block[i]) != 0 {
			return Network{}, false // half way is inside a block
		}
	}
	circuits := topology.New(f.Nodes, plain.circuits.Name()+" twisted", plain.twist(&intact))
	return joined(f, "twisted torus", left(f, circuits))
}

// twist lists the circuits of the twisted torus (see twisted).
func (n *Network) twist(f *fabric.Fabric) []topology.Edge {
	longest := slices.Max(n.sides)
	stride := make([]int, len(n.sides))
	step := 1
	for i := len(n.sides) - 1; i >= 0; i-- {
		stride[i], step = step, step*n.sides[i]
	}
	moved := func(u, side, by int) int {
		at := u / stride[side] % n.sides[side]
		return u + ((at+by)%n.sides[side]-at)*stride[side]
	}
	links := f.FixedGraph()
	var edges []topology.Edge
	for u := range f.Nodes {
		for side, s := range n.sides {
			v := moved(u, side, 1)
			if around := u/stride[side]%s == s-1; around && s < longest {
				for long, l := range n.sides {
					if l == longest {
						v = moved(v, long, l/2)
					}
				}
			}
			if from, to := n.to[u], n.to[v]; links.Count(from, to) == 0 {
				edges = append(edges, topology.Edge{From: from, To: to, Count: 1}, topology.Edge{From: to, To: from, Count: 1})
			}
		}
	}
	return edges
}

// gpu returns the GPU at a node of the torus: blocks are numbered like the nodes of a torus, and
// so are the GPUs within a block.
func (n *Network) gpu(node int) int {
	at := make([]int, len(n.sides))
	for i := len(n.sides) - 1; i >= 0; i-- {
		at[i] = node % n.sides[i]
		node /= n.sides[i]
	}
	block, inside := 0, 0
	for i, side := range n.sides {
		block = block*(side/n.block[i]) + at[i]/n.block[i]
		inside = inside*n.block[i] + at[i]%n.block[i]
	}
	size := 1
	for _, b := range n.block {
		size *= b
	}
	return block*size + inside
}

// regrouped returns the part of a step's group of nodes that maps blocks to blocks, and the same
// part as a group of GPUs.
func (n *Network) regrouped(group topology.Translations) (nodes, gpus topology.Translations) {
	if !slices.Equal(group.Dims, n.sides) {
		return topology.Translations{}, topology.Translations{}
	}
	size := 1
	for i, side := range n.sides {
		stride := n.block[i]
		for stride%group.Stride[i] != 0 && stride < side {
			stride += n.block[i]
		}
		if side%stride != 0 {
			stride = side
		}
		nodes.Dims, nodes.Stride = append(nodes.Dims, side), append(nodes.Stride, stride)
		gpus.Dims, gpus.Stride = append(gpus.Dims, side/n.block[i]), append(gpus.Stride, stride/n.block[i])
		size *= n.block[i]
	}
	gpus.Dims, gpus.Stride = append(gpus.Dims, size), append(gpus.Stride, size)
	if nodes.Trivial() {
		return topology.Translations{}, topology.Translations{}
	}
	return nodes, gpus
}
