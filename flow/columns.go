package flow

import (
	"context"
	"slices"

	"github.com/lightpath-net/lightpath/flow/search"
	"github.com/lightpath-net/lightpath/lp"
)

// hopGap is the relative distance from the smallest total of bytes x hops at which the second
// phase stops. It affects only the choice among routings with the same peak, for which a
// millionth is no loss but saves the long tail of column generation.
const hopGap = 1e-6

// pivotsPerRow limits the pivots of each phase per row of the whole program. It is about twenty
// times what random instances need; a routing that is cut off there is still valid and its
// Bound still proven.
const pivotsPerRow = 200

// generator runs column generation on one problem.
type generator struct {
	p       Problem
	cl      *classes
	unit    float64 // bytes per unit of the master problem
	amount  []float64
	m       *lp.Balance // the master problem; its weights are hops
	cols    []pathColumn
	byHops  bool // in the second phase
	search  search.Paths
	start   []int // demands by source: see byNode
	list    []int
	targets []int32   // destinations of list
	bound   float64   // best lower bound so far, in units
	proof   []float64 // the lengths that prove it
	loads   []float64
	lengths []float64

	searches int   // searches for paths, each from one node
	work     int64 // numbers touched before there was a master, approximately
}

// solveColumns finds the routing with the smallest peak. This is the inverse of the maximum
// concurrent flow problem (Shahrokhi and Matula 1990), as a linear program over paths that are
// generated when needed (Ford and Fulkerson 1958). The dual values of the master problem are
// lengths of the circuits that sum to 1. A path shorter than those in use improves the routing,
// and for any lengths the total of amount x distance is a lower bound on every peak. When both
// meet, the routing is proven optimal. With a group, rows are orbits of bundles and demands are
// representatives: averaging any optimal routing over the group gives a symmetric one with the
// same peak, so nothing is lost (on a Cayley graph the program has one row per generator).
//
// A second phase with the same peak minimises the total of bytes x hops. Each
// round of pricing costs one Dijkstra search per source; see lp.Balance for the rest.
// The program has a dense inverse of (classes+1)^2 numbers: a thousand classes are
// comfortable, ten thousand are not.
//
// The error is a *beyond if it is proven that every peak is above within.
func solveColumns(ctx context.Context, p Problem, cl *classes, short, split *Result, within float64) (*Result, error) {
	return solveColumnsFrom(ctx, p, cl, begins{short: short, split: split}, within)
}

// begins are the routings from which a program may begin: those over whole and over split shortest
// paths, and one within more hops. The last two may be nil.
type begins struct{ short, split, wide *Result }

// solveColumnsFrom is solveColumns that begins with the routes of wide that have few enough hops,
// too.
func solveColumnsFrom(ctx context.Context, p Problem, cl *classes, from begins, within float64) (*Result, error) {
	short, split := from.short, from.split
	s := newGenerator(p, cl, short)
	if err := s.begin(ctx, from, within/s.unit); err != nil {
		return nil, err
	}
	if err := s.minimisePeak(ctx, within/s.unit); err != nil {
		return nil, err
	}
	peak := s.m.CleanPeak()
	if err := s.minimiseHops(ctx); err != nil {
		return nil, err
	}
	s.m.RemovePerturbation(peak)

	res := &Result{Routes: s.routes(), Method: MethodColumns}
	var err error
	if res.Load, err = loadOf(p.Graph, cl, p.Demands, res.Routes); err != nil {
		return nil, err
	}
	// Only a program that was cut off can be worse than its start.
	for _, r := range []*Result{split, short} {
		if r != nil && r.Load.Peak < res.Load.Peak && !meets(res.Load.Peak, r.Load.Peak) {
			kept := *r
			res = &kept
		}
	}
	res.Bound = min(max(short.Bound, s.bound*s.unit), res.Load.Peak)
	res.Work = s.work + s.m.Work + int64(s.searches*p.Graph.Bundles())
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
	// Self-loops never lead anywhere new, but their class is looked up.
	of := slices.Clone(cl.of)
	for b, c := range of {
		of[b] = max(c, 0)
	}
	s.search = search.New(p.Graph, of, p.MaxHops)
	s.start, s.list = byNode(p.Graph.Nodes(), p.Demands, func(d Demand) int { return d.Src })
	s.targets = destinations(p.Demands, s.list)
	return s
}

// begin makes the master: of whole routings if split is nil, otherwise of the two ways over
// shortest paths, and of routes of wide, unless it is nil. The error is a *beyond if the bound
// exceeds within.
func (s *generator) begin(ctx context.Context, from begins, within float64) error {
	short, split, wide := from.short, from.split, from.wide
	s.amount = make([]float64, len(s.p.Demands))
	for i, d := range s.p.Demands {
		s.amount[i] = d.Amount / s.unit
	}
	cols := make([]pathColumn, len(s.amount))
	if split == nil {
		mix, err := s.wholeRoutings(ctx, short, within)
		if err != nil {
			return err
		}
		s.keys(mix)
		for i, routes := range mix {
			cols[i] = routes[0].pathColumn
		}
		s.master(s.cl.circuits, cols)
		for _, routes := range mix {
			for _, r := range routes[1:] {
				s.add(r.pathColumn)
			}
		}
		return nil
	}
	if wide != nil {
		s.beginNear(short, split, wide)
		return nil
	}
	for i := range cols {
		cols[i] = s.column(i, short.Routes[i][0].Path)
	}
	s.master(s.cl.circuits, cols)
	for i, routes := range split.Routes {
		for _, r := range routes {
			if !slices.Equal(r.Path, short.Routes[i][0].Path) {
				s.add(s.column(i, r.Path))
			}
		}
	}
	return nil
}

// beginNear makes the master of paths of three routings. Every demand begins on the largest route
// of wide that has few enough hops: most of its routes do, so few pivots are left.
func (s *generator) beginNear(short, split, wide *Result) {
	cols := make([]pathColumn, len(s.amount))
	others := make([][][]int32, len(s.amount))
	for i := range cols {
		most, best := 0.0, short.Routes[i][0].Path
		for _, r := range wide.Routes[i] {
			if len(r.Path)-1 <= s.p.MaxHops && r.Share > most {
				most, best = r.Share, r.Path
			}
		}
		cols[i] = s.column(i, best)
		known := [][]int32{best}
		for _, from := range []*Result{short, split, wide} {
			for _, r := range from.Routes[i] {
				if len(r.Path)-1 <= s.p.MaxHops && !slices.ContainsFunc(known, func(k []int32) bool { return slices.Equal(k, r.Path) }) {
					known = append(known, r.Path)
				}
			}
		}
		others[i] = known[1:]
	}
	s.master(s.cl.circuits, cols)
	for i, paths := range others {
		for _, path := range paths {
			s.add(s.column(i, path))
		}
	}
}

// pathColumn is a variable of the master problem: the bytes of a demand on a path.
type pathColumn struct {
	lp.Column
	path []int32
}

// master begins the master problem with one path per demand.
func (s *generator) master(circuits []float64, cols []pathColumn) {
	first := make([]lp.Column, len(cols))
	for i := range cols {
		first[i] = cols[i].Column
	}
	s.cols = cols
	s.m = lp.NewBalance(circuits, s.amount, first)
}

// add gives the master problem a path to choose from.
func (s *generator) add(c pathColumn) {
	s.cols = append(s.cols, c)
	s.m.Add(c.Column)
}

// column makes the column of a path: how often it passes each class.
func (s *generator) column(demand int, path []int32) pathColumn {
	col := pathColumn{lp.Column{Number: demand, Weight: float64(len(path) - 1), Rows: make([]int32, 0, len(path)-1)}, path}
	for h := 1; h < len(path); h++ {
		c := s.cl.of[s.p.Graph.Find(int(path[h-1]), int(path[h]))]
		if s.loads[c] == 0 {
			col.Rows = append(col.Rows, c)
		}
		s.loads[c]++
	}
	slices.Sort(col.Rows)
	col.Values = make([]float64, len(col.Rows))
	for k, c := range col.Rows {
		col.Values[k] = s.loads[c]
		s.loads[c] = 0
	}
	return col
}

func (s *generator) pivotLimit() int {
	return s.m.Pivots + pivotsPerRow*(s.m.Rows()+len(s.amount))
}

// minimisePeak runs the first phase; the error is a *beyond if the bound exceeds within.
func (s *generator) minimisePeak(ctx context.Context, within float64) error {
	limit := s.pivotLimit()
	for {
		done, err := s.m.Optimise(ctx, limit)
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
		if !done || added == 0 || meets(s.m.Peak(), s.bound) {
			return nil
		}
	}
}

// minimiseHops runs the second phase, with the peak held.
func (s *generator) minimiseHops(ctx context.Context) error {
	s.m.ByWeight()
	s.byHops = true
	limit := s.pivotLimit()
	for {
		done, err := s.m.Optimise(ctx, limit)
		if err != nil || !done {
			return err
		}
		total, now, added, err := s.generate(ctx)
		if err != nil || added == 0 || now-total <= hopGap*now {
			return err
		}
	}
}

// generate prices: it adds the shortest path of every demand if that is shorter than the paths
// in use. It returns the total of amount x distance, the same with the paths in use, and the
// number of paths added.
func (s *generator) generate(ctx context.Context) (total, now float64, added int, err error) {
	for c := range s.lengths {
		s.lengths[c] = s.m.Price(c)
	}
	perHop := 0.0
	if s.byHops {
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
		s.search.Search(src, s.targets[s.start[src]:s.start[src+1]], s.lengths, perHop)
		for _, i := range here {
			dst := s.p.Demands[i].Dst
			dist := s.search.Distance(dst)
			key := s.m.KeyCost(i)
			total += s.amount[i] * dist
			now += s.amount[i] * key
			if lp.Improves(dist, key) {
				s.add(s.column(i, s.search.Path(dst)))
				added++
			}
		}
	}
	return total, now, added, nil
}

// routes converts the flows of the master into shares.
func (s *generator) routes() [][]Route {
	routes := make([][]Route, len(s.p.Demands))
	for k, f := range s.m.Values() {
		c := s.cols[k].Number
		if f > 0 {
			routes[c] = append(routes[c], Route{Path: s.cols[k].path, Share: f / s.amount[c]})
		}
	}
	for c := range routes {
		if routes[c] = normalise(routes[c]); len(routes[c]) == 0 {
			routes[c] = []Route{{Path: s.cols[s.m.Key(c)].path, Share: 1}}
		}
	}
	return routes
}
