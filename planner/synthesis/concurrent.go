package synthesis

import (
	"math"

	"github.com/lightpath-net/lightpath/flow"
)

// This file finds the dual values of concurrent flows: lengths of circuits from which
// the load of the most loaded circuit can be bounded not only on one topology but on
// all of them, see cut. flow finds routes; it does not tell the lengths that prove
// them.

// arcs are the ordered pairs of n nodes, sorted into classes within which all have the
// same capacity and, by symmetry, the same load.
type arcs struct {
	n     int
	class []int     // of pair u*n+v; -1 where u = v
	size  []float64 // pairs in each class
	first []int     // the first pair of each class
}

// commodity is a demand that stands for as many images as weight says.
type commodity struct {
	flow.Demand
	weight float64
}

// cut is a lower bound on the largest load of a step on every topology whatever: with
// x(u,v) circuits from u to v, it is at least 1/(sum over pairs of length(u,v) x(u,v)).
// Lengths are such that the demands, each times its distance, sum to 1; a routing
// passes at least that much length, and no more than the load times the length of all
// circuits (the weak duality of concurrent flows, Shahrokhi and Matula 1990).
type cut struct {
	length []float64 // per class of arcs
}

// concurrent finds cuts for the demands of one step, whose routes may have no more than
// a given number of hops. It keeps working memory.
type concurrent struct {
	*arcs
	demands []commodity
	hops    int // limit on the hops of a route, n-1 for none
	scale   float64

	row     []int // per class: its row in the program, -1 if it has no circuits
	next    [][]int
	length  []float64 // per class
	sources []int
	dist    [][]float64 // per source: by rounds, of at most so many hops
	via     [][]int32   // per source and round: the node before, -1 if the round changed nothing
	rounds  []int       // per source: rounds until nothing changed
	far     []float64   // per source: the largest distance of its demands
}

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
// The program is max theta: theta times each demand is sent over paths, and the paths
// over a circuit of class o have no more than capacity[o] together. Paths are found when
// they are needed, as the shortest under the prices of the circuits (Ford and Fulkerson
// 1958). It takes O((classes + demands)^2) per pivot.
func (c *concurrent) solve(capacity []float64) (peak float64, tight cut, ok bool) {
	p := c.start(capacity)
	for o := range c.length {
		c.length[o] = 1
	}
	c.search()
	for _, d := range c.demands {
		if math.IsInf(c.distance(d.Src, d.Dst), 1) {
			return 0, cut{}, false
		}
	}
	first := p.rows - len(c.demands) // of the rows of the demands
	theta := column{profit: 1}
	for k, d := range c.demands {
		theta.add(first+k, d.Amount/c.scale)
	}
	p.enter(&theta)
	for added := true; added; {
		added = false
		for k := range c.demands {
			path := c.path(k, first)
			added = p.enter(&path) || added
		}
		p.settle()
		added = p.enter(&theta) || added
		for o, r := range c.row {
			if r >= 0 {
				c.length[o] = max(0, p.dual[r])
			}
		}
		c.search()
	}
	return c.conclude(capacity)
}

// start sets up the program: a row per class with capacity, then one per demand.
func (c *concurrent) start(capacity []float64) *program {
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
	return newProgram(append(b, make([]float64, len(c.demands))...))
}

// search finds the distances from every source under the present lengths, by rounds of
// one hop more (Bellman 1958), until nothing changes or the limit is reached.
func (c *concurrent) search() {
	n := c.n
	for _, s := range c.sources {
		dist, via := c.dist[s], c.via[s]
		for v := range n {
			dist[v] = math.Inf(1)
		}
		dist[s] = 0
		c.rounds[s] = 0
		for r := 1; r <= c.hops; r++ {
			before, now := dist[(r-1)*n:r*n], dist[r*n:(r+1)*n]
			from := via[r*n : (r+1)*n]
			copy(now, before)
			changed := false
			for v := range from {
				from[v] = -1
			}
			for u, du := range before {
				if math.IsInf(du, 1) {
					continue
				}
				for _, v := range c.next[u] {
					if d := du + c.length[c.class[u*n+v]]; d < now[v] {
						now[v], from[v], changed = d, int32(u), true
					}
				}
			}
			if !changed {
				break
			}
			c.rounds[s] = r
		}
	}
}

// within returns the distances from a source over at most r hops.
func (c *concurrent) within(src, r int) []float64 {
	r = min(r, c.rounds[src])
	return c.dist[src][r*c.n : (r+1)*c.n]
}

func (c *concurrent) distance(src, dst int) float64 { return c.within(src, c.hops)[dst] }

// path returns the column of the shortest path of demand k. A use of a class counts
// once for every image of the demand, spread over the arcs of the class.
func (c *concurrent) path(k, first int) column {
	d := c.demands[k]
	var col column
	col.add(first+k, -1)
	v := d.Dst
	for r := c.rounds[d.Src]; v != d.Src; r-- {
		u := int(c.via[d.Src][r*c.n+v])
		if u < 0 {
			continue // the path was found in an earlier round
		}
		o := c.class[u*c.n+v]
		col.add(c.row[o], d.weight/c.size[o])
		v = u
	}
	return col
}

// conclude makes a cut of the present lengths: it adds lengths for the classes without
// circuits, as short as they can be without making any demand's way shorter, and scales
// all so that the demands times their distances sum to 1.
func (c *concurrent) conclude(capacity []float64) (peak float64, tight cut, ok bool) {
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
	return total / room, tight, true
}

// stretch makes the arcs without circuits long enough that the distances from a source,
// counted up to far, stay a potential: from u, reached within some hops, an arc to v
// must not undercut what v is away within one hop more.
func (c *concurrent) stretch(before, after []float64, far float64) {
	n := c.n
	for u := range n {
		at := min(before[u], far)
		if at == far {
			continue
		}
		for v := range n {
			o := c.class[u*n+v]
			if o >= 0 && c.row[o] < 0 {
				c.length[o] = max(c.length[o], min(after[v], far)-at)
			}
		}
	}
}
