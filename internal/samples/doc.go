// Package samples says how many random samples a test draws. The race detector makes a program 6
// to 10 times slower, and what it finds does not depend on the number of samples. So tests draw
// only some of them under the detector, and all of them without it. From lists whose cases take
// seconds each, tests draw only some cases even without the detector; argument -every makes them
// take all.
package samples

import (
	"flag"

	"github.com/lightpath-net/lightpath/internal/arithmetic"
)

var every = flag.Bool("every", false, "take every case, also of lists whose cases take seconds each")

// Every reports whether to take every case, including those that take many seconds.
func Every() bool { return *every }

// Draws returns how many samples that take seconds each to draw: few, or all with argument
// -every, and fewer under the race detector.
func Draws(few, all int) int {
	if *every {
		few = all
	}
	return Of(few)
}

// Few returns n cases, including the first, spread over a list whose cases take seconds each. It
// returns all with argument -every, and fewer under the race detector.
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

// part says that one in so many samples is drawn under the race detector.
const part = 8

// Of returns how many of n samples to draw: all of them, or under the race detector one in
// eight, and at least one.
func Of(n int) int {
	if !race {
		return n
	}
	return max(1, arithmetic.CeilDiv(n, part))
}

// Some returns the samples to draw from a list: all of them, or under the race detector every
// eighth.
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
