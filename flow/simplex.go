package flow

import (
	"context"
	"math"
)

// Tolerances of the simplex method. The master problem is scaled so that its
// optimum is at least 1 and near it, hence they need no units.
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
	// before the inverse is computed afresh: a tenth of the perturbation. The
	// inverse of the final basis is always fresh.
	drift = 1e-11
)

// refreshEvery is the number of pivots between looks at the residual: often enough
// to catch drift early, seldom enough to cost little beside the pivots.
const refreshEvery = 100

// weightLimit is where the Devex weights start again from 1: they only ever grow
// and are estimates, good for some orders of magnitude.
const weightLimit = 1e7

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
	byHops   bool // the objective: hops instead of L

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

// spread adds f times the column of variable v to vec. The column of a path is
// taken relative to the key of its demand.
func (m *master) spread(v int, f float64, vec []float64) {
	switch c := m.column(v); {
	case c != nil:
		for k, e := range c.rows {
			vec[e] += f * c.times[k]
		}
		key := &m.cols[m.key[c.demand]]
		for k, e := range key.rows {
			vec[e] -= f * key.times[k]
		}
	case v == m.loadVar():
		for e, n := range m.circuits {
			vec[e] -= f * n
		}
		vec[len(m.circuits)] += f
	default:
		vec[v] += f
	}
}

// direction fills w with the inverse times the column of v.
func (m *master) direction(v int) {
	rows := len(m.rhs)
	clear(m.scratch)
	m.spread(v, 1, m.scratch)
	clear(m.w)
	for e, f := range m.scratch {
		if f == 0 {
			continue
		}
		for i := range rows {
			m.w[i] += f * m.inv[i*rows+e]
		}
	}
}

// eliminate makes the column with direction w the unit vector of position r.
func (m *master) eliminate(r int) {
	rows := len(m.rhs)
	pivot := m.inv[r*rows : (r+1)*rows]
	f := 1 / m.w[r]
	for e := range pivot {
		pivot[e] *= f
	}
	for i, wi := range m.w {
		if i == r || wi == 0 {
			continue
		}
		row := m.inv[i*rows : (i+1)*rows]
		row = row[:len(pivot)]
		// Four at a time: this loop is where large programs spend their time.
		e := 0
		for ; e+4 <= len(pivot) && e+4 <= len(row); e += 4 {
			p, q := pivot[e:e+4:e+4], row[e:e+4:e+4]
			q[0] -= wi * p[0]
			q[1] -= wi * p[1]
			q[2] -= wi * p[2]
			q[3] -= wi * p[3]
		}
		for ; e < len(pivot); e++ {
			row[e] -= wi * pivot[e]
		}
	}
}

// invert computes the inverse of the basis afresh, from the slacks on: the others
// enter one by one in the places of slacks that are not basic, the largest pivot
// first. It reports false, and keeps a slack instead, where the basis is singular.
func (m *master) invert() bool {
	rows := len(m.rhs)
	vars := make([]int, 0, rows)
	free := make([]bool, rows)
	for i := range free {
		free[i] = true
	}
	for _, v := range m.basis {
		if v < rows {
			free[v] = false
		} else {
			vars = append(vars, v)
		}
	}
	clear(m.inv)
	for i := range rows {
		m.basis[i] = i
		m.inv[i*rows+i] = 1
	}
	sound := true
	for _, v := range vars {
		m.direction(v)
		r := -1
		for i, w := range m.w {
			if free[i] && math.Abs(w) > smallestPivot && (r < 0 || math.Abs(w) > math.Abs(m.w[r])) {
				r = i
			}
		}
		if r < 0 {
			m.basic[v] = false
			sound = false
			continue
		}
		free[r] = false
		m.basis[r] = v
		m.eliminate(r)
	}
	for i, f := range free {
		if f {
			m.basic[i] = true
		}
	}
	m.resolve()
	return sound
}

// resolve computes the basic solution and the dual values from the inverse, and
// returns the largest residual of a row.
func (m *master) resolve() float64 {
	rows := len(m.rhs)
	b := m.scratch
	copy(b, m.rhs)
	for c, a := range m.amount {
		m.keyX[c] = a
		key := &m.cols[m.key[c]]
		for k, e := range key.rows {
			b[e] -= a * key.times[k]
		}
	}
	clear(m.length)
	for i, v := range m.basis {
		row := m.inv[i*rows : (i+1)*rows]
		sum := 0.0
		for e, f := range row {
			sum += f * b[e]
		}
		m.x[i] = sum
		if cost := m.cost(v); cost != 0 {
			for e, f := range row {
				m.length[e] -= cost * f
			}
		}
		if c := m.column(v); c != nil {
			m.keyX[c.demand] -= sum
		}
	}
	m.reprice()
	for i, v := range m.basis {
		m.spread(v, -m.x[i], b)
	}
	worst := 0.0
	for _, r := range b {
		worst = max(worst, math.Abs(r))
	}
	return worst
}

// refresh is resolve with a fresh inverse where the old one has drifted. It reports
// false where the basis turns out singular.
func (m *master) refresh() bool {
	if m.resolve() <= drift*max(1, m.load()) {
		return true
	}
	return m.invert()
}

// load returns the value of L.
func (m *master) load() float64 {
	for i, v := range m.basis {
		if v == m.loadVar() {
			return m.x[i]
		}
	}
	return 0
}

// along returns the cost of a path under the dual values.
func (m *master) along(c *pathColumn) float64 {
	if m.byHops {
		return c.hops() + c.dot(m.length)
	}
	return c.dot(m.length)
}

// reprice computes the gains from the dual values.
func (m *master) reprice() {
	for e := range m.length {
		m.gain[e] = -m.length[e]
	}
	for c, k := range m.key {
		m.keyDot[c] = m.along(&m.cols[k])
	}
	for k := range m.cols {
		c := &m.cols[k]
		m.gain[m.loadVar()+1+k] = m.keyDot[c.demand] - m.along(c)
	}
}

// price returns the variable to enter the basis, or -1 at the optimum.
func (m *master) price() int {
	bland := m.stalled > 2*len(m.rhs)+len(m.amount)
	best, most := -1, 0.0
	for v, g := range m.gain {
		if g <= improvingSlack || m.basic[v] {
			continue
		}
		if c := m.column(v); c != nil && g <= improvingSlack+improving*math.Abs(m.along(c)) {
			continue
		}
		if bland {
			return v
		}
		if score := g * g / m.weight[v]; score > most {
			best, most = v, score
		}
	}
	return best
}

// update brings gains and weights up to date after variable enter, whose gain was
// given, has taken its place: row r of the inverse holds its multipliers.
func (m *master) update(enter int, gain float64, r int) {
	rows := len(m.rhs)
	row := m.inv[r*rows : (r+1)*rows]
	weight := m.weight[enter]
	if weight > weightLimit {
		for v := range m.weight {
			m.weight[v] = 1
		}
		weight = 1
	}
	shift := func(v int, ratio float64) {
		if ratio != 0 && !m.basic[v] {
			m.gain[v] -= ratio * gain
			m.weight[v] = max(m.weight[v], ratio*ratio*weight)
		}
	}
	for e, f := range row {
		shift(e, f)
		m.length[e] += gain * f
	}
	for c, k := range m.key {
		m.keyDot[c] = m.cols[k].dot(row)
	}
	for k := range m.cols {
		c := &m.cols[k]
		shift(m.loadVar()+1+k, c.dot(row)-m.keyDot[c.demand])
	}
	m.gain[enter] = 0
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

// exchangeKey swaps the key of a demand, which is about to leave the basis, with
// its path at position r. Columns of the demand are relative to the key, so that
// row r of the inverse becomes minus the sum of all their rows; the direction at r
// becomes the rate at which the old key shrinks.
func (m *master) exchangeKey(demand, r int) {
	rows := len(m.rhs)
	row := m.inv[r*rows : (r+1)*rows]
	for i, v := range m.basis {
		if c := m.column(v); c != nil && c.demand == demand && i != r {
			for e, f := range m.inv[i*rows : (i+1)*rows] {
				row[e] += f
			}
		}
	}
	for e := range row {
		row[e] = -row[e]
	}
	newKey := m.basis[r] - m.loadVar() - 1
	m.basis[r] = m.loadVar() + 1 + m.key[demand]
	m.key[demand] = newKey
	m.keyX[demand], m.x[r] = m.x[r], m.keyX[demand]
	m.w[r] = m.rate[demand]
}

// optimise pivots until no known path improves the objective. It reports false
// when the limit of pivots or of the arithmetic is reached before.
func (m *master) optimise(ctx context.Context, limit int) (bool, error) {
	fresh := false // duals and gains come from the inverse, not from updates
	for m.pivots < limit {
		if m.pivots%refreshEvery == 0 && !fresh {
			if err := ctx.Err(); err != nil {
				return false, err
			}
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
