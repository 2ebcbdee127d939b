package lp

import "math"

const (
	// perturbation is added to each right-hand side, times a factor in [1, 2) that differs from
	// row to row. It keeps ties in the ratio test, which are the rule when all data are alike,
	// from stalling the method.
	perturbation = 1e-10
	// smallestPivot is the smallest rate of change that counts in the ratio test.
	// True rates are ratios of small numbers; smaller ones are rounding.
	smallestPivot = 1e-9
)

// spread returns the factor of the perturbation of a row.
func spread(row int) float64 {
	const golden = 0.6180339887498949
	_, frac := math.Modf(float64(row+1) * golden)
	return 1 + frac
}

// Column is a variable of a Balance or a Packing: its nonzero entries by row.
type Column struct {
	Number int     // of its amount (Balance), or any number that identifies it to the caller
	Weight float64 // in the objective
	Rows   []int32
	Values []float64
}

// Add adds an entry.
func (c *Column) Add(row int, value float64) {
	c.Rows = append(c.Rows, int32(row))
	c.Values = append(c.Values, value)
}

// dot returns the product of the column with a row vector.
func (c *Column) dot(row []float64) float64 {
	sum := 0.0
	for k, e := range c.Rows {
		sum += c.Values[k] * row[e]
	}
	return sum
}
