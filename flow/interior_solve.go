package flow

import (
	"cmp"
	"context"
	"slices"

	"github.com/lightpath-net/lightpath/flow/interior"
	"github.com/lightpath-net/lightpath/flow/search"
	"github.com/lightpath-net/lightpath/lp"
)

// solveInterior finds the routing with the smallest peak by an interior point method, for
// problems without symmetry in which most pairs of nodes have demands. It reports false,
// without a result, if it cannot prove its result: then the program over paths has to solve the
// problem.
//
// The final flows are made exact (see settle) and decomposed into paths, and their peak is
// compared with the bound from the lengths. Both are computed from scratch, so the arithmetic in
// between need not be trusted.
//
// The error is a *beyond if it is proven that every peak is above within.
func solveInterior(ctx context.Context, p Problem, cl *classes, short, split *Result, within float64) (*Result, bool, error) {
	warm := short
	if split.Load.Peak < short.Load.Peak {
		warm = split
	}
	unit := short.Bound
	s := newPoint(p, cl, unit, warm)
	b := newLengthBound(p, cl)
	bound := short.Bound
	prove := func(lengths []float64) error {
		least, err := b.of(ctx, lengths)
		if err != nil {
			return err
		}
		if bound = max(bound, least); bound > within {
			return &beyond{bound: bound}
		}
		return nil
	}
	var res *Result
	made := -1 // iteration of the last attempt
	finish := func(lengths []float64) (bool, error) {
		if err := prove(lengths); err != nil {
			return false, err
		}
		if made < s.Iterations {
			made = s.Iterations
			r, err := s.result(ctx, p, cl, unit)
			if err != nil {
				return false, err
			}
			if r != nil && (res == nil || r.Load.Peak < res.Load.Peak) {
				res = r
			}
		}
		return res != nil && meets(res.Load.Peak, bound), nil
	}
	done, err := s.Run(ctx, prove, finish)
	if err != nil || !done {
		return nil, false, err
	}
	res.Bound = min(bound, res.Load.Peak)
	res.Work = s.Work()
	res.lengths = s.Lengths
	return res, true, nil
}

// interiorPoint is the state of the method for a problem.
type interiorPoint struct{ *interior.Point }

// newPoint starts from a routing.
func newPoint(p Problem, cl *classes, unit float64, warm *Result) *interiorPoint {
	n, m := p.Graph.Nodes(), len(cl.circuits)
	block := make([]int, n)
	for u := range block {
		block[u] = -1
	}
	var sources []int
	for _, d := range p.Demands {
		if block[d.Src] < 0 {
			block[d.Src] = len(sources)
			sources = append(sources, d.Src)
		}
	}
	need, flows := make([]float64, len(sources)*n), make([]float64, len(sources)*m)
	for i, d := range p.Demands {
		need[block[d.Src]*n+d.Dst] += d.Amount / unit
		for _, r := range warm.Routes[i] {
			for h := 1; h < len(r.Path); h++ {
				e := cl.of[p.Graph.Find(int(r.Path[h-1]), int(r.Path[h]))]
				flows[block[d.Src]*m+int(e)] += r.Share * d.Amount / unit
			}
		}
	}
	return &interiorPoint{interior.New(p.Graph, cl.circuits, sources, need, flows)}
}

// result converts the flows to routes; nil if that fails.
func (s *interiorPoint) result(ctx context.Context, p Problem, cl *classes, unit float64) (*Result, error) {
	flows, err := s.Settle(ctx)
	if err != nil {
		return nil, err
	}
	res := &Result{Method: MethodInterior, Routes: s.routes(p, unit, flows)}
	if res.Routes == nil {
		return nil, nil
	}
	res.Load, err = loadOf(p.Graph, cl, p.Demands, res.Routes)
	return res, err
}

// lengthBound computes the bound that lengths of the circuits prove: no routing has a peak
// below the total of amounts times distances, divided by the total of circuits times lengths.
type lengthBound struct {
	p       Problem
	cl      *classes
	search  search.Paths
	start   []int // demands by source: see byNode
	list    []int
	targets []int32
}

func newLengthBound(p Problem, cl *classes) *lengthBound {
	of := slices.Clone(cl.of)
	for b, c := range of {
		of[b] = max(c, 0) // self-loops are looked up, but never used
	}
	l := &lengthBound{p: p, cl: cl, search: search.New(p.Graph, of, p.MaxHops)}
	l.start, l.list = byNode(p.Graph.Nodes(), p.Demands, func(d Demand) int { return d.Src })
	l.targets = destinations(p.Demands, l.list)
	return l
}

func (l *lengthBound) of(ctx context.Context, length []float64) (float64, error) {
	total, room := 0.0, 0.0
	for src := range l.p.Graph.Nodes() {
		here := l.list[l.start[src]:l.start[src+1]]
		if len(here) == 0 {
			continue
		}
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		l.search.Search(src, l.targets[l.start[src]:l.start[src+1]], length, 0)
		for _, i := range here {
			total += l.p.Demands[i].Amount * l.search.Distance(l.p.Demands[i].Dst)
		}
	}
	for e, c := range l.cl.circuits {
		room += c * length[e]
	}
	return total / room, nil
}

// routes divides the flows of every source into paths, from each destination back along the arc
// that carries most. It returns nil if an amount cannot be traced back.
func (s *interiorPoint) routes(p Problem, unit float64, flows []float64) [][]Route {
	m, n := len(s.Arcs), s.Nodes
	block := make([]int, n)
	for k, src := range s.Sources {
		block[src] = k
	}
	into := make([][]int32, n) // arcs
	for e, a := range s.Arcs {
		into[a.To] = append(into[a.To], int32(e))
	}
	left := slices.Clone(flows)
	// Far destinations come first: near ones can use the remaining arcs.
	order := make([]int, len(p.Demands))
	for i := range order {
		order[i] = i
	}
	depth := func(i int) float64 { d := p.Demands[i]; return s.Potentials[block[d.Src]*n+d.Dst] }
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(depth(b), depth(a)) })
	routes := make([][]Route, len(p.Demands))
	var back []int32
	for _, i := range order {
		d := p.Demands[i]
		x := left[block[d.Src]*m : (block[d.Src]+1)*m]
		amount := d.Amount / unit
		for rest := amount; rest > lostFlow*amount; {
			back = s.traceBack(into, x, d.Dst, d.Src, back[:0])
			size := rest
			for _, e := range back {
				size = min(size, x[e])
			}
			if len(back) == 0 || size <= 0 {
				if rest > tracedFlow*amount {
					return nil
				}
				break
			}
			path := make([]int32, 1, len(back)+1)
			path[0] = int32(d.Src)
			for h := len(back) - 1; h >= 0; h-- {
				x[back[h]] -= size
				path = append(path, s.Arcs[back[h]].To)
			}
			rest -= size
			routes[i] = append(routes[i], Route{Path: path, Share: size / amount})
		}
		if routes[i] = normalise(routes[i]); len(routes[i]) == 0 {
			return nil
		}
	}
	return routes
}

// traceBack returns the arcs of a path that ends at a node, last one first, along those that
// carry most. It removes flow that goes round in cycles on the way. It returns none if the flow
// ends before the source.
func (s *interiorPoint) traceBack(into [][]int32, x []float64, dst, src int, back []int32) []int32 {
	for v := dst; v != src; {
		best := into[v][0]
		for _, e := range into[v][1:] {
			if x[e] > x[best] {
				best = e
			}
		}
		if x[best] <= 0 {
			return nil
		}
		back = append(back, best)
		v = int(s.Arcs[best].From)
		if round := slices.IndexFunc(back, func(e int32) bool { return int(s.Arcs[e].To) == v }); round >= 0 {
			size := x[best]
			for _, e := range back[round:] {
				size = min(size, x[e])
			}
			for _, e := range back[round:] {
				x[e] -= size
			}
			back, v = back[:0], dst // the arcs so far may have been part of the cycle
		}
	}
	return back
}

// lostFlow is the share of a demand that need not be traced, because it is rounding. tracedFlow
// is how much may be missing if no flow is left to trace.
const lostFlow, tracedFlow = 1e-12, 1e-8

// interiorPays reports whether the interior point method is less work than the program over
// paths, and has enough memory.
func interiorPays(p Problem, cl *classes) bool {
	if !p.Group.Trivial() || p.MaxHops > 0 {
		return false
	}
	sources := map[int]bool{}
	for _, d := range p.Demands {
		sources[d.Src] = true
	}
	n, m, k := float64(p.Graph.Nodes()), float64(len(cl.circuits)), float64(len(sources))
	demands := float64(len(p.Demands))
	point := usualIterations * (k*(n*n*n/2+m*m/2) + m*m*m/6)
	paths := demands * (m*m/2 + columnsPerDemand*lp.EntriesPerColumn*demands)
	if point >= paths || k*n*n > interiorRoom {
		return false
	}
	return p.Graph.Joins() // otherwise some arcs can carry no flow, and no point is interior
}

const (
	// usualIterations is roughly the number of iterations of the method.
	usualIterations = 20
	// columnsPerDemand is how many paths a demand has in the program over paths at the end; it
	// makes about as many pivots as demands (three times as many at 64 nodes). On generalised
	// Kautz graphs with all pairs the choice is right from 24 nodes on, and off by a millisecond
	// below.
	columnsPerDemand = 3
	// interiorRoom limits the numbers in the inverses: 256 MB.
	interiorRoom = 1 << 25
)
