package sim

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sort"

	"github.com/lightpath-net/lightpath/flow"
	"github.com/lightpath-net/lightpath/sim/traffic"
	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/units"
)

// routing holds the routes of all streams of a phase.
type routing struct {
	*traffic.Traffic
	graph *topology.Graph
	// ends is, for each bundle, 1 + the index of the hop over it with which routes end; all routes
	// that end there share that hop. It is nil if routes must not share hops.
	ends []int32
}

func newRouting(g *topology.Graph, share bool) *routing {
	r := &routing{graph: g, Traffic: &traffic.Traffic{From: make([]int32, 0, g.Bundles()), To: make([]int32, 0, g.Bundles())}}
	if share {
		r.ends = make([]int32, g.Bundles())
	}
	for e := range g.Edges() {
		r.From, r.To = append(r.From, int32(e.From)), append(r.To, int32(e.To))
	}
	return r
}

// add appends a hop before next and returns its index.
func (r *routing) add(bundle, next int32) (int32, error) {
	if len(r.Hops) == math.MaxInt32 {
		return 0, fmt.Errorf("sim: routes of more than %d hops", math.MaxInt32)
	}
	r.Hops = append(r.Hops, traffic.Hop{Bundle: bundle, Next: next})
	return int32(len(r.Hops) - 1), nil
}

// path adds a route along nodes.
func (r *routing) path(nodes []int32) (first int32, err error) {
	first = traffic.Arrived
	for h := len(nodes) - 1; h > 0; h-- {
		u, v := nodes[h-1], nodes[h]
		if min(u, v) < 0 || int(max(u, v)) >= r.graph.Nodes() {
			return 0, fmt.Errorf("passes %d -> %d, outside a graph of %d nodes", u, v, r.graph.Nodes())
		}
		b := r.graph.Find(int(u), int(v))
		if b < 0 {
			return 0, fmt.Errorf("passes %d -> %d, where there is no circuit", u, v)
		}
		last := first == traffic.Arrived && r.ends != nil
		if last && r.ends[b] > 0 {
			first = r.ends[b] - 1
			continue
		}
		if first, err = r.add(int32(b), first); err != nil {
			return 0, err
		}
		if last {
			r.ends[b] = first + 1
		}
	}
	return first, nil
}

// nodes returns the nodes of the route that starts with the given hop at node u.
func (r *routing) nodes(u, first int32) []int32 {
	path := []int32{u}
	for h := first; h != traffic.Arrived; h = r.Hops[h].Next {
		path = append(path, r.To[r.Hops[h].Bundle])
	}
	return path
}

// shortest routes flows over shortest paths. It returns the first hop of each, or arrived for a
// flow that needs no circuit. If several next nodes are on a shortest path, it takes the one
// with the smallest jump. On a two-way ring that is clockwise: a message to the opposite node
// goes upwards. On a torus the last dimension goes first, and the load is even. Taking the next
// node with the smallest number would not achieve that, because routes that pass the end of the
// numbering would crowd together there.
//
// The routes to one node form a tree and are stored as one, with at most as many hops as nodes
// for each destination. The time is one breadth-first search for each destination.
func (r *routing) shortest(ctx context.Context, p *Phase) ([]int32, error) {
	first := slices.Repeat([]int32{traffic.Arrived}, len(p.Flows))
	start, list := traffic.GroupBy(len(p.Flows), len(p.Changes)+1, func(i int) int {
		if !p.Flows[i].moves() {
			return -1
		}
		return p.changesBefore(p.Flows[i].Start)
	})
	for e := range len(p.Changes) + 1 {
		g := p.Network.Graph
		if e > 0 {
			g = p.Changes[e-1].Graph
		}
		if err := r.shortestOn(ctx, g, p.Flows, list[start[e]:start[e+1]], first); err != nil {
			return nil, err
		}
	}
	return first, nil
}

// changesBefore returns how many changes have begun by a time.
func (p *Phase) changesBefore(t units.Duration) int {
	return sort.Search(len(p.Changes), func(i int) bool { return p.Changes[i].At > t })
}

// shortestOn routes the listed flows over the circuits of g.
func (r *routing) shortestOn(ctx context.Context, g *topology.Graph, flows []Flow, listed []int32, first []int32) error {
	if len(listed) == 0 {
		return nil
	}
	n := g.Nodes()
	start, list := traffic.GroupBy(len(listed), n, func(i int) int { return int(flows[listed[i]].Dst) })
	symmetry, ok := g.Symmetry()
	if !ok {
		symmetry = topology.Rotations(n, 1)
	}
	tree := &tree{
		routing: r, circuits: g, symmetry: symmetry,
		dist: make([]int32, n), queue: make([]int32, n), hop: make([]int32, n),
	}
	back := g.Transpose("")
	for dst := range n {
		here := list[start[dst]:start[dst+1]]
		if len(here) == 0 {
			continue
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		back.Distances(dst, tree.dist, tree.queue)
		tree.reset(dst)
		for _, j := range here {
			i := listed[j]
			f := &flows[i]
			if tree.dist[f.Src] < 0 {
				return ofFlow(int(i), "sim: flow %d: no circuits lead from %d to %d: %w", i, f.Src, f.Dst, flow.ErrUnreachable)
			}
			h, err := tree.from(f.Src)
			if err != nil {
				return err
			}
			first[i] = h
		}
	}
	return nil
}

// moves reports whether the flow needs circuits.
func (f *Flow) moves() bool { return f.Src != f.Dst && f.Bytes > 0 }

// tree holds the shortest paths to one node.
type tree struct {
	*routing
	circuits    *topology.Graph       // present circuits
	symmetry    topology.Translations // maps every node to node 0
	dist, queue []int32
	hop         []int32 // first hop of each node's path, or unknown
	walk        []int32 // bundles
	nodesOn     []int32
}

const unknown = -2

func (t *tree) reset(dst int) {
	for u := range t.hop {
		t.hop[u] = unknown
	}
	t.hop[dst] = traffic.Arrived
}

// from returns the first hop of the path from u, and adds the missing part of the path.
func (t *tree) from(u int32) (int32, error) {
	t.walk, t.nodesOn = t.walk[:0], t.nodesOn[:0]
	for t.hop[u] == unknown {
		b := t.forward(int(u))
		t.walk, t.nodesOn = append(t.walk, b), append(t.nodesOn, u)
		u = t.To[b]
	}
	next := t.hop[u]
	for i := len(t.walk) - 1; i >= 0; i-- {
		var err error
		if next, err = t.add(t.walk[i], next); err != nil {
			return 0, err
		}
		t.hop[t.nodesOn[i]] = next
	}
	return next, nil
}

// forward returns the bundle that the shortest path takes from u.
func (t *tree) forward(u int) int32 {
	to, _ := t.circuits.Row(u)
	best, least := 0, len(t.dist)
	for _, v := range to {
		if t.dist[v] != t.dist[u]-1 {
			continue
		}
		if turn := t.jump(u, int(v)); turn < least {
			best, least = int(v), turn
		}
	}
	return int32(t.graph.Find(u, best))
}

// jump returns the position of v as seen from u: the image of v under the translation that maps
// u to node 0, or (v-u) mod n if the graph has no such symmetry.
func (t *tree) jump(u, v int) int {
	k, _ := t.symmetry.Locate(u)
	return t.symmetry.Back(k, v)
}
