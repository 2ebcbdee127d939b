//go:build !amd64

package vector

// subtractMany handles none of the numbers here: plain Go does all of them.
func subtractMany([]float64, float64, []float64) int { return 0 }
