package synthesis

import "math"

// Tolerances of the simplex method. Programs are scaled so that their data are near 1.
const (
	// perturbation is added to every right-hand side, times a factor in [1, 2) that
	// differs from row to row, so that ties in the ratio test do not make the method
	// stall. Only dual values are used, as multipliers of a bound that is then computed
	// from them alone, so that it never has to be taken out. For the same reason what a
	// pivot would leave at zero, or by rounding below, is raised to a thousandth of it.
	perturbation = 1e-10
	// smallestPivot is the smallest rate of change that counts in the ratio test: true
	// rates are ratios of small numbers, smaller ones are rounding.
	smallestPivot = 1e-9
	// improving is how large a gain must be to be worth a pivot.
	improving = 1e-11
)

// pivotsPerRow limits the pivots, by the rows of the program: many times what they need.
// Where a program is given up its prices are still those of some bound.
const pivotsPerRow = 200

// column is a variable of a program: its profit and its nonzero entries. The number is
// for the caller to know it by.
type column struct {
	number int
	profit float64
	rows   []int
	values []float64
}

func (c *column) add(row int, value float64) {
	c.rows = append(c.rows, row)
	c.values = append(c.values, value)
}

// program is a linear program
//
//	maximise profit*x subject to A x <= b, x >= 0, for b >= 0,
//
// solved by the revised simplex method with an explicit inverse. Its columns are not
// kept: the caller finds one with a positive gain and lets it enter. Slacks are
// brought back by settle. A pivot takes O(rows^2), which suits the few dozen rows of
// the problems here; flow has a method for large ones.
type program struct {
	rows    int
	basis   []int     // number of the variable at each position, -1 for a slack
	inverse []float64 // row i belongs to the variable at position i of the basis
	value   []float64 // of the variables in the basis
	least   []float64 // what a value may fall to
	pivots  int       // left before the program is given up
	dual    []float64 // the price of each row
	work    int64     // numbers touched by all pivots
	rate    []float64 // scratch: how fast the basis shrinks as the new variable grows
}

func newProgram(b []float64) *program {
	const golden = 0.6180339887498949
	m := len(b)
	p := &program{
		rows:    m,
		basis:   make([]int, m),
		inverse: make([]float64, m*m),
		value:   make([]float64, m),
		least:   make([]float64, m),
		pivots:  pivotsPerRow * m,
		dual:    make([]float64, m),
		rate:    make([]float64, m),
	}
	for i, v := range b {
		_, frac := math.Modf(float64(i+1) * golden)
		p.basis[i] = -1
		p.inverse[i*m+i] = 1
		p.value[i] = v + perturbation*(1+frac)
		p.least[i] = 1e-3 * perturbation * (1 + frac)
	}
	return p
}

// gain is what a unit of the variable adds to the objective.
func (p *program) gain(c *column) float64 {
	gain := c.profit
	for k, r := range c.rows {
		gain -= p.dual[r] * c.values[k]
	}
	return gain
}

// enter lets a variable grow until another is used up, and reports false if it does not
// improve the objective, or if nothing stops it, or if the program is given up.
func (p *program) enter(c *column) bool {
	gain := p.gain(c)
	if gain <= improving {
		return false
	}
	m := p.rows
	for i := range p.rate {
		row := p.inverse[i*m : (i+1)*m]
		sum := 0.0
		for k, r := range c.rows {
			sum += row[r] * c.values[k]
		}
		p.rate[i] = sum
	}
	return p.pivot(c.number, gain)
}

// enterSlack does the same for the slack of a row.
func (p *program) enterSlack(row int) bool {
	for i := range p.rate {
		p.rate[i] = p.inverse[i*p.rows+row]
	}
	return p.pivot(-1, -p.dual[row])
}

// settle brings slacks back into the basis until no price is negative.
func (p *program) settle() {
	for {
		lowest := 0
		for i, y := range p.dual {
			if y < p.dual[lowest] {
				lowest = i
			}
		}
		if p.dual[lowest] >= -improving || !p.enterSlack(lowest) {
			return
		}
	}
}

// pivot exchanges the variable whose rates are given for the one that it uses up first.
func (p *program) pivot(number int, gain float64) bool {
	leave, length := -1, math.Inf(1)
	for i, r := range p.rate {
		if r > smallestPivot && p.value[i] < length*r {
			leave, length = i, p.value[i]/r
		}
	}
	if leave < 0 || p.pivots == 0 {
		return false
	}
	p.pivots--
	m := p.rows
	p.work += int64(m * m)
	pivot := p.inverse[leave*m : (leave+1)*m]
	scale := 1 / p.rate[leave]
	for j := range pivot {
		pivot[j] *= scale
	}
	for i, r := range p.rate {
		if i == leave || r == 0 {
			continue
		}
		p.value[i] = max(p.least[i], p.value[i]-length*r)
		subtract(p.inverse[i*m:(i+1)*m], pivot, r)
	}
	p.basis[leave], p.value[leave] = number, length
	subtract(p.dual, pivot, -gain)
	return true
}

// subtract takes a multiple of b from a.
func subtract(a, b []float64, times float64) {
	for j, x := range b {
		a[j] -= times * x
	}
}
