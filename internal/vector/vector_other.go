//go:build !amd64

package vector

// subtractMany does the first numbers, and returns how many: here all are left to plain Go.
func subtractMany([]float64, float64, []float64) int { return 0 }
