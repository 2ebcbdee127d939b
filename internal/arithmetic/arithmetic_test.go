package arithmetic_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/lightpath-net/lightpath/internal/arithmetic"
)

func ExampleGCD() {
	fmt.Println(arithmetic.GCD(12, 18), arithmetic.GCD(7, 0), arithmetic.GCD[int64](64, 48))
	// Output: 6 7 16
}

func ExampleLCM() {
	fmt.Println(arithmetic.LCM(12, 18))
	// Output: 36
}

// A step back from node 0 of a ring of 8 ends at node 7.
func ExampleMod() {
	fmt.Println(arithmetic.Mod(0-1, 8), arithmetic.Mod(7+1, 8))
	// Output: 7 0
}

func ExampleOffset() {
	fmt.Println(arithmetic.Offset(7, 2, 8), arithmetic.Offset(2, 7, 8))
	// Output: 3 5
}

func ExampleCeilDiv() {
	fmt.Println(arithmetic.CeilDiv(0, 4), arithmetic.CeilDiv(8, 4), arithmetic.CeilDiv(9, 4))
	// Output: 0 2 3
}

func ExampleDivisors() {
	fmt.Println(arithmetic.Divisors(36))
	// Output: [1 2 3 4 6 9 12 18 36]
}

func ExamplePrimeFactors() {
	fmt.Println(arithmetic.PrimeFactors(360))
	// Output: [2 2 2 3 3 5]
}

func ExampleSum() {
	fmt.Println(arithmetic.Sum([]int{1, 2, 3}), arithmetic.Sum([]float64{0.5, 0.25}))
	// Output: 6 0.75
}

func TestGCDIsTheGreatestDivisorOfBoth(t *testing.T) {
	for a := range 60 {
		for b := range 60 {
			want := max(a, b) // that of 0 and b is b
			for d := 1; d <= min(a, b); d++ {
				if a%d == 0 && b%d == 0 {
					want = d
				}
			}
			if got := arithmetic.GCD(a, b); got != want {
				t.Errorf("%d and %d: %d, want %d", a, b, got, want)
			}
		}
	}
}

func TestLCMIsTheLeastMultipleOfBoth(t *testing.T) {
	for a := 1; a < 40; a++ {
		for b := 1; b < 40; b++ {
			want := a
			for want%b != 0 {
				want += a
			}
			if got := arithmetic.LCM(a, b); got != want {
				t.Errorf("%d and %d: %d, want %d", a, b, got, want)
			}
		}
	}
}

func TestModIsARemainderThatIsNeverNegative(t *testing.T) {
	for n := 1; n < 20; n++ {
		for a := -3 * n; a < 3*n; a++ {
			if got := arithmetic.Mod(a, n); got < 0 || got >= n || (a-got)%n != 0 {
				t.Errorf("%d modulo %d: %d", a, n, got)
			}
		}
	}
}

func TestDivisorsAreAllNumbersThatDivide(t *testing.T) {
	for n := 1; n < 400; n++ {
		var want []int
		for d := 1; d <= n; d++ {
			if n%d == 0 {
				want = append(want, d)
			}
		}
		if got := arithmetic.Divisors(n); !slices.Equal(got, want) {
			t.Errorf("%d: %v, want %v", n, got, want)
		}
	}
}

func TestPrimeFactorsArePrimesWithTheNumberAsProduct(t *testing.T) {
	for n := range 400 {
		primes, product := arithmetic.PrimeFactors(n), 1
		for _, p := range primes {
			product *= p
			if len(arithmetic.Divisors(p)) != 2 {
				t.Errorf("%d: %d is not prime", n, p)
			}
		}
		if !slices.IsSorted(primes) || product != max(n, 1) {
			t.Errorf("%d: %v", n, primes)
		}
		if prime := len(arithmetic.Divisors(n)) == 2; arithmetic.Prime(n) != prime {
			t.Errorf("%d is prime: %v, want %v", n, !prime, prime)
		}
	}
}
