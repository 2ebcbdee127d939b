// Package gcd computes greatest common divisors, for jumps of rings, grains of shards and
// fractions.
package gcd

// Of returns the greatest number that divides both, by Euclid's algorithm; for 0 and b it is b.
// Neither may be negative.
func Of[T ~int | ~int64](a, b T) T {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}
