package synthesis

import (
	"context"

	"github.com/lightpath-net/lightpath/internal/each"
	"github.com/lightpath-net/lightpath/lp"
)

// relaxRounds limits the rounds of the relaxation. Later ones add little.
const relaxRounds = 60

// relaxGap is the relative distance from the relaxation's optimum at which it ends. The optimum
// itself is farther below that of real topologies.
const relaxGap = 3e-3

// absent is the fraction of all ports below which a fractional circuit counts as none.
const absent = 1e-6

// relaxation is the interval with fractional circuits: x(u,v) >= 0 with at most Ports out of and
// into each node. This is the mixed integer cone program of HARVEST's appendix A without
// integrality and without hops; its optimum bounds all topologies.
//
// The bytes of a step are convex in x, and every cut is a lower bound on them. Each cut is
// replaced by its tangent, and the linear program over all tangents gives the next x at which to
// look for cuts (Kelley 1960), halfway to the best known point (Ben-Ameur and Neto 2007). The
// program is solved in its dual form, in which tangents are columns. By symmetry x may be
// constant within each class of arcs. A round takes O((classes + demands)^2) per pivot, with one
// demand per class.
type relaxation struct {
	iv       *interval
	arcs     *arcs
	steps    []*concurrent // per class of steps
	variable []int         // per class of arcs; both directions share one if duplex
	master   *lp.Packing
	columns  []lp.Column
	tangents []tangent // by column number, from 1 on
	scale    float64
	points   [][]float64 // the points at which cuts were sought
	cuts     [][]cut     // per class of steps: the cuts found there
	best     []float64   // the point with the fewest bytes
	bound    float64     // on the bytes of all steps together
}

// tangent is a lower bound on the bytes of a class of steps that is linear in x: most minus the
// sum over arcs of slope times x.
type tangent struct {
	class int
	most  float64
	slope []float64 // per class of arcs; nil: 0
}

// newRelaxation sets up the program. floor bounds the bytes of each class of steps.
func newRelaxation(iv *interval, a *arcs, floor []float64) *relaxation {
	r := &relaxation{
		iv: iv, arcs: a, variable: make([]int, len(a.size)),
		tangents: make([]tangent, 1), cuts: make([][]cut, len(iv.classes)),
	}
	variables := 0
	for o, e := range a.first {
		if back := a.class[e%a.n*a.n+e/a.n]; iv.Duplex && back < o {
			r.variable[o] = r.variable[back]
			continue
		}
		r.variable[o] = variables
		variables++
	}
	b := make([]float64, len(iv.classes)+variables)
	for i, c := range iv.classes {
		b[i] = 1
		r.scale += float64(c.times) * c.pair
		r.steps = append(r.steps, newConcurrent(a, a.commodities(c.all()), a.n-1))
	}
	r.master = lp.NewPacking(b)
	r.addPorts()
	for i := range iv.classes {
		r.addTangent(tangent{class: i, most: floor[i]})
	}
	return r
}

// addPorts adds the prices of the ports, which are variables of the dual program.
func (r *relaxation) addPorts() {
	n := r.arcs.n
	for _, pair := range []func(u, v int) int{
		func(u, v int) int { return u*n + v },
		func(u, v int) int { return v*n + u },
	} {
		for u := range n {
			count := make([]float64, r.master.Rows())
			for v := range n {
				if v != u {
					count[r.row(r.arcs.class[pair(u, v)])]++
				}
			}
			col := lp.Column{Weight: -float64(r.iv.Ports)}
			for row, c := range count {
				if c > 0 {
					col.Add(row, -c)
				}
			}
			r.columns = append(r.columns, col)
		}
	}
}

// row returns the row of the variable of a class of arcs.
func (r *relaxation) row(o int) int { return len(r.iv.classes) + r.variable[o] }

// addTangent adds a tangent to the program.
func (r *relaxation) addTangent(t tangent) {
	weight := float64(r.iv.classes[t.class].times) / r.scale
	col := lp.Column{Number: len(r.tangents), Weight: weight * t.most}
	col.Add(t.class, 1)
	sums := make([]float64, r.master.Rows())
	for o, s := range t.slope {
		sums[r.row(o)] += weight * s * r.arcs.size[o]
	}
	for row, s := range sums {
		if s > 0 {
			col.Add(row, s)
		}
	}
	r.tangents = append(r.tangents, t)
	r.columns = append(r.columns, col)
}

// run improves the bound until it is within relaxGap of the optimum, the rounds are used up, or
// the context ends.
func (r *relaxation) run(ctx context.Context) {
	if r.scale == 0 {
		return // nothing is sent
	}
	defer func() {
		r.iv.work += r.master.Work
		for _, s := range r.steps {
			r.iv.work += s.work
		}
	}()
	r.best = make([]float64, len(r.arcs.size))
	for o := range r.best {
		r.best[o] = float64(r.iv.Ports) / float64(r.arcs.n-1)
	}
	least, ok := r.look(r.best)
	for round := 0; ok && round < relaxRounds && ctx.Err() == nil; round++ {
		r.master.Optimise(r.columns)
		if least-r.value() <= relaxGap*least {
			break
		}
		x := make([]float64, len(r.best))
		for o := range x {
			x[o] = (r.best[o] + max(0, r.master.Prices[r.row(o)])) / 2
			if x[o] < absent*float64(r.iv.Ports) {
				x[o] = 0
			}
		}
		var bytes float64
		if bytes, ok = r.look(x); ok && bytes < least {
			r.best, least = x, bytes
		}
	}
	r.bound = r.proof()
}

// look finds the cuts at x and returns the bytes of all steps there.
func (r *relaxation) look(x []float64) (bytes float64, ok bool) {
	r.points = append(r.points, x)
	for i, c := range r.iv.classes {
		if len(c.all()) == 0 {
			continue
		}
		peak, tight, ok := r.steps[i].solve(x)
		if !ok {
			return 0, false
		}
		r.cuts[i] = append(r.cuts[i], tight)
		slope := make([]float64, len(tight.length))
		for o, l := range tight.length {
			slope[o] = peak * peak * l
		}
		r.addTangent(tangent{class: i, most: 2 * peak, slope: slope})
		bytes += float64(c.times) * max(peak, r.tangents[1+i].most)
	}
	return bytes, true
}

// value returns the optimum of the program, up to rounding.
func (r *relaxation) value() float64 {
	sum := each.SumBelow(len(r.iv.classes), func(i int) float64 { return r.master.Prices[i] })
	return sum * r.scale
}

// proof computes the bound only from the weights that the program gives the tangents: the
// weighted tangents are below the bytes, and the prices of the ports bound the weighted slope of
// every topology.
func (r *relaxation) proof() float64 {
	weight := make([]float64, len(r.tangents))
	sums := make([]float64, len(r.iv.classes))
	for number, value := range r.master.Values() {
		if number > 0 {
			weight[number] = value
			sums[r.tangents[number].class] += value
		}
	}
	n := r.arcs.n
	most, slope := 0.0, make([]float64, n*n)
	for k, t := range r.tangents {
		if weight[k] == 0 {
			continue
		}
		w := weight[k] / max(1, sums[t.class]) * float64(r.iv.classes[t.class].times)
		most += w * t.most
		for e, o := range r.arcs.class {
			if o >= 0 && t.slope != nil {
				slope[e] += w * t.slope[o]
			}
		}
	}
	if r.iv.Duplex {
		slope = symmetric(n, slope)
	}
	p := priceOf(n, r.iv.Ports, slope)
	return max(0, most-p.total)
}
