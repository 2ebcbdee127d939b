package resized

import (
	"fmt"
	"slices"

	"github.com/lightpath-net/lightpath/flow"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/topology"
)

// irregular is the name of circuits that are no known topology.
const irregular = "irregular"

// inserted returns a graph with one more node, x, in the middle of a circuit of each of the given
// bundles; on two-way circuits, of both circuits.
func inserted(g *topology.Graph, at [][2]int, twoWay bool) *topology.Graph {
	x := g.Nodes()
	edges := slices.Collect(g.Edges())
	cut := func(u, v int) {
		for i := range edges {
			if edges[i].From == u && edges[i].To == v {
				edges[i].Count--
			}
		}
		edges = append(edges, topology.Edge{From: u, To: x, Count: 1}, topology.Edge{From: x, To: v, Count: 1})
	}
	for _, e := range at {
		cut(e[0], e[1])
		if twoWay {
			cut(e[1], e[0])
		}
	}
	return topology.New(x+1, irregular, edges)
}

// detoured returns routes on a graph with a new node, x, instead of one without it. Where all
// circuits of a bundle are cut, routes pass x; where only some are, a part of each does.
func detoured(routes []flow.Route, before, after *topology.Graph, x int) []flow.Route {
	var all []flow.Route
	for _, r := range routes {
		made := []flow.Route{{Path: r.Path[:1:1], Share: r.Share}}
		for h := 1; h < len(r.Path); h++ {
			u, v := int(r.Path[h-1]), int(r.Path[h])
			had, has := before.Count(u, v), after.Count(u, v)
			for i := range made {
				path, share := slices.Clip(made[i].Path), made[i].Share
				switch {
				case has == had:
					made[i].Path = append(path, int32(v))
				case has == 0:
					made[i].Path = append(path, int32(x), int32(v))
				default:
					made[i] = flow.Route{Path: append(path, int32(v)), Share: share * float64(has) / float64(had)}
					made = append(made, flow.Route{Path: append(path, int32(x), int32(v)), Share: share - made[i].Share})
				}
			}
		}
		all = append(all, made...)
	}
	return all
}

// removed returns a graph without node b. Circuits that ended at b are joined to those that began
// there, and higher nodes move down by one.
func removed(g *topology.Graph, b int, twoWay bool) *topology.Graph {
	var edges []topology.Edge
	var in, out []int
	down := func(u int) int {
		if u > b {
			return u - 1
		}
		return u
	}
	for e := range g.Edges() {
		switch {
		case e.From == b && e.To == b:
		case e.From == b:
			out = append(out, slices.Repeat([]int{down(e.To)}, e.Count)...)
		case e.To == b:
			in = append(in, slices.Repeat([]int{down(e.From)}, e.Count)...)
		default:
			edges = append(edges, topology.Edge{From: down(e.From), To: down(e.To), Count: e.Count})
		}
	}
	join := func(u, v int) {
		if u != v {
			edges = append(edges, topology.Edge{From: u, To: v, Count: 1})
		}
	}
	if twoWay {
		for i := range len(in) / 2 {
			join(in[i], in[i+len(in)/2])
			join(in[i+len(in)/2], in[i])
		}
	} else {
		for i := range min(len(in), len(out)) {
			join(in[i], out[i])
		}
	}
	return topology.New(g.Nodes()-1, irregular, edges)
}

// shortened returns a route on a graph with the given search for shortest paths, from one that
// visits the given nodes. Some of these are no longer next to one another. It leaves out detours
// that come back to the same node. It returns nil if there is no such route.
func shortened(visits []int32, g *topology.Graph, search func(from int) *tree) []int32 {
	path := visits[:1:1]
	for _, v := range visits[1:] {
		u := path[len(path)-1]
		switch {
		case u == v:
			continue
		case g.Count(int(u), int(v)) > 0:
			path = append(path, v)
		default:
			between := search(int(u)).to(int(v))
			if between == nil {
				return nil
			}
			path = append(path, between[1:]...)
		}
	}
	for i := 0; i < len(path); i++ {
		for j := len(path) - 1; j > i; j-- {
			if path[j] == path[i] {
				path = slices.Delete(path, i+1, j+1)
				break
			}
		}
	}
	return path
}

// tree has a shortest path from a node to every other.
type tree struct {
	before   []int32 // the node before each on its path; -1 if there is none
	distance []int32 // -1 if there is no path
}

// treeFrom finds shortest paths by breadth-first search.
func treeFrom(g *topology.Graph, from int) *tree {
	t := &tree{make([]int32, g.Nodes()), make([]int32, g.Nodes())}
	for u := range t.before {
		t.before[u], t.distance[u] = -1, -1
	}
	t.distance[from] = 0
	queue := []int32{int32(from)}
	for len(queue) > 0 {
		u := queue[0]
		queue = queue[1:]
		to, _ := g.Row(int(u))
		for _, v := range to {
			if t.distance[v] < 0 {
				t.before[v], t.distance[v] = u, t.distance[u]+1
				queue = append(queue, v)
			}
		}
	}
	return t
}

// to returns the path to a node; nil if there is none.
func (t *tree) to(v int) []int32 {
	if t.distance[v] < 0 {
		return nil
	}
	path := make([]int32, t.distance[v]+1)
	for i := len(path) - 1; i >= 0; i-- {
		path[i] = int32(v)
		v = int(t.before[v])
	}
	return path
}

// alongRings numbers the nodes in the order of the first layer's circuits if those form a ring, so
// that the ring is one of the known topologies.
func (f *form) alongRings(twoWay bool) *form {
	g := f.layers[0].graph
	order := []int{0}
	for seen := map[int]bool{0: true}; len(order) < f.nodes; {
		u := order[len(order)-1]
		next := -1
		to, _ := g.Row(u)
		for _, v := range to {
			if !seen[int(v)] {
				next = int(v)
				break
			}
		}
		if next < 0 || len(to) > 2 || len(to) == 2 && !twoWay {
			return f
		}
		seen[next] = true
		order = append(order, next)
	}
	number := make([]int, f.nodes)
	for i, u := range order {
		number[u] = i
	}
	made := &form{nodes: f.nodes, weight: f.weight, layers: make([]layer, len(f.layers))}
	for i, l := range f.layers {
		made.layers[i].graph = named(l.graph.Renumber(irregular, f.nodes, number), twoWay)
		for _, moves := range l.steps {
			turned := slices.Clone(moves)
			for k := range turned {
				m := &turned[k]
				m.src, m.dst, m.routes = number[m.src], number[m.dst], plan.RenumberRoutes(number, m.routes)
			}
			made.layers[i].steps = append(made.layers[i].steps, turned)
		}
	}
	return made
}

// named returns a ring under its name, and other graphs as they are.
func named(g *topology.Graph, twoWay bool) *topology.Graph {
	width, name := g.Count(0, 1), fmt.Sprintf("UniRing(%d,%d)", g.Count(0, 1), g.Nodes())
	if width == 0 {
		return g
	}
	jumps := slices.Repeat([]int{1}, width)
	if twoWay {
		jumps, name = append(jumps, slices.Repeat([]int{g.Nodes() - 1}, width)...), fmt.Sprintf("BiRing(%d,%d)", 2*width, g.Nodes())
	}
	if known := topology.DirectedCirculant(g.Nodes(), jumps...); known.Equal(g) {
		return known.Named(name)
	}
	return g
}
