package islands

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/lightpath-net/lightpath/flow/matching"
	"github.com/lightpath-net/lightpath/topology"
)

// circuits are those of a core, placed: the circuits of a node are the ports of its GPUs.
//
// The circuits of a core with k ports are k matchings (König), and a matching goes to one place of
// every island, at both ends. So each GPU has as many circuits as ports, and the plugging loses
// nothing. To keep a group of translations, matchings are found among its orbits: an orbit of
// circuits leaves every node of an orbit once and reaches every node of another once.
type circuits struct {
	core  *topology.Graph
	group topology.Translations // of the core
	graph *topology.Graph       // of the GPUs
	ends  [][]ends              // by bundle of the core, of each of its circuits
}

// ends are the places that a circuit leaves from and leads to.
type ends struct{ from, to int }

// place places the circuits of a core whose nodes are span places of islands of size GPUs with so
// many ports.
func place(core *topology.Graph, group topology.Translations, duplex bool, size, span, ports int) *circuits {
	c := &circuits{core: core, group: group, ends: make([][]ends, core.Bundles())}
	if duplex {
		c.twoWay(span, ports)
	} else {
		c.oneWay(ports)
	}
	for _, list := range c.ends {
		slices.SortFunc(list, func(a, b ends) int { return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.to, b.to)) })
	}
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
	return c
}

// oneWay colours the orbits of circuits: a colour is a port of every node, at both ends.
func (c *circuits) oneWay(ports int) {
	var pairs [][2]int
	var bundles []int // of each pair
	for e := range c.core.Edges() {
		if _, home := c.group.Locate(e.From); home != e.From {
			continue
		}
		_, to := c.group.Locate(e.To)
		for range e.Count {
			pairs = append(pairs, [2]int{e.From, to})
			bundles = append(bundles, c.core.Find(e.From, e.To))
		}
	}
	for colour, list := range matching.Divide(c.core.Nodes(), pairs) {
		for _, i := range list {
			c.ends[bundles[i]] = append(c.ends[bundles[i]], ends{colour / ports, colour / ports})
		}
	}
}

// twoWay gives every two-way circuit a port at either end, the same place at both where there
// is one. A circuit and its way back are one, and so are their orbits.
func (c *circuits) twoWay(span, ports int) {
	used := make([][]int, c.core.Nodes()) // ports of the places of the first node of an orbit
	take := func(node, wish int) int {
		_, home := c.group.Locate(node)
		if used[home] == nil {
			used[home] = make([]int, span)
		}
		if wish < 0 || used[home][wish] == ports {
			wish = slices.Index(used[home], slices.Min(used[home]))
		}
		used[home][wish]++
		return wish
	}
	for e := range c.core.Edges() {
		if _, home := c.group.Locate(e.From); home != e.From {
			continue
		}
		there, back := c.core.Find(e.From, e.To), c.home(e.To, e.From)
		for len(c.ends[there]) < e.Count {
			from := take(e.From, -1)
			if there == back { // one circuit takes either end to the other
				c.ends[there] = append(c.ends[there], ends{from, from})
				continue
			}
			to := take(e.To, from)
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

// of returns the ends of the circuits from one node of the core to another.
func (c *circuits) of(from, to int) []ends { return c.ends[c.home(from, to)] }
