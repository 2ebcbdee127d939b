package lp

import "math"

// tiedPrices is far below any price that counts. The column that gains most of those whose prices
// differ by less enters: a small gain makes the edges inexact.
const tiedPrices = 1e-12

// Corner is the best corner of a covering program whose rows come one by one: the least cost*X with
// X >= 0 and all rows so far met, where no cost is negative. It is for few columns and many rows,
// of which a caller generates those that X falls short of.
//
// The corner is where as many constraints, rows or axes, are tight as there are columns. For each
// it keeps the edge that leaves only this constraint, and its price. A row that falls short moves
// the corner along the edge on which prices stay feasible (the dual simplex method). So a pivot
// takes the square of the columns, whatever the number of rows; finding the row that falls shortest
// takes rows*columns.
//
// After mostPivots pivots per row and column the search gives up, and Least may be too small.
type Corner struct {
	X []float64 // the corner, once solved

	cost   []float64
	edges  []float64 // by tight constraint: what X gains along its edge
	prices []float64 // by tight constraint
	tight  []int     // rows
	rows   []float64 // columns coefficients each, then the need; first those of the axes
	gains  []float64 // scratch: of a row, along each edge
}

// NewCorner returns a program without rows, whose corner is 0. No cost may be negative, and Least
// needs costs above 0.
func NewCorner(cost ...float64) *Corner {
	c := &Corner{}
	c.Reset(cost...)
	return c
}

// Reset begins a program without rows, in the memory of the former one.
func (c *Corner) Reset(cost ...float64) {
	n := len(cost)
	c.cost = append(c.cost[:0], cost...)
	c.prices = append(c.prices[:0], cost...)
	c.X, c.edges, c.tight = c.X[:0], c.edges[:0], c.tight[:0]
	for j := range n {
		c.X, c.tight = append(c.X, 0), append(c.tight, j)
		for i := range n {
			edge := 0.0
			if i == j {
				edge = 1
			}
			c.edges = append(c.edges, edge)
		}
	}
	c.rows = c.rows[:0]
	for j := range n { // no X is below 0
		c.Add(0, c.edges[j*n:j*n+n]...)
	}
}

// Add adds the row with coefficients*X >= need. X may fall short of it until Solve is called.
func (c *Corner) Add(need float64, coefficients ...float64) {
	c.rows = append(append(c.rows, coefficients...), need)
}

// Solve moves X to the best corner; false if no X meets all rows or the search gave up.
func (c *Corner) Solve() bool {
	n := len(c.cost)
	for range mostPivots * (n + len(c.rows)/(n+1)) {
		row := c.shortest()
		if row < 0 {
			return true
		}
		if !c.pivot(row) {
			return false
		}
	}
	return false
}

// shortest returns the row that X falls shortest of, -1 if all are met.
func (c *Corner) shortest() int {
	n, at, worst := len(c.cost), -1, -shortTolerance
	for i, from := 0, 0; from < len(c.rows); i, from = i+1, from+n+1 {
		row := c.rows[from : from+n+1]
		over := -row[n]
		for j, x := range c.X {
			over += row[j] * x
		}
		if over < worst {
			at, worst = i, over
		}
	}
	return at
}

// pivot makes a row tight that X falls short of.
func (c *Corner) pivot(at int) bool {
	n := len(c.cost)
	row := c.rows[at*(n+1):][:n+1]
	c.gains = c.gains[:0]
	out, least := -1, math.Inf(1)
	for j := range n {
		gain := 0.0
		for i, by := range c.edges[j*n : j*n+n] {
			gain += row[i] * by
		}
		c.gains = append(c.gains, gain)
		if gain > pivotTolerance {
			least = min(least, c.prices[j]/gain)
		}
	}
	for j, gain := range c.gains { // of the same ratio, the one that gains most
		if gain > pivotTolerance && c.prices[j] <= least*gain+tiedPrices && (out < 0 || gain > c.gains[out]) {
			out = j
		}
	}
	if out < 0 {
		return false
	}
	short := row[n]
	for i, x := range c.X {
		short -= row[i] * x
	}
	along, inverse := c.edges[out*n:out*n+n], 1/c.gains[out]
	for i := range along {
		along[i] *= inverse
		c.X[i] = c.X[i] + short*along[i]
	}
	for j := range n {
		if gain := c.gains[j]; j != out && gain != 0 {
			edge := c.edges[j*n : j*n+n]
			for i, by := range along {
				edge[i] -= gain * by
			}
			c.prices[j] = max(0, c.prices[j]-least*gain)
		}
	}
	c.prices[out], c.tight[out] = least, at
	return true
}

// Least returns the cost of X by the prices of the tight rows. Whatever the rounding, no X that
// meets all rows costs less: the prices are scaled such that no column earns more than it costs.
func (c *Corner) Least() float64 {
	n, sum, most := len(c.cost), 0.0, 1.0
	for j, at := range c.tight {
		sum += c.prices[j] * c.rows[at*(n+1)+n]
	}
	for i, cost := range c.cost {
		earned := 0.0
		for j, at := range c.tight {
			if at >= n {
				earned += c.prices[j] * c.rows[at*(n+1)+i]
			}
		}
		if earned > cost*most {
			most = earned / cost
		}
	}
	return sum / most
}
