// Package samples says how many random samples a test draws. The race detector makes a program 6
// to 10 times slower, and what it finds does not depend on the number of samples. So tests draw
// only some of them under the detector, and all of them without it. Lists whose cases take seconds
// each are drawn from without the detector, too: argument -every takes them whole.
package samples

import "flag"

var every = flag.Bool("every", false, "take every case, also of lists whose cases take seconds each")

// Every reports whether every case is to be taken, also those that take many seconds.
func Every() bool { return *every }

// Draws returns how many samples to draw that take seconds each: few, with argument -every all, and
// under the race detector fewer.
func Draws(few, all int) int {
	if *every {
		few = all
	}
	return Of(few)
}

// Few returns n cases of a list whose cases take seconds each, from all over it and the first among
// them: with argument -every all, and under the race detector fewer.
func Few[T any](n int, list []T) []T {
	if *every || n >= len(list) {
		return Some(list)
	}
	few := make([]T, Of(n))
	for i := range few {
		few[i] = list[i*len(list)/len(few)]
	}
	return few
}

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
