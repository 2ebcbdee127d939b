// Package vector provides the loops over numbers in which large linear programs spend their
// time.
package vector

// SubtractScaled subtracts times x from y, number by number: y[i] -= times*x[i]. Both have the same
// length. Products are rounded before they are subtracted, so that the result has the same bits
// however many numbers a machine handles at a time.
func SubtractScaled(y []float64, times float64, x []float64) {
	x = x[:len(y)]
	for i := subtractMany(y, times, x); i < len(y); i++ {
		y[i] -= float64(times * x[i])
	}
}
