// Package each computes something for every element of a list: a list of results, a sum, a maximum,
// or the elements for which something holds.
package each

import (
	"cmp"
	"slices"
)

// Of returns f of every element, in order; nil if there are no elements.
func Of[T, U any](list []T, f func(T) U) []U {
	out := slices.Grow([]U(nil), len(list))
	for _, x := range list {
		out = append(out, f(x))
	}
	return out
}

// Below returns f of every number from 0 to n-1, in order; nil if there are none.
func Below[U any](n int, f func(i int) U) []U {
	out := slices.Grow([]U(nil), max(n, 0))
	for i := range n {
		out = append(out, f(i))
	}
	return out
}

// Where returns the elements for which something holds, in order; nil if there are none.
func Where[T any](list []T, holds func(T) bool) []T {
	var out []T
	for _, x := range list {
		if holds(x) {
			out = append(out, x)
		}
	}
	return out
}

// Count returns the number of elements for which something holds.
func Count[T any](list []T, holds func(T) bool) int {
	count := 0
	for _, x := range list {
		if holds(x) {
			count++
		}
	}
	return count
}

// number is a type whose values are added up.
type number interface {
	~int | ~int32 | ~int64 | ~uint64 | ~float64
}

// Sum adds up f of every element, from the first to the last.
func Sum[T any, N number](list []T, f func(T) N) N {
	var sum N
	for _, x := range list {
		sum += f(x)
	}
	return sum
}

// SumBelow adds up f of every number from 0 to n-1, in order.
func SumBelow[N number](n int, f func(i int) N) N {
	var sum N
	for i := range n {
		sum += f(i)
	}
	return sum
}

// Max returns the largest of a value and f of every element.
func Max[T any, N cmp.Ordered](most N, list []T, f func(T) N) N {
	for _, x := range list {
		most = max(most, f(x))
	}
	return most
}

// Min returns the smallest of a value and f of every element.
func Min[T any, N cmp.Ordered](least N, list []T, f func(T) N) N {
	for _, x := range list {
		least = min(least, f(x))
	}
	return least
}

// Set returns the set of the elements.
func Set[T comparable](list []T) map[T]bool {
	set := make(map[T]bool, len(list))
	for _, x := range list {
		set[x] = true
	}
	return set
}

// Try does something with every element, up to the first that fails, and returns its error.
func Try[T any](list []T, do func(T) error) error {
	for _, x := range list {
		if err := do(x); err != nil {
			return err
		}
	}
	return nil
}
