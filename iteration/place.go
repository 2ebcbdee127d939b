package iteration

import (
	"fmt"
	"slices"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/fabric/layout"
	"github.com/lightpath-net/lightpath/internal/arithmetic"
	"github.com/lightpath-net/lightpath/internal/each"
	"github.com/lightpath-net/lightpath/planner/sliced"
	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/units"
)

// place says where groups have circuits, and on which fabric each of them is.
type place struct {
	banks []int
	whole bool // circuits take all lanes of the banks
	key   groupKey
}

// groupKey identifies the fabric of one group.
type groupKey struct {
	nodes, ports, island int
	layout, fixed        string
}

// place finds where the groups of a work have circuits.
func (m *repertory) place(w *Work) (place, error) {
	p := place{key: groupKey{nodes: len(w.Groups[0]), island: m.inIsland(w), fixed: m.fixedOf(w.Groups)}}
	if err := p.plug(m, w.Groups); err != nil {
		return p, fmt.Errorf("the %v: %w", w, err)
	}
	return p, nil
}

// plug finds the banks in which the members of every group meet: all ports if they all meet on
// the same switches, those of a digit if they differ only in that digit, otherwise all
// together.
func (p *place) plug(m *repertory, groups [][]int) error {
	f := m.fabric
	switch {
	case f.Layout.IsZero():
		p.banks = []int{0}
		return nil
	case f.Layout.Parallel():
		p.banks, p.key.layout = []int{0}, f.Layout.String()
		return nil
	}
	if digit := m.digit(groups); digit >= 0 {
		p.banks, p.key.layout = []int{digit}, layout.Rails().String()
		return nil
	}
	p.whole = true
	p.banks = append(p.banks, arithmetic.UpTo(len(m.Lines.Banks))...)
	flat := f.Flat()
	for i, group := range groups {
		part, err := sliced.New(&flat, group)
		if err != nil {
			return err
		}
		if text := part.Fabric.Layout.String(); i == 0 {
			p.key.layout = text
		} else if text != p.key.layout {
			return fmt.Errorf("%w: groups of a kind are plugged in differently; another order of the ranks may help", ErrFabric)
		}
	}
	return nil
}

// digit returns the only digit of a grid in which the members of every group differ, or -1.
func (m *repertory) digit(groups [][]int) int {
	sides, _ := m.fabric.Layout.Grid(m.fabric.Ports)
	digit := -1
	for _, group := range groups {
		for _, r := range group[1:] {
			a, b := group[0], r
			for d := len(sides) - 1; d >= 0; d-- {
				if a%sides[d] != b%sides[d] {
					if digit >= 0 && digit != d {
						return -1
					}
					digit = d
				}
				a, b = a/sides[d], b/sides[d]
			}
		}
	}
	return digit
}

// lanes returns the most lanes of a bank that circuits of a place can take.
func (m *repertory) lanes(p *place) int { return len(m.Lines.Banks[p.banks[0]]) }

// portsOf returns how many ports the given number of lanes of every bank of a place has.
func (m *repertory) portsOf(p *place, lanes int) int {
	ports := 0
	for _, bank := range p.banks {
		of := m.Lines.Banks[bank]
		if !p.whole {
			of = of[:lanes]
		}
		ports += each.Sum(of, func(lane []int) int { return len(lane) })
	}
	return ports
}

// on returns the planner for a group.
func (m *repertory) on(k groupKey) (Plans, error) {
	if made, ok := m.plans[k]; ok {
		return made, nil
	}
	f, err := m.fabricOf(k)
	if err != nil {
		return nil, err
	}
	made := m.options.Plans(f)
	m.plans[k] = made
	return made, nil
}

// plansFor returns the planner for a work at a place.
func (m *repertory) plansFor(w *Work, at *place) (Plans, error) {
	plans, err := m.on(at.key)
	if err != nil || w.Skew == "" {
		return plans, err
	}
	return plans.Skewed(w.Skew), nil
}

// fabricOf returns the fabric of a group.
func (m *repertory) fabricOf(k groupKey) (fabric.Fabric, error) {
	f := *m.fabric
	f.Nodes, f.Ports, f.Base, f.Initial = k.nodes, k.ports, fabric.Default().Base, fabric.InitialFree
	f.Radix = 0
	f.Island.Size = k.island
	if k.island < 2 {
		f.Island = fabric.Island{}
	}
	var err error
	if f.Layout, err = layout.Parse(k.layout); err != nil {
		return f, err
	}
	f.Fixed.Links = m.links[k.fixed]
	if k.fixed == "" {
		f.Fixed = fabric.Fixed{}
	}
	return f, nil
}

// fixedOf returns the fixed links within each of the groups, "" if there are none or groups
// differ.
func (m *repertory) fixedOf(groups [][]int) string {
	f := m.fabric
	if f.Fixed.IsZero() {
		return ""
	}
	block := f.Fixed.Links.Block()
	size := block.Nodes()
	var first *topology.Graph
	for _, group := range groups {
		at := map[int]int{}
		for i, r := range group {
			at[r] = i
		}
		var edges []topology.Edge
		for i, r := range group {
			to, count := block.Row(r % size)
			for k, v := range to {
				if j, ok := at[r-r%size+int(v)]; ok {
					edges = append(edges, topology.Edge{From: i, To: j, Count: int(count[k])})
				}
			}
		}
		g := topology.New(len(group), "links", edges)
		switch {
		case len(edges) == 0:
			return ""
		case first == nil:
			first = g
		case !first.Equal(g):
			return ""
		}
	}
	text := topology.EdgesOf(first).String()
	if first.Nodes()%size == 0 && slices.Equal(groups[0], consecutive(groups[0][0]/size*size, first.Nodes())) {
		text = f.Fixed.Links.String()
		m.links[text] = f.Fixed.Links
	} else if _, ok := m.links[text]; !ok {
		m.links[text] = fabric.FixedOf(first)
	}
	return text
}

// Communication is what groups of a kind have in common: a collective of some sizes, on the
// fabric of one group, with all ports.
type Communication struct {
	Kind        string
	Op          collective.Op
	Fabric      fabric.Fabric
	Least, Most units.Bytes // range of its sizes
}

// Communications lists the collectives of a program, except those with a skew.
func Communications(p *Program, f *fabric.Fabric) ([]Communication, error) {
	if err := Supported(f); err != nil {
		return nil, err
	}
	m := &repertory{program: p, fabric: f, links: map[string]fabric.FixedLinks{}, Repertoire: &Repertoire{Lines: linesOn(f, len(p.Classes))}}
	type sort struct {
		kind string
		op   collective.Op
		key  groupKey
	}
	at := map[sort]int{}
	var list []Communication
	for i := range p.Works {
		w := &p.Works[i]
		if w.IsSend() || w.Skew != "" {
			continue
		}
		here, err := m.place(w)
		if err != nil {
			return nil, err
		}
		here.key.ports = m.portsOf(&here, m.lanes(&here))
		s := sort{w.Kind, w.Op, here.key}
		k, ok := at[s]
		if !ok {
			own, err := m.fabricOf(here.key)
			if err != nil {
				return nil, err
			}
			k = len(list)
			at[s], list = k, append(list, Communication{w.Kind, w.Op, own, w.Size, w.Size})
		}
		list[k].Least, list[k].Most = min(list[k].Least, w.Size), max(list[k].Most, w.Size)
	}
	return list, nil
}

// consecutive lists count ranks from the first.
func consecutive(first, count int) []int {
	return each.Below(count, func(i int) int { return first + i })
}

// canSetUp reports whether circuits between ranks can all be up on the ports of the given
// number of lanes of a place.
func (m *repertory) canSetUp(p *place, lanes int, edges []topology.Edge) bool {
	if m.fabric.Layout.IsZero() {
		return true
	}
	usable := make([]bool, m.fabric.Ports)
	for _, bank := range p.banks {
		for i, lane := range m.Lines.Banks[bank] {
			for _, port := range lane {
				usable[port] = p.whole || i < lanes
			}
		}
	}
	on := m.fabric.Plugging().Without(func(_, port, _ int) bool { return !usable[port] })
	return on.Check(topology.New(m.fabric.Nodes, "circuits", edges), m.fabric.Duplex) == nil
}
