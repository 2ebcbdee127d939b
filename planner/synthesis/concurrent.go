package synthesis

import (
	"math"
	"slices"

	"github.com/lightpath-net/lightpath/flow"
	"github.com/lightpath-net/lightpath/lp"
)

// This file finds the dual values of concurrent flows: lengths of circuits that bound the load of
// the most loaded circuit not only on one topology but on all of them, see cut. Package flow
// finds routes, but not the lengths that prove them.

// arcs are the ordered pairs of n nodes, sorted into classes within which all have the
// same capacity and, by symmetry, the same load.
type arcs struct {
	n     int
	class []int     // of pair u*n+v; -1 where u = v
	size  []float64 // pairs in each class
	first []int     // the first pair of each class
}

// commodity is a demand that stands for weight images.
type commodity struct {
	flow.Demand
	weight float64
}

// cut is a lower bound on the largest load of a step on any topology: with x(u,v) circuits from u
// to v, the load is at least 1/(sum over pairs of length(u,v) x(u,v)). The lengths are scaled
// such that the demands, each times its distance, sum to 1. Any routing uses at least that much
// length, and at most the load times the length of all circuits (the weak duality of concurrent
// flows, Shahrokhi and Matula 1990).
type cut struct {
	length []float64 // per class of arcs
}

// concurrent finds cuts for the demands of one step if routes are limited to a number of hops. It
// keeps its working memory between calls.
type concurrent struct {
	*arcs
	demands []commodity
	hops    int // limit on the hops of a route; n-1: none
	scale   float64

	row     []int     // per class: its row in the program, -1 if it has no circuits
	next    [][]int   // per node: where circuits lead
	length  []float64 // per class
	sources []int
	dist    [][]float64 // per source and round: distances over at most as many hops as rounds
	via     [][]int32   // the same: the previous node, -1 if the round changed nothing
	rounds  []int       // per source: rounds until nothing changed
	far     []float64   // per source: the largest distance of its demands
	known   []route     // paths found before, also for other capacities
	work    int64       // roughly how many numbers all calls of solve touched
}

// route is a path of a demand, by the classes that it uses.
type route struct {
	demand  int
	classes []int
}

// maxRoutes limits the number of remembered paths.
const maxRoutes = 1024

func newConcurrent(a *arcs, demands []commodity, hops int) *concurrent {
	n := a.n
	c := &concurrent{
		arcs: a, demands: demands, hops: min(hops, n-1),
		row: make([]int, len(a.size)), length: make([]float64, len(a.size)),
		next: make([][]int, n), dist: make([][]float64, n), via: make([][]int32, n),
		rounds: make([]int, n), far: make([]float64, n),
	}
	for _, d := range demands {
		c.scale = max(c.scale, d.Amount)
		if c.dist[d.Src] == nil {
			c.sources = append(c.sources, d.Src)
			c.dist[d.Src] = make([]float64, (c.hops+1)*n)
			c.via[d.Src] = make([]int32, (c.hops+1)*n)
		}
	}
	return c
}

// solve finds the cut that is tight for the given capacities, one per class, and the
// load that it proves there. It reports false if some demand has no path.
//
// The program maximises theta such that theta times each demand is sent over paths, and the paths
// over a circuit of class o together have at most capacity[o]. Paths are generated when needed,
// as the shortest under the prices of the circuits (Ford and Fulkerson 1958), after the known
// paths have been used. It takes O((classes + demands)^2) per pivot.
func (c *concurrent) solve(capacity []float64) (peak float64, tight cut, ok bool) {
	p := c.start(capacity)
	defer func() { c.work += p.Work }()
	for o := range c.length {
		c.length[o] = 1
	}
	c.search()
	for _, d := range c.demands {
		if math.IsInf(c.distance(d.Src, d.Dst), 1) {
			return 0, cut{}, false
		}
	}
	first := p.Rows() - len(c.demands) // first row of the demands
	theta := lp.Column{Weight: 1}
	for k, d := range c.demands {
		theta.Add(first+k, d.Amount/c.scale)
	}
	p.Enter(&theta)
	c.reuse(p, &theta, first)
	for added := true; added; {
		added = false
		for k := range c.demands {
			path := c.path(k)
			if col := c.column(path, first); p.Enter(&col) {
				c.remember(path)
				added = true
			}
		}
		p.Settle()
		added = p.Enter(&theta) || added
		c.measure(p)
	}
	if peak, tight = c.conclude(capacity); !(peak > 0) {
		for o := range c.length { // the program gave up: count hops instead
			c.length[o] = 1
		}
		c.search()
		peak, tight = c.conclude(capacity)
	}
	return peak, tight, true
}

// start sets up the program: a row per class with capacity, then one per demand.
func (c *concurrent) start(capacity []float64) *lp.Packing {
	n := c.n
	var b []float64
	for o, x := range capacity {
		c.row[o] = -1
		if x > 0 {
			c.row[o] = len(b)
			b = append(b, x)
		}
	}
	for u := range n {
		c.next[u] = c.next[u][:0]
		for v := range n {
			if o := c.class[u*n+v]; o >= 0 && c.row[o] >= 0 {
				c.next[u] = append(c.next[u], v)
			}
		}
	}
	return lp.NewPacking(append(b, make([]float64, len(c.demands))...))
}

// search finds the distances from every source under the current lengths, in rounds that each
// allow one more hop (Bellman 1958), until nothing changes or the limit is reached. Only nodes
// that the previous round brought nearer can bring others nearer.
func (c *concurrent) search() {
	n := c.n
	for _, s := range c.sources {
		dist, via := c.dist[s], c.via[s]
		for v := range n {
			dist[v], via[v] = inf, -1
		}
		dist[s], via[s] = 0, int32(s)
		c.rounds[s] = 0
		for r := 1; r <= c.hops && c.round(dist[(r-1)*n:(r+1)*n], via[(r-1)*n:(r+1)*n]); r++ {
			c.rounds[s] = r
			c.work += int64(n * n)
		}
	}
}

// round allows one more hop. The first half of both slices is the previous round, the second half
// this one. It reports whether any node came nearer.
func (c *concurrent) round(dist []float64, via []int32) bool {
	n := c.n
	before, now, came := dist[:n], dist[n:], via[n:]
	copy(now, before)
	for v := range came {
		came[v] = -1
	}
	changed := false
	for u, last := range via[:n] {
		if last < 0 {
			continue
		}
		for _, v := range c.next[u] {
			if d := before[u] + c.length[c.class[u*n+v]]; d < now[v] {
				now[v], came[v], changed = d, int32(u), true
			}
		}
	}
	return changed
}

// within returns the distances from a source over at most r hops.
func (c *concurrent) within(src, r int) []float64 {
	r = min(r, c.rounds[src])
	return c.dist[src][r*c.n : (r+1)*c.n]
}

func (c *concurrent) distance(src, dst int) float64 { return c.within(src, c.hops)[dst] }

// measure sets the lengths to the prices of the circuits and searches again.
func (c *concurrent) measure(p *lp.Packing) {
	for o, r := range c.row {
		if r >= 0 {
			c.length[o] = max(0, p.Prices[r])
		}
	}
	c.search()
}

// reuse enters the known paths into the program until none improves it.
func (c *concurrent) reuse(p *lp.Packing, theta *lp.Column, first int) {
	var columns []lp.Column
	for _, path := range c.known {
		if !slices.ContainsFunc(path.classes, func(o int) bool { return c.row[o] < 0 }) {
			columns = append(columns, c.column(path, first))
		}
	}
	for added := len(columns) > 0; added; {
		added = false
		for k := range columns {
			added = p.Enter(&columns[k]) || added
		}
		p.Settle()
		added = p.Enter(theta) || added
	}
	c.measure(p)
}

// remember keeps a path for later calls with other capacities.
func (c *concurrent) remember(path route) {
	if len(c.known) < maxRoutes {
		c.known = append(c.known, path)
	}
}

// path returns the shortest path of demand k.
func (c *concurrent) path(k int) route {
	d := c.demands[k]
	path := route{demand: k}
	v := d.Dst
	for r := c.rounds[d.Src]; v != d.Src; r-- {
		u := int(c.via[d.Src][r*c.n+v])
		if u < 0 {
			continue // the path was found in an earlier round
		}
		path.classes = append(path.classes, c.class[u*c.n+v])
		v = u
	}
	return path
}

// column returns the variable of a path. A use of a class counts once for every image of
// the demand, spread over the arcs of the class.
func (c *concurrent) column(path route, first int) lp.Column {
	var col lp.Column
	col.Add(first+path.demand, -1)
	for _, o := range path.classes {
		col.Add(c.row[o], c.demands[path.demand].weight/c.size[o])
	}
	return col
}

// conclude turns the current lengths into a cut. It gives classes without circuits the least
// lengths that shorten no demand's path, and scales all lengths so that the demands times their
// distances sum to 1.
func (c *concurrent) conclude(capacity []float64) (peak float64, tight cut) {
	total, room := 0.0, 0.0
	clear(c.far)
	for _, d := range c.demands {
		dist := c.distance(d.Src, d.Dst)
		total += d.weight * d.Amount * dist
		c.far[d.Src] = max(c.far[d.Src], dist)
	}
	for o, x := range capacity {
		if x > 0 {
			room += x * c.size[o] * c.length[o]
		} else {
			c.length[o] = 0
		}
	}
	for _, s := range c.sources {
		if c.hops == c.n-1 {
			c.stretch(c.within(s, c.hops), c.within(s, c.hops), c.far[s])
			continue
		}
		for r := range c.hops {
			c.stretch(c.within(s, r), c.within(s, r+1), c.far[s])
		}
	}
	tight.length = make([]float64, len(c.length))
	for o, l := range c.length {
		tight.length[o] = l / total
	}
	return total / room, tight
}

// stretch makes the arcs without circuits long enough that the distances from a source, capped at
// far, stay a potential: an arc from u, reached within some hops, to v must not undercut the
// distance of v within one more hop.
func (c *concurrent) stretch(before, after []float64, far float64) {
	n := c.n
	for u := range n {
		at := min(before[u], far)
		if at == far {
			continue
		}
		for v := range n {
			if o := c.class[u*n+v]; o >= 0 && c.row[o] < 0 {
				c.length[o] = max(c.length[o], min(after[v], far)-at)
			}
		}
	}
}
