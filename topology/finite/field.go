package finite

import (
	"slices"

	"github.com/lightpath-net/lightpath/internal/arithmetic"
)

// Field is a finite field, as tables. Its elements are 0..q-1; 0 and 1 are the neutral ones. In a
// field of p^k elements they stand for polynomials over the integers modulo p, whose coefficients
// are the digits of the number in base p.
type Field struct {
	Order    int
	Plus     [][]int
	Times    [][]int
	Negative []int
}

// NewField builds the field of q elements, q a small power of a prime: it reduces products by
// the first polynomial that leaves no zero divisors. It panics when q is not a power of a
// prime.
func NewField(q int) *Field {
	p := primeOf(q)
	f := &Field{Order: q, Plus: table(q), Times: table(q), Negative: make([]int, q)}
	for a := range q {
		for b := range q {
			f.Plus[a][b] = addDigits(p, a, b)
			if f.Plus[a][b] == 0 {
				f.Negative[a] = b
			}
		}
	}
	for modulus := range q { // x^k plus the polynomial of this number
		if f.multiply(p, f.Negative[modulus]); f.withoutZeroDivisors() {
			return f
		}
	}
	panic("finite: no field of that order")
}

// Exists reports whether there is a field of q elements: q is a power of a prime.
func Exists(q int) bool {
	primes := arithmetic.PrimeFactors(q)
	return len(primes) > 0 && primes[0] == primes[len(primes)-1]
}

func table(q int) [][]int {
	rows := make([][]int, q)
	for a := range rows {
		rows[a] = make([]int, q)
	}
	return rows
}

// primeOf returns the prime p if q is a power of p.
func primeOf(q int) int {
	if !Exists(q) {
		panic("finite: a field has as many elements as a power of a prime")
	}
	return arithmetic.PrimeFactors(q)[0]
}

// addDigits adds two numbers digit by digit modulo p, without carry.
func addDigits(p, a, b int) int {
	sum := 0
	for weight := 1; a > 0 || b > 0; weight *= p {
		sum += (a%p + b%p) % p * weight
		a, b = a/p, b/p
	}
	return sum
}

// multiply fills in the products of a field of p^k elements, given what x^k equals.
func (f *Field) multiply(p, leading int) {
	top := f.Order / p // the weight of x^(k-1)
	for a := range f.Order {
		// Horner's scheme over the digits of b: shift, reduce, add.
		for b := range f.Order {
			product := 0
			for weight := top; weight > 0; weight /= p {
				product = f.shift(p, top, leading, product)
				for range b / weight % p {
					product = f.Plus[product][a]
				}
			}
			f.Times[a][b] = product
		}
	}
}

// shift multiplies by x: the coefficient that leaves at the top comes back as that multiple of
// what x^k equals.
func (f *Field) shift(p, top, leading, a int) int {
	shifted := a % top * p
	for range a / top {
		shifted = f.Plus[shifted][leading]
	}
	return shifted
}

func (f *Field) withoutZeroDivisors() bool {
	for a := 1; a < f.Order; a++ {
		if slices.Contains(f.Times[a][1:], 0) {
			return false
		}
	}
	return true
}

// Dot is the sum of products of two vectors.
func (f *Field) Dot(a, b []int) int {
	sum := 0
	for i, x := range a {
		sum = f.Plus[sum][f.Times[x][b[i]]]
	}
	return sum
}

// Minor is a[i] b[j] - a[j] b[i].
func (f *Field) Minor(a, b []int, i, j int) int {
	return f.Plus[f.Times[a[i]][b[j]]][f.Negative[f.Times[a[j]][b[i]]]]
}
