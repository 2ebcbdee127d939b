package flow

import (
	"context"
	"math"
)

// Tolerances of the simplex method. The master problem is scaled so that its
// optimum is at least 1, hence they need no units.
const (
	// perturbation is added to the right-hand side of each bundle row, times a
	// factor in [1, 2) that differs from row to row, so that ties in the ratio
	// test (the rule, not the exception, when all demands are alike) do not make
	// the method stall. It moves the optimum by less than optimalityGap, and is
	// taken out again at the end.
	perturbation = 1e-10
	// feasibility is how far below zero a variable may fall: above the rounding
	// of a few hundred rows, below the perturbation.
	feasibility = 1e-12
	// smallestPivot is the smallest rate of change that counts in the ratio test.
	// True rates are ratios of small integers; smaller ones are rounding.
	smallestPivot = 1e-9
	// improving is how far the reduced cost of a path must be below zero, relative
	// to the length of the path that it is to replace, for the path to be worth
	// a pivot. All those left out together cost less than optimalityGap.
	improving = 1e-10
	// improvingSlack is the same for the slack of a row, absolute because the
	// lengths of all circuits sum to 1.
	improvingSlack = 1e-12
	// drift is the largest residual of the basic solution that is tolerated
	// before the inverse is computed afresh, relative to L: as large as the
	// feasibility tolerance. The inverse of the final basis is always fresh.
	drift = 1e-12
)

// hopsPerColumn is how many numbers of a path a pivot touches, about, for Result.Work.
const hopsPerColumn = 8

// refreshEvery is the number of pivots between looks at the residual: often enough
// to catch drift early, seldom enough to cost little beside the pivots.
const refreshEvery = 100

// pathColumn is a variable of the master problem: the bytes of a demand on a path.
type pathColumn struct {
	demand int
	path   []int32
	rows   []int32 // classes that the path passes, ascending
	times  []float64
}

func (c *pathColumn) hops() float64 { return float64(len(c.path) - 1) }

// dot returns the product of the column with a row vector.
func (c *pathColumn) dot(row []float64) float64 {
	sum := 0.0
	for k, e := range c.rows {
		sum += c.times[k] * row[e]
	}
	return sum
}

// master is the linear program over the paths known so far,
//
//	minimise    L, or the total of bytes x hops
//	subject to  sum of times(e,p) x_p - circuits(e) L + slack_e = b_e   per class e
//	            L + slack = cap
//	            sum of x_p over the paths of demand c = amount_c        per demand c
//
// with all variables >= 0. It is solved by the revised primal simplex method with
// generalised upper bounds (Dantzig and Van Slyke 1967): since each path is in one
// demand row only, one basic path per demand, its key, is eliminated with that
// row, and the explicit inverse covers the other rows alone. Its size is thus that
// of the bundle classes, however many the demands, and a pivot takes O(rows^2 +
// demands + total length of the known paths). Differences from the textbook: a
// deterministic perturbation against stalling with Bland's rule behind it, Devex
// weights in pricing and a two-pass ratio test that prefers large pivots among
// near ties (both Harris 1973).
//
// Variables are numbered: slacks by row, then L, then the paths.
type master struct {
	circuits []float64
	amount   []float64
	rhs      []float64
	cols     []pathColumn
	flat     flatColumns // the same
	byHops   bool        // the objective: hops instead of L

	key    []int // path of each demand
	keyX   []float64
	basis  []int // variable at each position
	x      []float64
	inv    []float64 // row i belongs to position i
	basic  []bool    // per variable, keys included
	gain   []float64 // per variable, minus the reduced cost
	weight []float64 // per variable, Devex reference weight
	length []float64 // minus the dual value of each row

	w, rate, scratch, keyDot []float64
	stalled                  int // pivots in a row without progress
	pivots                   int
	work                     int64 // numbers touched by all pivots, about
}

// newMaster starts from one path per demand, column i being the one of demand i.
func newMaster(circuits, amount []float64, cols []pathColumn) *master {
	rows := len(circuits) + 1
	m := &master{
		circuits: circuits,
		amount:   amount,
		rhs:      make([]float64, rows),
		cols:     cols,
		key:      make([]int, len(amount)),
		keyX:     make([]float64, len(amount)),
		basis:    make([]int, rows),
		x:        make([]float64, rows),
		inv:      make([]float64, rows*rows),
		basic:    make([]bool, rows+1+len(cols)),
		gain:     make([]float64, rows+1+len(cols)),
		weight:   make([]float64, rows+1+len(cols)),
		length:   make([]float64, rows),
		w:        make([]float64, rows),
		rate:     make([]float64, len(amount)),
		scratch:  make([]float64, rows),
		keyDot:   make([]float64, len(amount)),
	}
	for i := range cols {
		m.flat.add(&cols[i])
	}
	load := make([]float64, len(circuits))
	for c := range amount {
		m.key[c] = c
		m.basic[rows+1+c] = true
		for k, e := range cols[c].rows {
			load[e] += cols[c].times[k] * amount[c]
		}
	}
	// L takes the place of the slack of the row that is filled most.
	most, peak := 0, 0.0
	const golden = 0.6180339887498949
	for e, l := range load {
		_, frac := math.Modf(float64(e+1) * golden)
		m.rhs[e] = perturbation * (1 + frac)
		if p := (l - m.rhs[e]) / circuits[e]; p > peak {
			most, peak = e, p
		}
	}
	m.rhs[rows-1] = 2 * peak // out of the way until capLoad
	for i := range rows {
		m.basis[i] = i
		m.basic[i] = true
	}
	for v := range m.weight {
		m.weight[v] = 1
	}
	m.basis[most] = m.loadVar()
	m.basic[most], m.basic[m.loadVar()] = false, true
	m.invert()
	return m
}

func (m *master) loadVar() int { return len(m.rhs) }

// add gives the master a path to choose from.
func (m *master) add(c pathColumn) {
	m.cols = append(m.cols, c)
	m.flat.add(&c)
	m.basic = append(m.basic, false)
	m.weight = append(m.weight, 1)
	m.gain = append(m.gain, m.along(&m.cols[m.key[c.demand]])-m.along(&c))
}

// column returns path variable v, or nil for a slack and L.
func (m *master) column(v int) *pathColumn {
	if v <= m.loadVar() {
		return nil
	}
	return &m.cols[v-m.loadVar()-1]
}

func (m *master) cost(v int) float64 {
	c := m.column(v)
	switch {
	case c == nil && v == m.loadVar() && !m.byHops:
		return 1
	case c != nil && m.byHops:
		return c.hops() - m.cols[m.key[c.demand]].hops()
	}
	return 0
}

// step is a result of the ratio test: the position that leaves the basis, or the
// demand whose key does.
type step struct {
	position, demand int
	length           float64
}

// ratioTest returns how far the entering variable can grow along direction w.
func (m *master) ratioTest(enter int) (step, bool) {
	clear(m.rate)
	for i, v := range m.basis {
		if c := m.column(v); c != nil {
			m.rate[c.demand] -= m.w[i]
		}
	}
	if c := m.column(enter); c != nil {
		m.rate[c.demand]++
	}
	limit := math.Inf(1)
	for i, w := range m.w {
		if w > smallestPivot {
			limit = min(limit, (m.x[i]+feasibility)/w)
		}
	}
	for c, w := range m.rate {
		if w > smallestPivot {
			limit = min(limit, (m.keyX[c]+feasibility)/w)
		}
	}
	best, pivot := step{position: -1, demand: -1}, 0.0
	for i, w := range m.w {
		if w > max(smallestPivot, pivot) && m.x[i] <= limit*w {
			best, pivot = step{i, -1, m.x[i] / w}, w
		}
	}
	for c, w := range m.rate {
		if w > max(smallestPivot, pivot) && m.keyX[c] <= limit*w {
			best, pivot = step{-1, c, m.keyX[c] / w}, w
		}
	}
	best.length = max(0, best.length)
	return best, pivot > 0
}

// pivot lets variable enter grow by s.length and take the place of what leaves.
func (m *master) pivot(enter int, s step) {
	gain := m.gain[enter]
	for i, w := range m.w {
		m.x[i] -= s.length * w
	}
	for c, w := range m.rate {
		m.keyX[c] -= s.length * w
	}
	if s.length*gain > feasibility*perturbation {
		m.stalled = 0
	} else {
		m.stalled++
	}
	m.basic[enter] = true
	r := s.position
	if s.demand >= 0 {
		old := m.loadVar() + 1 + m.key[s.demand]
		if r = m.largest(s.demand); r < 0 { // the key is the only basic path
			m.basic[old] = false
			m.key[s.demand] = enter - m.loadVar() - 1
			m.keyX[s.demand] = s.length
			for k := range m.cols {
				if m.cols[k].demand == s.demand {
					m.gain[m.loadVar()+1+k] -= gain
				}
			}
			return
		}
		m.exchangeKey(s.demand, r)
	}
	leave := m.basis[r]
	m.basic[leave], m.gain[leave], m.weight[leave] = false, 0, 1
	m.basis[r] = enter
	m.x[r] = s.length
	m.eliminate(r)
	m.update(enter, gain, r)
}

// largest returns the position of the largest basic path of a demand apart from
// its key, or -1.
func (m *master) largest(demand int) int {
	r := -1
	for i, v := range m.basis {
		if c := m.column(v); c != nil && c.demand == demand && (r < 0 || m.x[i] > m.x[r]) {
			r = i
		}
	}
	return r
}

// optimise pivots until no known path improves the objective. It reports false
// when the limit of pivots or of the arithmetic is reached before.
func (m *master) optimise(ctx context.Context, limit int) (bool, error) {
	fresh := false // duals and gains come from the inverse, not from updates
	for m.pivots < limit {
		if err := ctx.Err(); err != nil {
			return false, err
		}
		if m.pivots%refreshEvery == 0 && !fresh {
			if !m.refresh() {
				return false, nil
			}
			fresh = true
		}
		enter := m.price()
		if enter < 0 && fresh {
			return true, nil
		}
		if enter < 0 {
			if !m.refresh() {
				return false, nil
			}
			fresh = true
			continue
		}
		m.pivots++
		m.work += int64(len(m.rhs)*len(m.rhs) + len(m.amount) + hopsPerColumn*len(m.cols))
		fresh = false
		m.direction(enter)
		s, ok := m.ratioTest(enter)
		if !ok {
			return false, nil
		}
		m.pivot(enter, s)
	}
	return false, nil
}
