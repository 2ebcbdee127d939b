package flow

import (
	"context"

	"github.com/lightpath-net/lightpath/flow/search"
	"github.com/lightpath-net/lightpath/topology"
)

// fold is a step in which every node sends the same to every other, reduced by automorphisms of
// the graph. Such a step is invariant under any permutation of the nodes, so all automorphisms
// can be used, including those that fix nodes, which translations never do.
//
// Averaging a routing over the group that they generate gives one with no larger peak, in which
// all demands of an orbit have images of the same routes and all bundles of an orbit carry the
// same load. So one demand stands for its orbit, with the orbit's total amount, and the bundles
// of an orbit form one class with all their circuits: the load that the routes of the one
// demand put on a class is the load of each of its bundles under the averaged routes. The
// linear program over orbits has the same optimum, and lengths that bound it bound the step.
//
// At 1024 nodes and 4 ports a generalised Kautz graph has 24 automorphisms, and the program 43
// thousand demands instead of a million.
type fold struct {
	nodes int
	moves [][]int32 // permutations that generate the group
	orbit []int32   // of the pair u, v at u*nodes+v; -1 for u = v
	reps  []Demand  // of the orbits: their first pairs, with the amounts of all pairs
	size  []int32   // pairs in each orbit
	cl    *classes
}

// folded returns a ladder for the orbits of a step, nil if the problem's group gives as few. In
// a graph without automorphisms every pair is an orbit: such a program is approximated, too.
func (l *ladder) folded(ctx context.Context, amount float64) (*ladder, *fold, error) {
	moves, err := l.p.Graph.Automorphisms(ctx)
	if err != nil {
		return nil, nil, err
	}
	for _, k := range l.p.Group.Generators() {
		move := make([]int32, l.p.Graph.Nodes())
		for u := range move {
			move[u] = int32(l.p.Group.Apply(k, u))
		}
		moves = append(moves, move)
	}
	f := newFold(l.p.Graph, amount, moves)
	if len(moves) > 0 && len(f.reps) >= len(l.p.Demands) {
		return nil, nil, nil
	}
	p := l.p
	p.Group, p.Demands = topology.Translations{}, f.reps
	return &ladder{p: p, cl: f.cl, known: l.known, fold: f, detected: true}, f, nil
}

// newFold finds the orbits: O(pairs x permutations).
func newFold(g *topology.Graph, amount float64, moves [][]int32) *fold {
	n := g.Nodes()
	f := &fold{nodes: n, moves: moves, orbit: make([]int32, n*n)}
	for i := range f.orbit {
		f.orbit[i] = -1
	}
	var queue []int32
	for pair := range n * n {
		if f.orbit[pair] >= 0 || pair%(n+1) == 0 {
			continue
		}
		number := int32(len(f.size))
		f.orbit[pair] = number
		queue = append(queue[:0], int32(pair))
		for i := 0; i < len(queue); i++ {
			x, y := int(queue[i])/n, int(queue[i])%n
			for _, move := range moves {
				if to := int(move[x])*n + int(move[y]); f.orbit[to] < 0 {
					f.orbit[to] = number
					queue = append(queue, int32(to))
				}
			}
		}
		f.size = append(f.size, int32(len(queue)))
	}
	f.reps = make([]Demand, 0, len(f.size)) // orbits are numbered in the order of their first pairs
	for pair, number := range f.orbit {
		if int(number) == len(f.reps) {
			f.reps = append(f.reps, Demand{Src: pair / n, Dst: pair % n, Amount: amount * float64(f.size[number])})
		}
	}
	f.cl = f.classes(g)
	return f
}

// classes are the orbits of the bundles, each with the circuits of all of its bundles.
func (f *fold) classes(g *topology.Graph) *classes {
	cl := &classes{of: make([]int32, 0, g.Bundles())}
	number := map[int32]int32{}
	for e := range g.Edges() {
		if e.From == e.To {
			cl.of = append(cl.of, selfLoop)
			continue
		}
		orbit := f.orbit[e.From*f.nodes+e.To]
		c, ok := number[orbit]
		if !ok {
			c = int32(len(cl.circuits))
			number[orbit] = c
			cl.circuits = append(cl.circuits, 0)
		}
		cl.of = append(cl.of, c)
		cl.circuits[c] += float64(e.Count)
	}
	return cl
}

// countingBound is the function of that name for orbits.
func (f *fold) countingBound(g *topology.Graph, work float64) float64 {
	total, room := 0.0, 0.0 // bytes, circuits
	for _, d := range f.reps {
		total += d.Amount
	}
	for _, c := range f.cl.circuits {
		room += c
	}
	out, in := make([]int, f.nodes), make([]int, f.nodes)
	for e := range g.Edges() {
		if e.From != e.To {
			out[e.From] += e.Count
			in[e.To] += e.Count
		}
	}
	bound := work / room
	for u := range f.nodes {
		bound = max(bound, total/float64(f.nodes)/float64(min(out[u], in[u])))
	}
	return bound
}

// spread gives demands the routes of their orbits, averaged over the group: the images of a
// route join all pairs of the orbit, each equally often, and share the route's amount. It takes
// O(routes x their length x permutations).
func (f *fold) spread(ctx context.Context, routes [][]Route, demands []Demand) ([][]Route, error) {
	n := f.nodes
	all := make([][]Route, len(demands))
	at := make([]int32, n*n) // 1 + demand, by pair: every pair of different nodes is one
	for i, d := range demands {
		at[d.Src*n+d.Dst] = int32(i + 1)
	}
	var found search.Images
	var memory routeMemory
	for rep, list := range routes {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		for _, r := range list {
			images := found.Of(r.Path, f.moves)
			share := r.Share * float64(f.size[rep]) / float64(len(images))
			for _, path := range images {
				if i := at[int(path[0])*n+int(path[len(path)-1])]; i > 0 {
					if all[i-1] == nil {
						all[i-1] = memory.list(1)[:0] // most demands have one route
					}
					all[i-1] = append(all[i-1], Route{Path: path, Share: share})
				}
			}
		}
	}
	for i := range all {
		all[i] = normalise(all[i])
	}
	return all, nil
}

// unfold converts routes of the orbits to routes of the problem that the orbits were made from.
func (l *ladder) unfold(ctx context.Context, f *fold, r *Result) (*Result, error) {
	out := *r
	var err error
	if out.Routes, err = f.spread(ctx, r.Routes, l.p.Demands); err != nil {
		return nil, err
	}
	if out.Load, err = loadOf(l.p.Graph, l.cl, l.p.Demands, out.Routes); err != nil {
		return nil, err
	}
	out.Symmetry = f.nodes * (f.nodes - 1) / len(f.reps) // demands per orbit, approximately
	return &out, nil
}

// dilates reports whether a time depends on the dilation, which the routes of orbits do not
// have: each image carries only a part of the amount.
func dilates(time func(Load) float64) bool {
	const none, much = 0, 1e15
	return time(Load{Peak: 1, Hops: 1, Dilation: none}) != time(Load{Peak: 1, Hops: 1, Dilation: much})
}
