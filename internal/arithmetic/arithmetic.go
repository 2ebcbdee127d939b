// Package arithmetic has what the integers need beyond the operators: greatest common divisors,
// remainders that are never negative, quotients rounded up, divisors and prime factors. It also
// lists numbers and adds them up.
package arithmetic

import "slices"

// GCD returns the greatest number that divides both, by Euclid's algorithm; for 0 and b it is b.
// Neither may be negative.
func GCD[T ~int | ~int64](a, b T) T {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// LCM returns the least number that both divide. Both are positive, and the caller makes sure that
// the result fits.
func LCM[T ~int | ~int64](a, b T) T { return a / GCD(a, b) * b }

// Mod returns the number from 0 to n-1 that differs from a by a multiple of n, also for a negative
// a.
func Mod(a, n int) int { return (a%n + n) % n }

// Offset returns how far after from the number to comes around a ring of n; both are from 0 to n-1.
func Offset[T ~int | ~int32 | ~int64](from, to, n T) T { return (to - from + n) % n }

// CeilDiv returns a/b rounded up, for a positive b and an a above -b; a+b must fit.
func CeilDiv[T ~int | ~int32 | ~int64 | ~uint64](a, b T) T { return (a + b - 1) / b }

// Divisors lists the divisors of a positive number, ascending, by trial division up to its square
// root.
func Divisors(n int) []int {
	var low, high []int
	for d := 1; d*d <= n; d++ {
		if n%d == 0 {
			low = append(low, d)
			if d*d < n {
				high = append(high, n/d)
			}
		}
	}
	slices.Reverse(high)
	return append(low, high...)
}

// PrimeFactors lists the prime factors of a number, ascending, each as often as it divides the
// number. Numbers below 2 have none.
func PrimeFactors(n int) (primes []int) {
	for p := 2; p*p <= n; p++ {
		for n%p == 0 {
			primes, n = append(primes, p), n/p
		}
	}
	if n > 1 {
		primes = append(primes, n)
	}
	return primes
}

// Prime reports whether a number is prime.
func Prime(n int) bool { return len(PrimeFactors(n)) == 1 }

// Sum adds up a list, from its first number to its last.
func Sum[T ~int | ~int64 | ~float64](list []T) (sum T) {
	for _, x := range list {
		sum += x
	}
	return sum
}

// UpTo lists the numbers from 0 to n-1.
func UpTo(n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = i
	}
	return list
}
