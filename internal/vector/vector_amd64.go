package vector

import "golang.org/x/sys/cpu"

// subtractMany handles the first numbers, and returns how many it has done.
func subtractMany(y []float64, times float64, x []float64) int {
	if !cpu.X86.HasAVX || len(y) < 4 {
		return 0
	}
	n := len(y) &^ 3
	subtractFours(&y[0], &x[0], n, times)
	return n
}

// subtractFours is SubtractScaled for n numbers; n is a positive multiple of four.
//
//go:noescape
func subtractFours(y, x *float64, n int, times float64)
