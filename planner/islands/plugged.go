package islands

import (
	"fmt"
	"slices"

	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/fabric/layout"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/topology"
)

// digits are the digits of a grid in which islands differ. The switches of such a digit join GPUs
// at the same place of islands that differ in it. So islands, or some places of them, are nodes
// of a grid with these digits.
type digits struct {
	sides []int
	ports []int // of a GPU, by digit
}

// outside returns the digits of a grid in which islands differ; nil for other layouts, and if
// islands are not blocks of the grid. Islands may divide a digit: on an 8x2 grid, an island of 4
// has two values of the first digit, and the four islands are the nodes of a line.
func outside(f *fabric.Fabric) *digits {
	sides, share := f.Layout.Grid(f.AllPorts())
	if places := f.Layout.Places(); places > 0 { // a grid with no port in the last digit
		sides, share = []int{f.Nodes / places, places}, []int{f.AllPorts(), 0}
	}
	if share == nil || f.Ports < f.AllPorts() {
		return nil
	}
	inside := f.Island.Size // places that the digits so far do not distinguish
	for d := len(sides) - 1; d >= 0 && inside > 1; d-- {
		switch {
		case inside%sides[d] == 0:
			inside /= sides[d]
			sides, share = sides[:d], share[:d]
		case sides[d]%inside == 0:
			sides[d] /= inside
			inside = 1
		default:
			return nil
		}
	}
	if len(sides) == 0 || share[len(share)-1] == 0 {
		return nil
	}
	return &digits{sides, share}
}

// plug sets the switches of a core whose nodes have span GPUs.
func (d *digits) plug(core *fabric.Fabric, span int) error {
	share := slices.Clone(d.ports)
	core.Ports = 0
	for i := range share {
		share[i] *= span
		core.Ports += share[i]
	}
	var err error
	switch {
	case len(share) > 1:
		core.Layout, err = layout.Grid(d.sides, share)
	case core.Duplex && core.Ports > 1: // each port has its own switch, even with several GPUs
		core.Layout = layout.Rails()
	}
	return err
}

// of returns the digit in which two nodes differ.
func (d *digits) of(from, to int) int {
	for i := len(d.sides) - 1; i > 0; i-- {
		side := d.sides[i]
		if from%side != to%side {
			return i
		}
		from, to = from/side, to/side
	}
	return 0
}

// mostPlugged is the number of nodes up to which cores are cabled port by port.
const mostPlugged = 1 << 6

// table returns the core of whole islands, with ports cabled as those of their GPUs.
func table(f *fabric.Fabric) (fabric.Fabric, error) {
	made := core(*f, f.Island.Size)
	p := f.Plugging()
	if p == nil || f.Ports < f.AllPorts() || made.Nodes > mostPlugged {
		return made, fmt.Errorf("%w: no switches, or too many islands", planner.ErrInfeasible)
	}
	rows := make([][]int, made.Nodes)
	for u := range f.Nodes {
		for port := range f.Ports {
			s := p.Switch(u, port)
			if f.Lost(u, port) {
				s = -1
			}
			rows[u/f.Island.Size] = append(rows[u/f.Island.Size], s)
		}
	}
	var err error
	made.Layout, err = layout.Table(rows)
	return made, err
}

// assigned places the circuits of a core of whole islands by assigning them to the ports of GPUs,
// without regard to symmetry.
func assigned(core *topology.Graph, f *fabric.Fabric) (*circuits, error) {
	ports, err := table(f)
	if err != nil {
		return nil, err
	}
	p, err := ports.Layout.Plug(ports.Nodes, ports.Ports)
	if err != nil {
		return nil, err
	}
	list, err := p.Assign(core, f.Duplex)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", planner.ErrInfeasible, err)
	}
	c := &circuits{core: core, ends: make([][]ends, core.Bundles())}
	for _, x := range list {
		at := ends{x.FromPort / f.Ports, x.ToPort / f.Ports}
		there := core.Find(x.From, x.To)
		c.ends[there] = append(c.ends[there], at)
		if f.Duplex && x.From != x.To {
			back := core.Find(x.To, x.From)
			c.ends[back] = append(c.ends[back], ends{at.to, at.from})
		}
	}
	c.build(f.Island.Size, f.Island.Size)
	return c, nil
}
