package matching

import (
	"errors"
	"fmt"
	"math"
	"slices"
)

// ErrMatrix says that a demand matrix is not square, or has an entry off the diagonal that is
// negative or not finite, or a sum that is not finite.
var ErrMatrix = errors.New("invalid demand matrix")

// Slot is a matching that circuits hold for some time. Times are in bytes: what a circuit
// carries during that time.
type Slot struct {
	Match    []int     // destination of each source, or -1; none occurs twice
	Duration float64   // how long the matching holds
	Sent     []float64 // bytes of the demand from each source, at most Duration
}

// SlotBound returns the largest sum of a row or column of the demand without its diagonal.
// Slots that carry the demand last at least that long, not counting delays.
func SlotBound(demand [][]float64) (float64, error) {
	n := len(demand)
	sums := make([]float64, 2*n+1) // rows, columns, and 0 in case there is no demand
	for i, row := range demand {
		if len(row) != n {
			return 0, fmt.Errorf("%w: row %d has %d entries, want %d", ErrMatrix, i, len(row), n)
		}
		for j, d := range row {
			if i == j {
				continue
			}
			if !(d >= 0) || math.IsInf(d, 1) {
				return 0, fmt.Errorf("%w: demand %v from %d to %d", ErrMatrix, d, i, j)
			}
			sums[i] += d
			sums[n+j] += d
		}
	}
	bound := slices.Max(sums)
	if math.IsInf(bound, 1) {
		return 0, fmt.Errorf("%w: a sum of demands is not finite", ErrMatrix)
	}
	return bound, nil
}
