package mended

import (
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/topology"
)

// Graph returns a topology without what has failed, nil where it finds none. At a GPU that has lost
// a port, one circuit to it and one from it become a circuit that passes it by, so that every other
// GPU keeps its ports; a circuit that has failed exchanges its ends with another. Which circuits
// pass by is for the caller to choose: of those that lead to a GPU and those that leave it, in the
// order of Graph.Edges, choose returns the places of two, given their other ends.
func Graph(f *fabric.Fabric, g *topology.Graph, choose func(u int, from, to []int) (i, j int)) *topology.Graph {
	c := newCircuits(f, g)
	c.passBy(choose)
	if !c.exchangeEnds() {
		return nil
	}
	if !c.changed {
		if f.Restricts() && f.Fits(g) != nil {
			return nil
		}
		return g
	}
	if other := c.graph(g.Name() + " around failures"); f.Fits(other) == nil {
		return other
	}
	return nil
}

// circuits is a graph whose ends change: of two-way circuits one direction, from the smaller GPU.
type circuits struct {
	f       *fabric.Fabric
	list    [][2]int
	changed bool
}

func newCircuits(f *fabric.Fabric, g *topology.Graph) *circuits {
	c := &circuits{f: f}
	for e := range g.Edges() {
		if f.Duplex && e.From > e.To {
			continue
		}
		for range e.Count {
			c.list = append(c.list, [2]int{e.From, e.To})
		}
	}
	return c
}

// failed reports whether there can be no such circuit.
func (c *circuits) failed(u, v int) bool {
	return u == v || c.f.Avoid.Link(u, v) || c.f.Duplex && c.f.Avoid.Link(v, u)
}

// at lists the circuits of a GPU that lead to it or that leave it, and their other ends; two-way
// ones do both.
func (c *circuits) at(u int, leave bool) (which, ends []int) {
	for i, e := range c.list {
		switch {
		case e[0] == u && (leave || c.f.Duplex):
			which, ends = append(which, i), append(ends, e[1])
		case e[1] == u && (!leave || c.f.Duplex):
			which, ends = append(which, i), append(ends, e[0])
		}
	}
	return which, ends
}

// remove takes one or two circuits out.
func (c *circuits) remove(i, j int) {
	c.changed = true
	if i < j {
		i, j = j, i
	}
	c.list = append(c.list[:i], c.list[i+1:]...)
	if i != j {
		c.list = append(c.list[:j], c.list[j+1:]...)
	}
}

// passBy takes circuits from every GPU that has too many, and joins what they came from with what
// they led to. A two-way circuit that is one too many leaves a port unused where it ends.
func (c *circuits) passBy(choose func(u int, from, to []int) (i, j int)) {
	left := c.f.Surviving()
	for u := range c.f.Nodes {
		ports, lost := left[u]
		for lost {
			in, from := c.at(u, false)
			out, to := c.at(u, true)
			if len(out) <= ports && len(in) <= ports {
				break
			}
			i, j := 0, 0
			if len(in) > 0 && len(out) > 0 {
				i, j = choose(u, from, to)
			}
			switch {
			case len(in) <= ports:
				c.remove(out[j], out[j])
			case len(out) <= ports || c.f.Duplex && (i == j || len(out) == ports+1):
				c.remove(in[i], in[i])
			default:
				c.remove(in[i], out[j])
				if from[i] != to[j] {
					c.list = append(c.list, [2]int{from[i], to[j]})
				}
			}
		}
	}
}

// stride is which circuit after one that has failed is the first to exchange ends with.
const stride = 7

// exchangeEnds lets circuits that have failed exchange their ends with others, and reports whether
// none is left.
func (c *circuits) exchangeEnds() bool {
	have := map[[2]int]bool{}
	for _, e := range c.list {
		have[e] = true
	}
	for i, e := range c.list {
		if !c.failed(e[0], e[1]) {
			continue
		}
		found := false
		for _, twice := range []bool{false, true} { // rather not two circuits between the same GPUs
			for k := 1; k <= len(c.list) && !found; k++ {
				j := (i + k*stride) % len(c.list)
				o := c.list[j]
				a, b := [2]int{e[0], o[1]}, [2]int{o[0], e[1]}
				if j == i || c.failed(a[0], a[1]) || c.failed(b[0], b[1]) || !twice && (have[a] || have[b]) {
					continue
				}
				c.list[i], c.list[j] = a, b
				have[a], have[b] = true, true
				found, c.changed = true, true
			}
		}
		if !found {
			return false
		}
	}
	return true
}

// graph returns the circuits as a topology.
func (c *circuits) graph(name string) *topology.Graph {
	var edges []topology.Edge
	for _, e := range c.list {
		edges = append(edges, topology.Edge{From: e[0], To: e[1], Count: 1})
		if c.f.Duplex {
			edges = append(edges, topology.Edge{From: e[1], To: e[0], Count: 1})
		}
	}
	return topology.New(c.f.Nodes, name, edges)
}
