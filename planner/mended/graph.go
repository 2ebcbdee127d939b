package mended

import (
	"maps"
	"slices"

	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/internal/each"
	"github.com/lightpath-net/lightpath/topology"
)

// Graph returns a topology without the failed parts, or nil if it finds none. The neighbours of a
// GPU that takes no part are joined with one another. At a GPU that has lost a port, one circuit
// to it and one from it become a circuit that bypasses it, so that every other GPU keeps its
// ports. A failed circuit exchanges its ends with another. The caller chooses which circuits
// bypass a GPU: choose gets the other ends of the circuits to the GPU and from it, in the order
// of Graph.Edges, and returns the index of one of each.
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

// circuits is a graph whose circuits change their ends. Two-way circuits are listed once, from
// the smaller GPU.
type circuits struct {
	f       *fabric.Fabric
	meet    func(u, v int) int // where circuits can be (fabric.Fabric.Meet); nil: anywhere
	list    [][2]int
	changed bool
}

func newCircuits(f *fabric.Fabric, g *topology.Graph) *circuits {
	c := &circuits{f: f, meet: f.Meet()}
	cut := map[int][2][]int{} // by GPU that takes no part: where circuits came from and led to
	for e := range g.Edges() {
		if f.Duplex && e.From > e.To {
			continue
		}
		for range e.Count {
			switch {
			case f.Avoid.GPU(e.From) && f.Avoid.GPU(e.To):
				c.changed = true
			case f.Avoid.GPU(e.From):
				ends := cut[e.From]
				ends[1] = append(ends[1], e.To)
				cut[e.From] = ends
			case f.Avoid.GPU(e.To):
				ends := cut[e.To]
				ends[0] = append(ends[0], e.From)
				cut[e.To] = ends
			case c.meet != nil && c.meet(e.From, e.To) < 0:
				c.changed = true // its switch, or its port there, has failed
			default:
				c.list = append(c.list, [2]int{e.From, e.To})
			}
		}
	}
	c.join(cut)
	return c
}

// join joins the GPUs from which circuits came to GPUs that take no part with those to which
// circuits led, if a switch has both.
func (c *circuits) join(cut map[int][2][]int) {
	for _, u := range slices.Sorted(maps.Keys(cut)) {
		c.changed = true
		from, to := cut[u][0], cut[u][1]
		if c.f.Duplex { // in pairs
			all := append(slices.Clone(from), to...)
			from, to = all[:len(all)/2], all[len(all)/2:]
		}
		for _, a := range from {
			j := slices.IndexFunc(to, func(b int) bool { return !c.failed(a, b) })
			if j < 0 {
				continue
			}
			c.list = append(c.list, [2]int{a, to[j]})
			to = slices.Delete(slices.Clone(to), j, j+1)
		}
	}
}

// failed reports whether a circuit between two GPUs is impossible.
func (c *circuits) failed(u, v int) bool {
	return u == v || c.f.Avoid.Link(u, v) || c.f.Duplex && c.f.Avoid.Link(v, u) || c.meet != nil && c.meet(u, v) < 0
}

// at lists the circuits that lead to a GPU, or that leave it, and their other ends. Two-way
// circuits do both.
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

// remove removes circuits i and j, or one circuit if they are equal.
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

// passBy removes circuits from every GPU that has too many, and joins their other ends. If a GPU
// has a single two-way circuit too many, a port stays unused at its other end.
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

// stride is the distance in the list from a failed circuit to the first one to exchange ends
// with.
const stride = 7

// exchangeEnds lets failed circuits exchange their ends with others, and reports whether none is
// left.
func (c *circuits) exchangeEnds() bool {
	have := each.Set(c.list)
	for i, e := range c.list {
		if !c.failed(e[0], e[1]) {
			continue
		}
		found := false
		for _, twice := range []bool{false, true} { // first without doubling circuits
			for k := 1; k <= len(c.list) && !found; k++ {
				j := (i + k*stride) % len(c.list)
				o := c.list[j]
				a, b := [2]int{e[0], o[1]}, [2]int{o[0], e[1]}
				if c.meet != nil && (c.meet(a[0], a[1]) != c.meet(o[0], o[1]) || c.meet(b[0], b[1]) != c.meet(o[0], o[1])) {
					continue
				}
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
