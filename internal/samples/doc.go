// Package samples says how many random samples a test draws. The race detector makes a
// program 6 to 10 times as slow and looks at how goroutines share memory, which does not
// depend on the number of samples; so tests draw a part of them with it, and all of them
// without, where scripts/test runs every package.
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
