package lp

import (
	"iter"
	"math"
)

// packingGain is the smallest gain that is worth a pivot of a Packing.
const packingGain = 1e-11

// packingPivots limits the pivots per row of the program: many times what programs need. When a
// program gives up, its prices still give a valid bound.
const packingPivots = 200

// Packing is a linear program
//
//	maximise weight*x subject to A x <= b, x >= 0, for b >= 0,
//
// solved by the revised simplex method with an explicit inverse. It does not keep its columns:
// the caller finds one with a positive gain and lets it enter. Settle brings slacks back. A
// pivot takes O(rows^2), which suits some dozens of rows.
//
// The perturbation is never removed: the prices are right to within it, and are meant as
// multipliers of a bound that is computed only from them. For the same reason, a value that a
// pivot would leave at zero, or below by rounding, is raised to a thousandth of the
// perturbation.
type Packing struct {
	Prices []float64 // of the rows
	Work   int64     // numbers touched by all pivots

	basis   []int     // number of the variable at each position, -1 for a slack
	inverse []float64 // row i belongs to the variable at position i of the basis
	value   []float64 // of the variables in the basis
	least   []float64 // lower limit of each value
	pivots  int       // pivots left before it gives up
	rate    []float64 // scratch: how fast the basis shrinks as the new variable grows
}

// NewPacking returns a program with the given right-hand sides. None may be negative.
func NewPacking(b []float64) *Packing {
	m := len(b)
	p := &Packing{
		Prices:  make([]float64, m),
		basis:   make([]int, m),
		inverse: make([]float64, m*m),
		value:   make([]float64, m),
		least:   make([]float64, m),
		pivots:  packingPivots * m,
		rate:    make([]float64, m),
	}
	for i, v := range b {
		p.basis[i] = -1
		p.inverse[i*m+i] = 1
		p.value[i] = v + perturbation*spread(i)
		p.least[i] = 1e-3 * perturbation * spread(i)
	}
	return p
}

// Rows returns how many rows the program has.
func (p *Packing) Rows() int { return len(p.Prices) }

// Optimise lets columns enter, the one with the largest gain first, until none improves the
// objective or the program gives up.
func (p *Packing) Optimise(columns []Column) {
	p.pivots = packingPivots * p.Rows()
	for {
		next, most := -1, packingGain
		for k := range columns {
			if gain := p.Gain(&columns[k]); gain > most {
				next, most = k, gain
			}
		}
		if next < 0 || !p.Enter(&columns[next]) {
			return
		}
		p.Settle()
	}
}

// Values yields the numbers of the columns in the basis, and their values.
func (p *Packing) Values() iter.Seq2[int, float64] {
	return func(yield func(int, float64) bool) {
		for i, number := range p.basis {
			if number >= 0 && !yield(number, p.value[i]) {
				return
			}
		}
	}
}

// Gain returns what a unit of the variable adds to the objective.
func (p *Packing) Gain(c *Column) float64 {
	gain := c.Weight
	for k, r := range c.Rows {
		gain -= p.Prices[r] * c.Values[k]
	}
	return gain
}

// Enter lets a variable grow until another is used up. It reports false if the variable does
// not improve the objective, if nothing limits it, or if the program gives up.
func (p *Packing) Enter(c *Column) bool {
	gain := p.Gain(c)
	if gain <= packingGain {
		return false
	}
	m := p.Rows()
	for i := range p.rate {
		p.rate[i] = c.dot(p.inverse[i*m : (i+1)*m])
	}
	return p.pivot(c.Number, gain)
}

// enterSlack is Enter for the slack of a row.
func (p *Packing) enterSlack(row int) bool {
	for i := range p.rate {
		p.rate[i] = p.inverse[i*p.Rows()+row]
	}
	return p.pivot(-1, -p.Prices[row])
}

// Settle brings slacks back into the basis until no price is negative.
func (p *Packing) Settle() {
	for {
		lowest := 0
		for i, y := range p.Prices {
			if y < p.Prices[lowest] {
				lowest = i
			}
		}
		if p.Prices[lowest] >= -packingGain || !p.enterSlack(lowest) {
			return
		}
	}
}

// pivot exchanges the variable whose rates are given for the one that it uses up first.
func (p *Packing) pivot(number int, gain float64) bool {
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
	m := p.Rows()
	p.Work += int64(m * m)
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
	subtract(p.Prices, pivot, -gain)
	return true
}

// subtract takes a multiple of b from a.
func subtract(a, b []float64, times float64) {
	for j, x := range b {
		a[j] -= times * x
	}
}
