package flow

import (
	"context"
	"slices"

	"github.com/lightpath-net/lightpath/flow/search"
	"github.com/lightpath-net/lightpath/internal/arithmetic"
)

// Floor returns what no routing of the step can beat: the longest distance of a demand and the
// counting bound on the peak. It also returns the load of one shortest path per demand, which
// is equal to the floor if that cannot be beaten. It costs one search per destination and no
// linear program, and keeps no routes: the next hops of shortestRoutes towards a node form a
// tree, down which bytes are summed in O(nodes x degree).
func Floor(ctx context.Context, p Problem) (floor, shortest Load, err error) {
	if err := checkDemands(p.Graph, p.Demands); err != nil {
		return Load{}, Load{}, err
	}
	cl, err := newClasses(p.Graph, p.Group)
	if err != nil {
		return Load{}, Load{}, err
	}
	counted := p
	if len(p.Group.Dims) == 1 {
		// The next hop of a tree is chosen by its offset, which is the same after a rotation: demands
		// to nodes that rotations map to each other share a tree.
		counted.Demands = make([]Demand, len(p.Demands))
		for i, d := range p.Demands {
			k, home := p.Group.Locate(d.Dst)
			counted.Demands[i] = Demand{Src: p.Group.Back(k, d.Src), Dst: home, Amount: d.Amount}
		}
	}
	t := newTrees(counted, cl)
	if err := t.sum(ctx); err != nil {
		return Load{}, Load{}, err
	}
	if bound := countingBound(p, cl, t.work); !meets(t.load.Peak, bound) {
		return Load{Peak: bound, Hops: t.load.Hops}, t.load, nil
	}
	return t.load, t.load, nil
}

// trees sums up the loads of one shortest path per demand, by destinations.
type trees struct {
	p    Problem
	cl   *classes
	dist *search.Distances
	load Load
	work float64   // amount x distance
	on   []float64 // bytes by class

	to   func(dst int, demands []int) []int32 // distances from the sources of demands
	path []int32                              // classes of the circuits on the path of a lone demand

	wanted []bool    // sources that the search for a destination must find
	bytes  []float64 // bytes that pass a node on their way to the destination
	next   []int32   // node after it
	class  []int32   // of the bundle there
	length []float64 // circuits from there on, each counted as 1/its number
}

func newTrees(p Problem, cl *classes) *trees {
	n := p.Graph.Nodes()
	return &trees{
		p: p, cl: cl, dist: search.NewDistances(p.Graph), on: make([]float64, len(cl.circuits)),
		to: distancesTo(p.Graph, p.Demands), wanted: make([]bool, n), bytes: make([]float64, n), next: make([]int32, n), class: make([]int32, n), length: make([]float64, n),
	}
}

// sum goes through all destinations.
func (t *trees) sum(ctx context.Context) error {
	start, list := byNode(t.p.Graph.Nodes(), t.p.Demands, func(d Demand) int { return d.Dst })
	for dst := range t.p.Graph.Nodes() {
		here := list[start[dst]:start[dst+1]]
		if len(here) == 0 {
			continue
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		add := t.down
		if len(here) == 1 {
			add = t.along
		}
		if err := add(dst, here); err != nil {
			return err
		}
	}
	for c, bytes := range t.on {
		t.load.Peak = max(t.load.Peak, bytes/t.cl.circuits[c])
	}
	return nil
}

// along is down for a lone demand, which needs only the nodes on its path: a step in which each
// GPU of a torus sends to all others has one demand per destination.
func (t *trees) along(dst int, demands []int) error {
	d := t.p.Demands[demands[0]]
	dist := t.to(dst, demands)
	hops := dist[d.Src]
	if hops < 0 {
		return unreachable(d)
	}
	t.load.Hops = max(t.load.Hops, int(hops))
	t.work += d.Amount * float64(hops)
	t.path = t.path[:0]
	for u := d.Src; u != dst; {
		v, bundle := t.hop(u, dist)
		class := t.cl.of[bundle]
		t.path = append(t.path, class)
		t.on[class] += d.Amount
		u = v
	}
	length := 0.0
	for _, class := range slices.Backward(t.path) {
		length += 1 / t.cl.circuits[class]
	}
	t.load.Dilation = max(t.load.Dilation, d.Amount*length)
	return nil
}

// down adds the load of the demands to one destination on their tree.
func (t *trees) down(dst int, demands []int) error {
	searchFrom(t.dist, dst, t.p.Demands, demands, t.wanted)
	for _, i := range demands {
		d := t.p.Demands[i]
		hops := t.dist.Hops[d.Src]
		if hops < 0 {
			return unreachable(d)
		}
		t.load.Hops = max(t.load.Hops, int(hops))
		t.work += d.Amount * float64(hops)
		t.bytes[d.Src] += d.Amount
	}
	far := t.dist.Reached // nearest first
	for i := len(far) - 1; i > 0; i-- {
		u := int(far[i])
		if t.next[u] = -1; t.bytes[u] == 0 {
			continue
		}
		v, bundle := t.hop(u, t.dist.Hops)
		t.next[u], t.class[u] = int32(v), t.cl.of[bundle]
		t.on[t.class[u]] += t.bytes[u]
		t.bytes[v] += t.bytes[u]
		t.bytes[u] = 0
	}
	t.bytes[dst], t.length[dst] = 0, 0
	for _, u := range far[1:] {
		if t.next[u] >= 0 {
			t.length[u] = t.length[t.next[u]] + 1/t.cl.circuits[t.class[u]]
		}
	}
	for _, i := range demands {
		d := t.p.Demands[i]
		t.load.Dilation = max(t.load.Dilation, d.Amount*t.length[d.Src])
	}
	return nil
}

// hop returns the next node on the path of shortestRoutes, and the bundle to it.
func (t *trees) hop(u int, dist []int32) (v, bundle int) {
	to, _ := t.p.Graph.Row(u)
	best, gap := -1, t.p.Graph.Nodes()
	for i, v := range to {
		if dist[v] != dist[u]-1 {
			continue
		}
		if turn := residue(int(v)-u, t.p.Graph.Nodes()); turn < gap {
			best, gap = i, turn
		}
	}
	return int(to[best]), t.p.Graph.RowStart(u) + best
}

// RootFloor is Floor for a step in which one node sends to others, or receives from them, if
// the choice of shortest paths does not matter: one search from the root finds all distances
// and a tree of such paths, where Floor takes a search for every destination. It reports false
// for other steps.
func RootFloor(p Problem) (floor, shortest Load, ok bool) {
	r, ok := newOneRoot(&p)
	if !ok {
		return Load{}, Load{}, false
	}
	bytes := make([]float64, len(r.amount)) // bytes that pass a node
	length := make([]float64, len(r.amount))
	copy(bytes, r.amount)
	before := make([]int32, len(r.amount)) // index of the last hop in r.in
	order := r.g.Distances(int(r.root), r.dist, make([]int32, 0, len(r.amount)))
	circuits := func(v int32) float64 {
		u, b := r.in.from[before[v]], int(r.in.bundle[before[v]])
		_, count := r.g.Row(int(u))
		return float64(count[b-r.g.RowStart(int(u))])
	}
	for _, v := range order[1:] {
		for i := r.in.start[v]; i < r.in.start[v+1]; i++ {
			if u := r.in.from[i]; r.dist[u] >= 0 && r.dist[u] == r.dist[v]-1 {
				before[v] = i
				break
			}
		}
		length[v] = length[r.in.from[before[v]]] + 1/circuits(v)
		if r.amount[v] > 0 {
			shortest.Dilation = max(shortest.Dilation, r.unit*r.amount[v]*length[v])
		}
	}
	for k := len(order) - 1; k > 0; k-- {
		v := order[k]
		bytes[r.in.from[before[v]]] += bytes[v]
		shortest.Peak = max(shortest.Peak, r.unit*bytes[v]/circuits(v))
	}
	shortest.Hops = r.hops
	if bound := r.unit * r.countingBound(); !meets(shortest.Peak, bound) {
		return Load{Peak: bound, Hops: r.hops}, shortest, true
	}
	return shortest, shortest, true
}

// countingBound returns a lower bound on the peak of every routing without a linear program:
// bytes leave a node over its own circuits, arrive over its own circuits, and occupy at least
// (amount x distance) of all circuits together. These are the dual solutions with equal lengths
// on the circuits out of one node, into one node, and everywhere. work is the total of amount x
// distance.
//
// With a group, nodes stand for their orbits and only one bundle per class counts.
func countingBound(p Problem, cl *classes, work float64) float64 {
	n := p.Graph.Nodes()
	orbit := make([]int, n)
	for u := range orbit {
		orbit[u] = u
		if !p.Group.Trivial() {
			_, orbit[u] = p.Group.Locate(u)
		}
	}
	out, in := make([]float64, n), make([]float64, n) // bytes per node of an orbit
	for _, d := range p.Demands {
		out[orbit[d.Src]] += d.Amount
		in[orbit[d.Dst]] += d.Amount
	}
	room := arithmetic.Sum(cl.circuits)
	outPorts, inPorts := make([]float64, n), make([]float64, n)
	for e := range p.Graph.Edges() {
		if e.From != e.To {
			outPorts[e.From] += float64(e.Count)
			inPorts[e.To] += float64(e.Count)
		}
	}
	bound := 0.0
	if work > 0 {
		bound = work / room
	}
	for u := range n {
		if out[u] > 0 {
			bound = max(bound, out[u]/outPorts[u])
		}
		if in[u] > 0 {
			bound = max(bound, in[u]/inPorts[u])
		}
	}
	return bound
}

// workOf returns the total of amount x distance, from shortest routes.
func workOf(demands []Demand, shortest [][]Route) float64 {
	work := 0.0
	for i, d := range demands {
		work += d.Amount * float64(len(shortest[i][0].Path)-1)
	}
	return work
}
