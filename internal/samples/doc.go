// Package samples says how many random samples a test draws. The race detector makes a program 6
// to 10 times slower, and what it finds does not depend on the number of samples. So tests draw
// only some of them under the detector, and all of them without it.
package samples

// part is of how many samples one is drawn under the race detector.
const part = 8

// Of returns how many of n samples to draw: all of them, or under the race detector one in
// eight, and one at the least.
func Of(n int) int {
	if !race {
		return n
	}
	return max(1, (n+part-1)/part)
}

// Some returns the samples to draw of a list: all of them, or under the race detector every eighth.
func Some[T any](list []T) []T {
	if !race {
		return list
	}
	var some []T
	for i := 0; i < len(list); i += part {
		some = append(some, list[i])
	}
	return some
}
