package fabric

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/lightpath-net/lightpath/field"
	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/units"
)

// BaseTopology returns the topology that static plans use and that Light Bends returns to. It
// is Base if that is set. Otherwise it depends on the number of ports: a directed ring at 1, a
// two-way ring at 2, a complete graph if the ports suffice for one, else a torus at 4 and 6
// (with two circuits along a side of 2), and a circulant in all other cases and if n has no
// torus. If the switches cannot set that up, it is the same within each group of switches that
// have the same GPUs: a product of rings if the layout is a grid.
func (f *Fabric) BaseTopology() (*topology.Graph, error) {
	if f.Base != "" {
		return f.parse("base", f.Base)
	}
	g := f.Without(f.defaultBase())
	if err := f.Fits(g); err != nil {
		if f.Restricts() {
			return f.layoutBase()
		}
		return nil, field.Errorf("base", "a duplex fabric with %s holds only matchings, no connected topology of %d nodes; use 2 ports or more",
			units.Count(f.Ports, "port"), f.Nodes)
	}
	return g, nil
}

// defaultBase returns the default base for the port count, among the GPUs that are left.
func (f *Fabric) defaultBase() *topology.Graph {
	alive := f.Alive()
	if alive == nil {
		return defaultBase(f.Nodes, f.Ports, f.Duplex)
	}
	small := defaultBase(len(alive), f.Ports, f.Duplex)
	edges := make([]topology.Edge, 0, small.Bundles())
	for e := range small.Edges() {
		edges = append(edges, topology.Edge{From: alive[e.From], To: alive[e.To], Count: e.Count})
	}
	return topology.New(f.Nodes, small.Name()+" of the remaining GPUs", edges)
}

func defaultBase(n, ports int, duplex bool) *topology.Graph {
	switch {
	case ports == 1:
		return topology.DirectedCirculant(n, 1)
	case ports == 2 && n > 2:
		return topology.Circulant(n, 1)
	case ports >= n-1:
		return topology.Complete(n)
	case ports == 4 || ports == 6:
		if sides := TorusSides(n, ports/2); sides != nil {
			return wrapped(sides)
		}
	}
	if ports%2 == 0 || duplex {
		return spreadRing(n, ports)
	}
	return topology.DirectedCirculant(n, spread(n, ports, n-1)...)
}

// wrapped returns the torus with the given sides and all of its ports in use. Along a side of 2
// both directions lead to the same neighbour, so there are two circuits, where topology.Torus
// has one.
func wrapped(sides []int) *topology.Graph {
	if !slices.Contains(sides, 2) {
		return topology.Torus(sides...)
	}
	rings := make([]string, len(sides))
	for i, side := range sides {
		rings[i] = fmt.Sprintf("Ring(%d)", side)
		if side == 2 {
			rings[i] = "BiRing(2,2)"
		}
	}
	name := fmt.Sprintf("Product(%s)", strings.Join(rings, ","))
	if e, err := topology.ParseExpr(name); err == nil {
		if g, err := e.Build(); err == nil {
			return g
		}
	}
	return topology.Torus(sides...)
}

// spreadRing returns a two-way circulant with the given number of ports.
func spreadRing(n, ports int) *topology.Graph {
	return topology.Circulant(n, spread(n, ports/2, (n-1)/2)...)
}

// Relative returns a topology with as many ports as the default base in which GPUs are closer
// together, if the base is a torus with a side of 2; else nil.
func (f *Fabric) Relative() *topology.Graph {
	if f.Base != "" || f.Alive() != nil || f.Ports != 4 && f.Ports != 6 || f.Ports >= f.Nodes-1 {
		return nil
	}
	if sides := TorusSides(f.Nodes, f.Ports/2); slices.Contains(sides, 2) {
		return spreadRing(f.Nodes, f.Ports)
	}
	return nil
}

// TorusSides returns the most even way to write n as a product of dims sides of at
// least 2, ascending, or nil if there is none.
func TorusSides(n, dims int) []int {
	var best []int
	var search func(rest, from int, sides []int)
	search = func(rest, from int, sides []int) {
		if len(sides) == dims-1 {
			if rest < from {
				return
			}
			if all := append(slices.Clone(sides), rest); best == nil || rest < best[dims-1] {
				best = all
			}
			return
		}
		for side := from; side*side <= rest; side++ {
			if rest%side == 0 {
				search(rest/side, side, append(sides, side))
			}
		}
	}
	search(n, 2, nil)
	return best
}

// spread picks k distinct jumps in 1..most that grow geometrically, so that the distances
// between nodes are of the order of k*n^(1/k).
func spread(n, k, most int) []int {
	k = min(k, most)
	jumps := make([]int, 0, k)
	for i := range k {
		jump := int(math.Round(math.Pow(float64(n), float64(i)/float64(k))))
		if i > 0 {
			jump = max(jump, jumps[i-1]+1)
		}
		jumps = append(jumps, jump)
	}
	// Rounding may push the last ones past the end: move them down, keeping order.
	for i := k - 1; i >= 0; i-- {
		jumps[i] = min(jumps[i], most-(k-1-i))
	}
	return jumps
}
