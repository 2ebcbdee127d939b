package flow

import (
	"iter"
	"slices"

	"github.com/lightpath-net/lightpath/topology"
)

// Floors computes what Floor does, without routes, for many steps on one graph that looks the
// same from every node: one search gives all distances, so a step takes O(demands).
type Floors struct {
	group topology.Translations // maps the first node to every other
	nodes int
	ports float64 // number of circuits out of and into every node
	dist  []int32 // from the first node, -1 for none; nil: not yet found

	// Of a circulant, the nodes after the first, and what finds dist if others are asked for.
	next []int
	find func() []int32
}

// NewFloors reports false for a graph that does not look the same from every node.
func NewFloors(g *topology.Graph) (*Floors, bool) {
	jumps, ok := g.Jumps()
	if ok {
		return CirculantFloors(g.Nodes(), jumps), true
	}
	group, ok := g.Symmetry()
	if !ok {
		return nil, false
	}
	f := &Floors{group: group, nodes: g.Nodes(), dist: distancesFrom(g.Nodes(), func(u int32, reach func(v int32)) {
		to, _ := g.Row(int(u))
		for _, v := range to {
			reach(v)
		}
	})}
	to, count := g.Row(0)
	for i, v := range to {
		if v != 0 {
			f.ports += float64(count[i])
		}
	}
	return f, true
}

// CirculantFloors is NewFloors for the circulant with these jumps, below n: it needs no graph.
// There may be thousands of circulants that each match one step, so it searches for paths only
// once a demand needs more than one hop.
func CirculantFloors(n int, jumps []int) *Floors {
	f := &Floors{group: topology.Rotations(n, 1), nodes: n, next: jumps}
	for _, j := range jumps {
		if j != 0 {
			f.ports++
		}
	}
	f.find = func() []int32 {
		return distancesFrom(n, func(u int32, reach func(v int32)) {
			for _, j := range jumps {
				v := int(u) + j
				if v >= n {
					v -= n
				}
				reach(int32(v))
			}
		})
	}
	return f
}

// TranslateFloors is NewFloors for a graph on which a group maps every node to every other,
// with circuits from node 0 to the given nodes, count to each: it needs no graph.
func TranslateFloors(group topology.Translations, to, count []int32) *Floors {
	f := &Floors{group: group, nodes: group.Order()}
	by := make([]int, len(to))
	for i, v := range to {
		by[i], _ = group.Locate(int(v))
		f.ports += float64(count[i])
	}
	f.dist = distancesFrom(group.Order(), func(u int32, reach func(v int32)) {
		for _, k := range by {
			reach(int32(group.Apply(k, int(u))))
		}
	})
	return f
}

// distancesFrom returns the hops from the first node to every other, -1 if there is no path.
// next calls reach with the nodes that circuits of a node lead to.
func distancesFrom(n int, next func(u int32, reach func(v int32))) []int32 {
	dist := make([]int32, n)
	for v := range dist {
		dist[v] = -1
	}
	dist[0] = 0
	queue := make([]int32, 1, n)
	hops := int32(1) // to the nodes that are reached now
	reach := func(v int32) {
		if dist[v] < 0 {
			dist[v] = hops
			queue = append(queue, v)
		}
	}
	for i := 0; i < len(queue); i++ {
		hops = dist[queue[i]] + 1
		next(queue[i], reach)
	}
	return dist
}

// distances returns the hops from the first node to every other, -1 if there is no path.
func (f *Floors) distances() []int32 {
	if f.dist == nil {
		f.dist = f.find()
	}
	return f.dist
}

// hops returns the distance of a node from the first.
func (f *Floors) hops(v int) int32 {
	if f.dist == nil && v > 0 && slices.Contains(f.next, v) {
		return 1
	}
	return f.distances()[v]
}

// Of returns the floor of demands that stand for their images under a group which leaves the
// graph invariant: the longest distance and the counting bound. It reports false if a demand
// cannot be carried at all.
func (f *Floors) Of(demands iter.Seq[Demand], group topology.Translations) (Load, bool) {
	n, order := f.nodes, 1
	trivial := group.Trivial()
	if !trivial {
		order = group.Order()
	}
	// Either all nodes are one orbit, or each may be a separate one.
	orbits := n
	if order == n {
		orbits = 1
	}
	out, in := nodeSums{nodes: orbits}, nodeSums{nodes: orbits}
	orbit := func(u int) int {
		switch {
		case order == n:
			return 0
		case !trivial:
			_, u = group.Locate(u)
		}
		return u
	}
	work, load := 0.0, Load{}
	for d := range demands {
		k, _ := f.group.Locate(d.Src)
		hops := f.hops(f.group.Back(k, d.Dst))
		if hops < 0 {
			return Load{}, false
		}
		load.Hops = max(load.Hops, int(hops))
		work += d.Amount * float64(hops)
		out.add(orbit(d.Src), d.Amount)
		in.add(orbit(d.Dst), d.Amount)
	}
	load.Peak = max(out.most, in.most, work*float64(order)/float64(n)) / f.ports
	return load, true
}

// nodeSums adds up amounts by node and knows the largest sum. While only few nodes have one, it
// takes no memory for the others: a pipeline down a chain has as many steps as nodes, most of them
// with few demands.
type nodeSums struct {
	nodes int
	few   map[int]float64
	all   []float64 // by node; nil: few has the sums
	most  float64
}

func (s *nodeSums) add(node int, amount float64) {
	switch {
	case s.all != nil:
	case s.few == nil:
		s.few = map[int]float64{}
	case len(s.few) > s.nodes/16:
		s.all = make([]float64, s.nodes)
		for u, sum := range s.few {
			s.all[u] = sum
		}
	}
	if s.all != nil {
		s.all[node] += amount
		s.most = max(s.most, s.all[node])
		return
	}
	s.few[node] += amount
	s.most = max(s.most, s.few[node])
}

// Uniform is Of for a step in which every node sends the given amount to every other: O(nodes).
func (f *Floors) Uniform(amount float64) (Load, bool) {
	hops, load := 0, Load{}
	for _, d := range f.distances()[1:] {
		if d < 0 {
			return Load{}, false
		}
		hops += int(d)
		load.Hops = max(load.Hops, int(d))
	}
	load.Peak = amount * float64(max(hops, f.nodes-1)) / f.ports
	return load, true
}
