package islands

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/flow/matching"
	"github.com/lightpath-net/lightpath/topology"
)

// circuits are the circuits of a core, placed on GPUs: a node's circuits use the ports of its
// GPUs.
//
// The circuits of a core with k ports are k matchings (König), and a matching is assigned to one
// place of every island, at both ends. So each GPU has as many circuits as ports, and placing
// them loses nothing. To preserve a group of translations, matchings are found among its orbits:
// an orbit of circuits leaves every node of one orbit once and reaches every node of another
// once.
type circuits struct {
	core   *topology.Graph
	group  topology.Translations // of the core
	graph  *topology.Graph       // of the GPUs
	ends   [][]ends              // by bundle of the core and circuit of the bundle
	uneven *uneven               // set if islands differ
	free   []int                 // by place: the ports to use; nil: all
}

// ends are the places at the two ends of a circuit.
type ends struct{ from, to int }

// place places the circuits of a core whose nodes are some places of islands. Circuits of a digit
// take the GPUs' ports of that digit.
func (c Core) place(core *topology.Graph, group topology.Translations, f *fabric.Fabric) *circuits {
	made := &circuits{core: core, group: group, ends: make([][]ends, core.Bundles())}
	kinds := &digits{sides: []int{core.Nodes()}, ports: []int{f.Ports}}
	if c.digits != nil {
		kinds = c.digits
	}
	made.free = c.free
	if f.Duplex {
		made.twoWay(c.Span, kinds)
	} else {
		made.oneWay(kinds)
	}
	made.build(f.Island.Size, c.Span)
	return made
}

// build makes the graph of the GPUs, for islands of size GPUs and nodes of span places.
func (c *circuits) build(size, span int) {
	for _, list := range c.ends {
		slices.SortFunc(list, func(a, b ends) int { return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.to, b.to)) })
	}
	core := c.core
	var edges []topology.Edge
	for e := range core.Edges() {
		list := c.of(e.From, e.To)
		for i := 0; i < len(list); {
			same := i
			for same < len(list) && list[same] == list[i] {
				same++
			}
			for first := 0; first < size; first += span {
				from, to := e.From*size+first+list[i].from, e.To*size+first+list[i].to
				edges = append(edges, topology.Edge{From: from, To: to, Count: same - i})
			}
			i = same
		}
	}
	name := fmt.Sprintf("%s of islands", core.Name())
	if span == 1 {
		name = fmt.Sprintf("%dx%s@%d", size, core.Name(), size)
	}
	c.graph = topology.New(core.Nodes()*size, name, edges)
}

// oneWay colours the orbits of circuits, digit by digit. A colour stands for one port of every
// node, at both ends of circuits.
func (c *circuits) oneWay(kinds *digits) {
	pairs := make([][][2]int, len(kinds.sides))
	bundles := make([][]int, len(kinds.sides)) // of each pair
	for e := range c.core.Edges() {
		if _, home := c.group.Locate(e.From); home != e.From {
			continue
		}
		_, to := c.group.Locate(e.To)
		d := kinds.of(e.From, e.To)
		for range e.Count {
			pairs[d] = append(pairs[d], [2]int{e.From, to})
			bundles[d] = append(bundles[d], c.core.Find(e.From, e.To))
		}
	}
	for d, ports := range kinds.ports {
		for colour, list := range matching.Divide(c.core.Nodes(), pairs[d]) {
			place := c.placeOf(colour, ports)
			for _, i := range list {
				at := &c.ends[bundles[d][i]]
				*at = append(*at, ends{place, place})
			}
		}
	}
}

// placeOf returns the place of a port if each place has the given number of ports.
func (c *circuits) placeOf(port, ports int) int {
	if c.free == nil {
		return port / ports
	}
	for place, free := range c.free {
		if port -= free; port < 0 {
			return place
		}
	}
	panic("islands: more circuits than ports")
}

// twoWay gives every two-way circuit a port at either end, at the same place of both if one is
// free. The two directions are one circuit, and their orbits are one, too.
func (c *circuits) twoWay(span int, kinds *digits) {
	used := map[[2]int][]int{} // ports in use, by home node and digit, then by place
	take := func(node, d, wish int) int {
		_, home := c.group.Locate(node)
		key := [2]int{home, d}
		if used[key] == nil {
			used[key] = make([]int, span)
			for place, free := range c.free {
				used[key][place] = kinds.ports[d] - free
			}
		}
		if wish < 0 || used[key][wish] == kinds.ports[d] {
			wish = slices.Index(used[key], slices.Min(used[key]))
		}
		used[key][wish]++
		return wish
	}
	for e := range c.core.Edges() {
		if _, home := c.group.Locate(e.From); home != e.From {
			continue
		}
		there, back := c.core.Find(e.From, e.To), c.home(e.To, e.From)
		d := kinds.of(e.From, e.To)
		for len(c.ends[there]) < e.Count {
			from := take(e.From, d, -1)
			if there == back { // one circuit maps either end to the other
				c.ends[there] = append(c.ends[there], ends{from, from})
				continue
			}
			to := take(e.To, d, from)
			c.ends[there] = append(c.ends[there], ends{from, to})
			c.ends[back] = append(c.ends[back], ends{to, from})
		}
	}
}

// home returns the bundle of the core that stands for the circuits between two nodes.
func (c *circuits) home(from, to int) int {
	k, home := c.group.Locate(from)
	return c.core.Find(home, c.group.Back(k, to))
}

// own returns the range of places of the GPU that has the given place of a node.
func (c *circuits) own(node, place int) (from, to int) {
	if c.uneven == nil {
		return place, place + 1
	}
	return c.uneven.own(node, place)
}

// crossing divides shares over the circuits between two nodes.
func (c *circuits) crossing(span, from, to int) [][]part {
	return crossing(span, c.of(from, to), func(place int) (int, int) { return c.own(from, place) })
}

// of returns the ends of the circuits from one node of the core to another.
func (c *circuits) of(from, to int) []ends { return c.ends[c.home(from, to)] }
