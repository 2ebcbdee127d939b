package flow

import (
	"context"
	"slices"
)

// hopGap is the relative distance from the smallest total of bytes x hops at which
// the second phase stops. It only chooses among routings of the same peak, where
// a millionth is no loss but saves the long tail of column generation.
const hopGap = 1e-6

// pivotsPerRow limits the pivots of each phase, by the rows of the whole program.
// It is some twenty times what random instances need; a routing that is cut off
// there is still valid and its Bound still proven.
const pivotsPerRow = 200

// cleanTolerance is how far below zero a flow may fall when the perturbation is
// taken out of the final basis, relative to the peak; beyond it the perturbed
// solution is used, which is feasible.
const cleanTolerance = 1e-11

// pathSearch finds shortest paths from one node at a time under lengths of the
// bundle classes.
type pathSearch interface {
	search(src int, targets []int32, length []float64, perHop float64)
	distance(dst int) float64
	path(dst int) []int32
}

// newPathSearch returns a search that keeps to the problem's limit on hops.
func newPathSearch(p Problem, of []int32) pathSearch {
	if p.MaxHops > 0 {
		return newHopLimited(p.Graph, of, p.MaxHops)
	}
	return newDijkstra(p.Graph, of)
}

// generator runs column generation on one problem.
type generator struct {
	p       Problem
	cl      *classes
	unit    float64 // bytes per unit of the master problem
	m       *master
	search  pathSearch
	start   []int // demands by source, see byNode
	list    []int
	targets []int32   // destinations of list
	bound   float64   // best lower bound so far, in units
	proof   []float64 // the lengths that prove it
	loads   []float64
	lengths []float64

	searches int   // for paths, from one node each
	work     int64 // numbers touched before there was a master, about
}

// solveColumns finds the routing of smallest peak: the maximum concurrent flow
// problem (Shahrokhi and Matula 1990), turned round, as a linear program over
// paths that are generated when needed (Ford and Fulkerson 1958). The dual values
// of the master problem are lengths of the circuits that sum to 1; a path shorter
// than those in use improves the routing, and whatever the lengths, the total of
// amount x distance is a lower bound on every peak. When both meet, the routing is
// proven optimal. With a group, rows are orbits of bundles and demands are
// representatives: averaging any optimal routing over the group gives a symmetric
// one of the same peak, so nothing is lost (on a Cayley graph the program has one
// row per generator).
//
// A second phase with the same peak minimises the total of bytes x hops. Each
// round of pricing costs one Dijkstra search per source; see master for the rest.
// The program has a dense inverse of (classes+1)^2 numbers: a thousand classes are
// comfortable, ten thousand are not.
//
// The error is a *beyond once it is proven that every peak is above within.
func solveColumns(ctx context.Context, p Problem, cl *classes, short, split *Result, within float64) (*Result, error) {
	s := newGenerator(p, cl, short)
	if err := s.begin(ctx, short, split, within/s.unit); err != nil {
		return nil, err
	}
	if err := s.minimisePeak(ctx, within/s.unit); err != nil {
		return nil, err
	}
	peak := s.cleanLoad()
	if err := s.minimiseHops(ctx); err != nil {
		return nil, err
	}
	s.removePerturbation(peak)

	res := &Result{Routes: s.routes(), Method: MethodColumns}
	var err error
	if res.Load, err = loadOf(p.Graph, cl, p.Demands, res.Routes); err != nil {
		return nil, err
	}
	// Only a program that was cut off can be worse than what it started from.
	for _, r := range []*Result{split, short} {
		if r != nil && r.Load.Peak < res.Load.Peak && !meets(res.Load.Peak, r.Load.Peak) {
			kept := *r
			res = &kept
		}
	}
	res.Bound = min(max(short.Bound, s.bound*s.unit), res.Load.Peak)
	res.Work = s.work + s.m.work + int64(s.searches*p.Graph.Bundles())
	res.lengths = s.proof
	return res, nil
}

func newGenerator(p Problem, cl *classes, short *Result) *generator {
	s := &generator{
		p:       p,
		cl:      cl,
		unit:    short.Bound,
		lengths: make([]float64, len(cl.circuits)),
		loads:   make([]float64, len(cl.circuits)),
	}
	// Self-loops never lead anywhere new; the class is only looked up.
	of := slices.Clone(cl.of)
	for b, c := range of {
		of[b] = max(c, 0)
	}
	s.search = newPathSearch(p, of)
	s.start, s.list = byNode(p.Graph.Nodes(), p.Demands, func(d Demand) int { return d.Src })
	s.targets = destinations(p.Demands, s.list)
	return s
}

// begin makes the master: of whole routings where split is nil, and else of the two ways over
// shortest paths. The error is a *beyond once the bound is above within.
func (s *generator) begin(ctx context.Context, short, split *Result, within float64) error {
	amount := make([]float64, len(s.p.Demands))
	for i, d := range s.p.Demands {
		amount[i] = d.Amount / s.unit
	}
	cols := make([]pathColumn, len(amount))
	if split == nil {
		mix, err := s.wholeRoutings(ctx, short, within)
		if err != nil {
			return err
		}
		s.keys(mix)
		for i, routes := range mix {
			cols[i] = routes[0].pathColumn
		}
		s.m = newMaster(s.cl.circuits, amount, cols)
		for _, routes := range mix {
			for _, r := range routes[1:] {
				s.m.add(r.pathColumn)
			}
		}
		return nil
	}
	for i := range cols {
		cols[i] = s.column(i, short.Routes[i][0].Path)
	}
	s.m = newMaster(s.cl.circuits, amount, cols)
	for i, routes := range split.Routes {
		for _, r := range routes {
			if !slices.Equal(r.Path, short.Routes[i][0].Path) {
				s.m.add(s.column(i, r.Path))
			}
		}
	}
	return nil
}

// column makes the column of a path: how often it passes each class.
func (s *generator) column(demand int, path []int32) pathColumn {
	col := pathColumn{demand: demand, path: path, rows: make([]int32, 0, len(path)-1)}
	for h := 1; h < len(path); h++ {
		c := s.cl.of[s.p.Graph.Find(int(path[h-1]), int(path[h]))]
		if s.loads[c] == 0 {
			col.rows = append(col.rows, c)
		}
		s.loads[c]++
	}
	slices.Sort(col.rows)
	col.times = make([]float64, len(col.rows))
	for k, c := range col.rows {
		col.times[k] = s.loads[c]
		s.loads[c] = 0
	}
	return col
}

func (s *generator) pivotLimit() int {
	return s.m.pivots + pivotsPerRow*(len(s.m.rhs)+len(s.m.amount))
}

// minimisePeak runs the first phase; the error is a *beyond once the bound is above within.
func (s *generator) minimisePeak(ctx context.Context, within float64) error {
	limit := s.pivotLimit()
	for {
		done, err := s.m.optimise(ctx, limit)
		if err != nil {
			return err
		}
		total, _, added, err := s.generate(ctx)
		if err != nil {
			return err
		}
		room := 0.0
		for c, l := range s.lengths {
			room += s.cl.circuits[c] * l
		}
		if room > 0 {
			s.prove(total/room, s.lengths)
		}
		if s.bound > within {
			return &beyond{bound: s.bound * s.unit}
		}
		if !done || added == 0 || meets(s.m.load(), s.bound) {
			return nil
		}
	}
}

// minimiseHops runs the second phase, with the peak held.
func (s *generator) minimiseHops(ctx context.Context) error {
	m := s.m
	m.rhs[len(m.rhs)-1] = m.load() + perturbation
	m.byHops = true
	m.stalled = 0
	m.resolve()
	limit := s.pivotLimit()
	for {
		done, err := m.optimise(ctx, limit)
		if err != nil || !done {
			return err
		}
		total, now, added, err := s.generate(ctx)
		if err != nil || added == 0 || now-total <= hopGap*now {
			return err
		}
	}
}

// generate prices: it adds the shortest path of every demand for which that is
// shorter than the paths in use. It returns the total of amount x distance, the
// same with the paths in use, and the number of paths added.
func (s *generator) generate(ctx context.Context) (total, now float64, added int, err error) {
	m := s.m
	for c := range s.lengths {
		s.lengths[c] = max(0, m.length[c])
	}
	perHop := 0.0
	if m.byHops {
		perHop = 1
	}
	for src := range s.p.Graph.Nodes() {
		here := s.list[s.start[src]:s.start[src+1]]
		if len(here) == 0 {
			continue
		}
		if err := ctx.Err(); err != nil {
			return 0, 0, 0, err
		}
		s.searches++
		s.search.search(src, s.targets[s.start[src]:s.start[src+1]], s.lengths, perHop)
		for _, i := range here {
			dst := s.p.Demands[i].Dst
			dist := s.search.distance(dst)
			key := m.along(&m.cols[m.key[i]])
			total += m.amount[i] * dist
			now += m.amount[i] * key
			if key-dist > improving*key+improvingSlack {
				m.add(s.column(i, s.search.path(dst)))
				added++
			}
		}
	}
	return total, now, added, nil
}

// unperturbed solves the present basis for the right-hand side without the
// perturbation and with the given cap, and reports whether it stays feasible. If
// not, everything is as before.
func (s *generator) unperturbed(limit float64) bool {
	m := s.m
	before := slices.Clone(m.rhs)
	clear(m.rhs)
	m.rhs[len(m.rhs)-1] = limit
	m.resolve()
	lowest := min(slices.Min(m.x), slices.Min(m.keyX))
	if lowest >= -cleanTolerance*max(1, limit) {
		return true
	}
	copy(m.rhs, before)
	m.resolve()
	return false
}

// cleanLoad returns the optimal peak without the perturbation, and leaves the
// master as it is.
func (s *generator) cleanLoad() float64 {
	m := s.m
	before := slices.Clone(m.rhs)
	s.unperturbed(before[len(before)-1])
	peak := m.load()
	copy(m.rhs, before)
	m.resolve()
	return peak
}

// removePerturbation makes the final flows exact where the basis allows.
func (s *generator) removePerturbation(peak float64) {
	if s.m.invert() {
		s.unperturbed(peak)
	}
}

// routes turns the flows of the master into shares.
func (s *generator) routes() [][]Route {
	m := s.m
	flow := make([]float64, len(m.cols))
	for c, k := range m.key {
		flow[k] = m.keyX[c]
	}
	for i, v := range m.basis {
		if m.column(v) != nil {
			flow[v-m.loadVar()-1] = m.x[i]
		}
	}
	routes := make([][]Route, len(s.p.Demands))
	for k, f := range flow {
		c := m.cols[k].demand
		if f > 0 {
			routes[c] = append(routes[c], Route{Path: m.cols[k].path, Share: f / m.amount[c]})
		}
	}
	for c := range routes {
		if routes[c] = normalise(routes[c]); len(routes[c]) == 0 {
			routes[c] = []Route{{Path: m.cols[m.key[c]].path, Share: 1}}
		}
	}
	return routes
}
