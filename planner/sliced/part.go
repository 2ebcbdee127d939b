package sliced

import (
	"fmt"
	"slices"

	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/fabric/layout"
	"github.com/lightpath-net/lightpath/internal/arithmetic"
	"github.com/lightpath-net/lightpath/topology"
)

// Part is a small fabric made of some GPUs of another fabric.
type Part struct {
	Fabric fabric.Fabric
	// GPUs are the nodes' numbers in the whole fabric, and Ranks their ranks among the members of
	// the operation. Node 0 has rank 0 and is the root of rooted operations.
	GPUs, Ranks []int
}

// New returns the fabric of the given GPUs, which are listed by rank; an error says why there is
// none. Nodes that share an island have consecutive numbers. If the slice has different numbers
// of GPUs in different islands, the islands of the small fabric have the greatest common divisor
// of these numbers. A larger island then counts as several, and plans do not exploit that these
// are one.
func New(f *fabric.Fabric, members []int) (*Part, error) {
	if !f.Links.IsZero() {
		return nil, fmt.Errorf("circuits differ")
	}
	p := &Part{Fabric: *f}
	p.arrange(f, members)
	small := &p.Fabric
	small.Nodes, small.Base, small.Avoid, small.Spares = len(members), "", fabric.Failures{}, fabric.Spares{}
	p.link(f)
	small.Island.Size = p.islands(f)
	if small.Island.Size < 2 {
		small.Island = fabric.Island{}
	}
	if small.Initial != fabric.InitialFree {
		small.Initial = fabric.InitialDark // other circuits are up than on the small fabric
	}
	if err := p.plug(f); err != nil {
		return nil, err
	}
	return p, small.Validate()
}

// arrange orders the members by island, and the islands by their first members.
func (p *Part) arrange(f *fabric.Fabric, members []int) {
	byIsland, order := map[int][]int{}, []int(nil)
	for rank, u := range members {
		island := -1 - rank // an island of its own
		if f.InIsland(u) {
			island = u / f.Island.Size
		}
		if byIsland[island] == nil {
			order = append(order, island)
		}
		byIsland[island] = append(byIsland[island], rank)
	}
	for _, island := range order {
		for _, rank := range byIsland[island] {
			p.GPUs, p.Ranks = append(p.GPUs, members[rank]), append(p.Ranks, rank)
		}
	}
}

// islands returns the greatest common divisor of the slice's numbers of GPUs in its islands.
func (p *Part) islands(f *fabric.Fabric) int {
	size, from := 0, 0
	for i := range p.GPUs {
		if i+1 == len(p.GPUs) || !f.SameIsland(p.GPUs[i], p.GPUs[i+1]) {
			size = int(arithmetic.GCD(int64(size), int64(i+1-from)))
			from = i + 1
		}
	}
	return size
}

// link gives the small fabric the fixed links between its GPUs. It keeps them as blocks if the
// slice consists of whole blocks in their order.
func (p *Part) link(f *fabric.Fabric) {
	links := f.FixedGraph()
	if links == nil {
		return
	}
	size, whole := f.Fixed.Links.Block().Nodes(), len(f.Avoid.Links()) == 0
	for i, u := range p.GPUs {
		whole = whole && u%size == i%size && u-u%size == p.GPUs[i-i%size]
	}
	if whole && len(p.GPUs)%size == 0 {
		return
	}
	here := p.within(links)
	if here.Circuits() == 0 {
		p.Fabric.Fixed = fabric.Fixed{}
		return
	}
	p.Fabric.Fixed.Links = fabric.FixedOf(here)
}

// Base formats the circuits of g, on the whole fabric, that join GPUs of the small one, for use
// as its base; "": there are none.
func (p *Part) Base(g *topology.Graph) string {
	here := p.within(g)
	if here.Circuits() == 0 {
		return ""
	}
	return topology.EdgesOf(here).String()
}

// within returns the part of a graph on the whole fabric that joins GPUs of the small one.
func (p *Part) within(g *topology.Graph) *topology.Graph {
	node := make([]int, g.Nodes())
	for i, u := range p.GPUs {
		node[u] = i + 1
	}
	var edges []topology.Edge
	for e := range g.Edges() {
		if u, v := node[e.From], node[e.To]; u > 0 && v > 0 {
			edges = append(edges, topology.Edge{From: u - 1, To: v - 1, Count: e.Count})
		}
	}
	return topology.New(len(p.GPUs), "", edges)
}

// plug gives the small fabric the remaining ports and their switches.
func (p *Part) plug(f *fabric.Fabric) error {
	var lost []fabric.Failures
	for i, u := range p.GPUs {
		for j, v := range p.GPUs {
			if i != j && f.Avoid.Link(u, v) {
				lost = append(lost, fabric.FailedLink(i, j, false))
			}
		}
		for port := range f.Ports {
			switch {
			case f.Layout.IsZero() && f.Avoid.Port(u, port, f.AllPorts()):
				lost = append(lost, fabric.FailedPort(i))
			case !f.Layout.IsZero() && f.Lost(u, port):
				lost = append(lost, fabric.FailedPortAt(i, port))
			}
		}
	}
	p.Fabric.Avoid = fabric.Failures{}.And(lost...)
	if f.Layout.Parallel() { // rails of a subset of GPUs are rails
		return nil
	}
	var err error
	p.Fabric.Layout, err = p.layout(f)
	return err
}

// layout returns the layout of the GPUs: a grid if they form a grid within the grid, otherwise a
// table.
func (p *Part) layout(f *fabric.Fabric) (layout.Layout, error) {
	if sides, share := f.Layout.Grid(f.AllPorts()); sides != nil {
		if kept := p.subgrid(sides); kept != nil && !slices.Contains(kept, 1) {
			return layout.Grid(kept, share)
		}
	}
	plugged, number := f.Plugging(), map[int]int{}
	var rows [][]int
	for _, u := range p.GPUs {
		row := make([]int, f.Ports)
		for port := range row {
			row[port] = -1
			if s := plugged.Switch(u, port); s >= 0 {
				if _, known := number[s]; !known {
					number[s] = len(number)
				}
				row[port] = number[s]
			}
		}
		rows = append(rows, row)
	}
	return layout.Table(rows)
}

// subgrid returns the sides of the grid that the GPUs form, in their order, within a grid with
// the given sides; nil if they form none.
func (p *Part) subgrid(sides []int) []int {
	digits := make([][]int, len(sides)) // the values of each digit that occur
	for _, u := range p.GPUs {
		for d := len(sides) - 1; d >= 0; d-- {
			if digit := u % sides[d]; !slices.Contains(digits[d], digit) {
				digits[d] = append(digits[d], digit)
			}
			u /= sides[d]
		}
	}
	count := 1
	kept := make([]int, len(sides))
	for d := range digits {
		kept[d] = len(digits[d])
		count *= kept[d]
	}
	if count != len(p.GPUs) {
		return nil
	}
	for i, u := range p.GPUs {
		at := 0
		for rest, d := i, len(sides)-1; d >= 0; d-- {
			weight := 1
			for _, side := range sides[d+1:] {
				weight *= side
			}
			at += digits[d][rest%kept[d]] * weight
			rest /= kept[d]
		}
		if at != u {
			return nil
		}
	}
	return kept
}
