package flow

import (
	"context"
	"math"
	"slices"
	"sort"

	"github.com/lightpath-net/lightpath/lp"
)

// Delayed is a step on circuits with different delays, or with routes that are sent hop by hop.
type Delayed struct {
	Problem
	// Delay returns the delay of a circuit, >= 0, in integer units of any kind. It must be the
	// same for all images under Group.
	Delay func(from, to int) int64
	// Serial says that a route sends all its bytes over one circuit before the next
	// (store-and-forward), so that its dilation counts like the loads of its circuits.
	Serial bool
	// Time must grow with each part of a load, and with the largest sum of delays along a route.
	Time func(l Load, flight int64) float64
}

// These limit the programs of FastestDelayed, which are solved again whenever paths or rows are
// added: with 256 rows that takes some tens of milliseconds.
const (
	delayedRows   = 1 << 8  // most demands plus circuits
	delayedPaths  = 1 << 9  // most paths with a row of their own
	delayedRounds = 1 << 7  // most rounds of adding paths and rows for one limit on delays
	delayedTrials = 1 << 12 // most hops tried for one path
)

// delayedTolerance is how far a route's dilation may be above the load before it gets a row of
// its own: above the effect of perturbations on loads.
const delayedTolerance = 1e-9

// FastestDelayed returns the routes that take the least time. It reports false if the problem
// is too large for that, or if a work limit ended it before it had shown that no routes are
// faster; routes may then be nil.
//
// With x_p bytes on path p, whose bundles e have c(e) circuits each, time depends on the
// smallest T with
//
//	sum of x_p over the paths through e <= c(e) T      for every bundle
//	x_p * sum of 1/c(e) over the bundles of p <= T     for every path, where Serial
//
// and on the largest delay of a path in use. The first is a linear program over paths, which
// are generated when needed as in solveColumns. Rows of the second kind are generated, too, for
// paths that violate them. An unknown path has no such row, so its price is only the length of
// its bundles. The shortest unknown path is found by following all paths that could be short
// enough. Delays are handled from the longest: once T cannot become smaller with paths of some
// delay, only paths with less delay can be faster, and only with so much less that the time
// could be below the best.
func FastestDelayed(ctx context.Context, p Delayed) (*Result, bool, error) {
	l, err := newLadder(p.Problem)
	if err != nil {
		return nil, false, err
	}
	if len(l.cl.circuits)+len(p.Demands) > delayedRows {
		return nil, false, nil
	}
	d := &delayed{Delayed: p, cl: l.cl, known: make([][]delayedPath, len(p.Demands)), seen: make([]bool, p.Graph.Nodes())}
	for _, policy := range []Policy{Shortest, ShortestSplit, Optimal} {
		r, err := l.solve(ctx, policy, 0, math.Inf(1))
		if err != nil {
			return nil, false, err
		}
		d.unit = r.Bound
		for i, ways := range r.Routes {
			for _, way := range ways {
				d.learn(i, way.Path)
			}
		}
		d.keep(r, d.flight(r.Routes))
	}
	fewest := d.soonest()
	// No path takes longer than all circuits together.
	longest := int64(0)
	for e := range p.Graph.Edges() {
		longest += p.Delay(e.From, e.To)
	}
	for within := longest; within >= fewest; {
		r, least, done, err := d.within(ctx, within)
		if err != nil {
			return nil, false, err
		}
		if !done {
			d.keep(r, d.flight(r.Routes))
			return d.best, false, nil
		}
		flight := d.flight(r.Routes)
		d.keep(r, flight)
		// Less delay never allows a smaller load.
		bound := d.bytes(least)
		useful := sort.Search(int(flight-fewest), func(k int) bool { return p.Time(bound, fewest+int64(k)) >= d.least })
		within = fewest + int64(useful) - 1
	}
	return d.best, true, nil
}

// delayed finds the routes of one step.
type delayed struct {
	Delayed
	cl    *classes
	unit  float64 // bytes per unit of the programs
	known [][]delayedPath
	best  *Result
	least float64 // time of best

	seen   []bool
	trials int
}

// delayedPath is a path of a demand.
type delayedPath struct {
	path   []int32
	delay  int64
	serial float64 // sum of 1/circuits
	ruled  bool    // it has a row
}

// bytes is the load of a T.
func (d *delayed) bytes(t float64) Load {
	l := Load{Peak: t, Hops: 1}
	if d.Serial {
		l.Dilation = t
	}
	return l
}

func (d *delayed) keep(r *Result, flight int64) {
	if time := d.Time(r.Load, flight); d.best == nil || time < d.least {
		d.best, d.least = r, time
	}
}

// flight returns the largest delay of routes.
func (d *delayed) flight(routes [][]Route) int64 {
	longest := int64(0)
	for _, ways := range routes {
		for _, way := range ways {
			longest = max(longest, d.measure(way.Path).delay)
		}
	}
	return longest
}

func (d *delayed) measure(path []int32) delayedPath {
	p := delayedPath{path: path}
	for h := 1; h < len(path); h++ {
		p.delay += d.Delay(int(path[h-1]), int(path[h]))
		p.serial += 1 / d.cl.circuits[d.cl.of[d.Graph.Find(int(path[h-1]), int(path[h]))]]
	}
	return p
}

// learn adds a path to those of a demand, and reports whether it is new.
func (d *delayed) learn(demand int, path []int32) bool {
	if slices.ContainsFunc(d.known[demand], func(k delayedPath) bool { return slices.Equal(k.path, path) }) {
		return false
	}
	d.known[demand] = append(d.known[demand], d.measure(path))
	return true
}

// soonest learns the path with the least delay of every demand, and returns the largest of
// these delays.
func (d *delayed) soonest() int64 {
	most := int64(0)
	none := make([]float64, len(d.cl.circuits))
	for i, demand := range d.Demands {
		sooner := d.remaining(demand.Dst, none)
		path := []int32{int32(demand.Src)}
		for u := demand.Src; u != demand.Dst; u = int(path[len(path)-1]) {
			to, _ := d.Graph.Row(u)
			for _, v := range to {
				// Among hops that take no time, prefer those that come nearer.
				if next := sooner[v]; int(v) != u && next.delay+d.Delay(u, int(v)) == sooner[u].delay && next.hops < sooner[u].hops {
					path = append(path, v)
					break
				}
			}
		}
		d.learn(i, path)
		most = max(most, sooner[demand.Src].delay)
	}
	return most
}

// remainder is a lower bound on the rest of a path to a destination: delay, with the fewest
// hops for it, and length.
type remainder struct {
	delay  int64
	hops   int
	length float64
}

// remaining returns the remainder from every node, by rounds over all bundles (Bellman 1958).
func (d *delayed) remaining(dst int, length []float64) []remainder {
	left := make([]remainder, d.Graph.Nodes())
	for u := range left {
		left[u] = remainder{math.MaxInt64 / 2, math.MaxInt32, math.Inf(1)}
	}
	left[dst] = remainder{}
	for changed := true; changed; {
		changed = false
		bundle := 0
		for e := range d.Graph.Edges() {
			c := d.cl.of[bundle]
			bundle++
			if c == selfLoop {
				continue
			}
			u, v := &left[e.From], &left[e.To]
			delay, hops := v.delay+d.Delay(e.From, e.To), v.hops+1
			if delay < u.delay || delay == u.delay && hops < u.hops {
				u.delay, u.hops, changed = delay, hops, true
			}
			if next := v.length + length[c]; next < u.length {
				u.length, changed = next, true
			}
		}
	}
	return left
}

// within solves the program over paths of at most the given delay. It returns the routes, a
// lower bound on T, and whether the routes reach it.
func (d *delayed) within(ctx context.Context, delay int64) (r *Result, least float64, done bool, err error) {
	least = d.unit
	for range delayedRounds {
		g, of, ok, err := d.program(ctx, delay)
		if err != nil {
			return nil, 0, false, err
		}
		load := g.m.Peak()
		broken, ruled := d.rule(g.m, of, load)
		var added bool
		if !broken && ok {
			added, ok = d.generate(g.m, delay)
		}
		if (broken || added) && ok && ruled <= delayedPaths {
			if err := ctx.Err(); err != nil {
				return nil, 0, false, err
			}
			continue
		}
		done = ok && !broken && !added
		g.m.RemovePerturbation(g.m.CleanPeak())
		r = &Result{Routes: g.routes(), Method: MethodColumns, Bound: d.unit, Work: g.m.Work}
		if r.Load, err = loadOf(d.Graph, d.cl, d.Demands, r.Routes); err != nil {
			return nil, 0, false, err
		}
		if done {
			least = load * d.unit * (1 - delayedTolerance)
		}
		return r, least, done, nil
	}
	return d.best, least, false, nil
}

// program solves the linear program over the known paths of at most the given delay; of says
// which path each column is.
func (d *delayed) program(ctx context.Context, delay int64) (g *generator, of [][2]int, ok bool, err error) {
	circuits := slices.Clone(d.cl.circuits)
	g = &generator{p: d.Problem, cl: d.cl, unit: d.unit, loads: make([]float64, len(circuits))}
	g.amount = make([]float64, len(d.Demands))
	var first, more []pathColumn
	var ofMore [][2]int
	for i, demand := range d.Demands {
		g.amount[i] = demand.Amount / d.unit
		for k := range d.known[i] {
			p := &d.known[i][k]
			if p.delay > delay {
				continue
			}
			c := g.column(i, p.path)
			if p.ruled {
				c.Add(len(circuits), p.serial)
				circuits = append(circuits, 1)
			}
			if len(first) == i {
				first, of = append(first, c), append(of, [2]int{i, k})
			} else {
				more, ofMore = append(more, c), append(ofMore, [2]int{i, k})
			}
		}
	}
	g.master(circuits, first)
	for _, c := range more {
		g.add(c)
	}
	ok, err = g.m.Optimise(ctx, g.pivotLimit())
	return g, append(of, ofMore...), ok, err
}

// rule gives rows to the paths whose bytes take longer hop by hop than the load allows. It
// returns whether there are any, and how many paths have a row.
func (d *delayed) rule(m *lp.Balance, of [][2]int, load float64) (broken bool, ruled int) {
	if !d.Serial {
		return false, 0
	}
	bytes := m.Values()
	for k, at := range of {
		p := &d.known[at[0]][at[1]]
		if !p.ruled && len(p.path) > 2 && bytes[k]*p.serial > load*(1+delayedTolerance) {
			p.ruled, broken = true, true
		}
		if p.ruled {
			ruled++
		}
	}
	return broken, ruled
}

// generate learns, for every demand, a path that is shorter than those in use, if there is one.
// It reports false if some search was not finished.
func (d *delayed) generate(m *lp.Balance, delay int64) (added, ok bool) {
	lengths := make([]float64, len(d.cl.circuits))
	for c := range lengths {
		lengths[c] = m.Price(c)
	}
	ok = true
	for i, demand := range d.Demands {
		w := delayedWay{delayed: d, demand: i, left: d.remaining(demand.Dst, lengths), lengths: lengths, below: lp.Cheaper(m.KeyCost(i)), delay: delay}
		d.trials = 0
		if w.from(demand.Src, 0, 0) {
			added = true
		}
		ok = ok && d.trials <= delayedTrials
	}
	return added, ok
}

// delayedWay is a path during the search.
type delayedWay struct {
	*delayed
	demand  int
	left    []remainder
	lengths []float64
	below   float64 // upper limit on its length
	delay   int64
	path    []int32
}

// from extends the path from a node, nearest next nodes first, until it finds a new path.
func (w *delayedWay) from(u int, length float64, delay int64) bool {
	if w.trials++; w.trials > delayedTrials {
		return false
	}
	w.path = append(w.path, int32(u))
	defer func() { w.path = w.path[:len(w.path)-1] }()
	if u == w.Demands[w.demand].Dst {
		return w.learn(w.demand, slices.Clone(w.path))
	}
	w.seen[u] = true
	defer func() { w.seen[u] = false }()
	to, _ := w.Graph.Row(u)
	first := w.Graph.RowStart(u)
	next := make([]int, 0, len(to))
	ahead := func(i int) float64 { return w.lengths[w.cl.of[first+i]] + w.left[to[i]].length }
	for i, v := range to {
		if !w.seen[v] && length+ahead(i) < w.below && delay+w.Delay(u, int(v))+w.left[v].delay <= w.delay {
			next = append(next, i)
		}
	}
	sort.SliceStable(next, func(a, b int) bool { return ahead(next[a]) < ahead(next[b]) })
	for _, i := range next {
		if w.from(int(to[i]), length+w.lengths[w.cl.of[first+i]], delay+w.Delay(u, int(to[i]))) {
			return true
		}
	}
	return false
}
