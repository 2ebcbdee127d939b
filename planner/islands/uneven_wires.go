package islands

import (
	"fmt"
	"slices"

	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/fabric/layout"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/topology"
)

// wire is a circuit between two nodes of a core, with the index of the GPU at either end.
type wire struct{ from, to, i, j int }

// wiring places the circuits of a core on islands that differ.
type wiring struct {
	*uneven
	fabric *fabric.Fabric
	rows   [][]plugged
}

func (x *uneven) wiring(f *fabric.Fabric) *wiring { return &wiring{x, f, x.rows(f)} }

// place places circuits as on equal islands, with circuits that lack a port moved to another GPU
// of the island. If that fails, it assigns circuits to ports.
func (w *wiring) place(core *topology.Graph, like *circuits) (*circuits, error) {
	if !w.fabric.Duplex {
		if list := w.moved(like); list != nil && w.fits(list) == nil {
			return w.circuits(core, list), nil
		}
	}
	list, err := w.assign(core)
	if err == nil {
		err = w.fits(list)
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", planner.ErrInfeasible, err)
	}
	return w.circuits(core, list), nil
}

// moved returns the circuits with those that lack a port moved to other GPUs of the same node;
// nil: there are too few ports.
func (w *wiring) moved(like *circuits) []wire {
	var room [2][][]int // by direction, node and GPU: ports left
	for side := range room {
		room[side] = make([][]int, len(w.rows))
		for h, row := range w.rows {
			room[side][h] = make([]int, len(w.gpus[h]))
			for _, port := range row {
				room[side][h][port.gpu]++
			}
		}
	}
	var list []wire
	for e := range like.core.Edges() {
		for _, at := range like.of(e.From, e.To) {
			list = append(list, wire{e.From, e.To, at.from, at.to})
		}
	}
	late := []int{} // circuits with an end to be moved
	for k := range list {
		c := &list[k]
		for side, end := range []*int{&c.i, &c.j} {
			left := room[side][[]int{c.from, c.to}[side]]
			if *end < len(left) && left[*end] > 0 {
				left[*end]--
			} else {
				*end = -1
				late = append(late, k)
			}
		}
	}
	for _, k := range late {
		c := &list[k]
		for side, end := range []*int{&c.i, &c.j} {
			if left := room[side][[]int{c.from, c.to}[side]]; *end < 0 {
				if *end = slices.IndexFunc(left, func(ports int) bool { return ports > 0 }); *end < 0 {
					return nil
				}
				left[*end]--
			}
		}
	}
	w.avoidLinks(list)
	return list
}

// avoidLinks lets circuits that would use failed links exchange their source GPUs with other
// circuits of the node.
func (w *wiring) avoidLinks(list []wire) {
	if len(w.fabric.Avoid.Links()) == 0 {
		return
	}
	failed := func(from, i, to, j int) bool {
		u, v := w.gpus[from][i], w.gpus[to][j]
		return w.fabric.Avoid.Link(u, v) || w.fabric.Duplex && w.fabric.Avoid.Link(v, u)
	}
	for k := range list {
		c := &list[k]
		if !failed(c.from, c.i, c.to, c.j) {
			continue
		}
		for o := range list {
			other := &list[o]
			if other.from == c.from && !failed(c.from, other.i, c.to, c.j) && !failed(c.from, c.i, other.to, other.j) {
				c.i, other.i = other.i, c.i
				break
			}
		}
	}
}

// assign gives every circuit ports on a switch.
func (w *wiring) assign(core *topology.Graph) ([]wire, error) {
	switches, most := make([][]int, len(w.rows)), 0
	for h, row := range w.rows {
		for _, port := range row {
			switches[h] = append(switches[h], port.onSwitch)
		}
		most = max(most, len(row))
		if len(row) == 0 {
			switches[h] = []int{-1}
		}
	}
	table, err := layout.Table(switches)
	if err != nil {
		return nil, err
	}
	p, err := table.Plug(len(w.rows), most)
	if err != nil {
		return nil, err
	}
	made, err := p.Assign(core, w.fabric.Duplex)
	if err != nil {
		return nil, err
	}
	var list []wire
	for _, c := range made {
		list = append(list, wire{c.From, c.To, w.rows[c.From][c.FromPort].gpu, w.rows[c.To][c.ToPort].gpu})
	}
	w.avoidLinks(list)
	return list, nil
}

// fits returns why the fabric cannot set up the circuits, or nil.
func (w *wiring) fits(list []wire) error {
	var edges []topology.Edge
	for _, c := range list {
		u, v := w.gpus[c.from][c.i], w.gpus[c.to][c.j]
		edges = append(edges, topology.Edge{From: u, To: v, Count: 1})
		if w.fabric.Duplex {
			edges = append(edges, topology.Edge{From: v, To: u, Count: 1})
		}
	}
	return w.fabric.Fits(topology.New(w.fabric.Nodes, "", edges))
}

// circuits returns circuits between the first places of GPUs.
func (w *wiring) circuits(core *topology.Graph, list []wire) *circuits {
	c := &circuits{core: core, ends: make([][]ends, core.Bundles()), uneven: w.uneven}
	for _, x := range list {
		at := ends{w.first[x.from][x.i], w.first[x.to][x.j]}
		there := core.Find(x.from, x.to)
		c.ends[there] = append(c.ends[there], at)
		if w.fabric.Duplex {
			back := core.Find(x.to, x.from)
			c.ends[back] = append(c.ends[back], ends{at.to, at.from})
		}
	}
	c.build(w.places, w.places)
	return c
}
