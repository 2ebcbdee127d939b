// Package capped computes products and powers that stop at a limit instead of overflowing.
package capped

// Times returns min(a*b, limit). No argument may be negative.
func Times[T ~int | ~int64](a, b, limit T) T {
	if b != 0 && a > limit/b {
		return limit
	}
	return a * b
}

// Power returns min(base^exponent, limit); anything to the power of 0 is 1. No argument may be
// negative.
func Power[T ~int | ~int64](base, exponent, limit T) T {
	if exponent == 0 || base == 1 {
		return min(1, limit)
	}
	if base == 0 {
		return 0
	}
	result := T(1)
	for most := limit / base; exponent > 0; exponent-- {
		if result > most {
			return limit
		}
		result *= base
	}
	return result
}
