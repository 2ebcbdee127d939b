package topology

import "slices"

// field is a finite field, as tables. Its elements are 0..q-1, of which 0 and 1 are
// the neutral ones. In a field of p^k elements they stand for polynomials over the
// integers modulo p, whose coefficients are the digits of the number in base p.
type field struct {
	q        int
	plus     [][]int
	times    [][]int
	negative []int
}

// newField builds the field of q elements, q a small power of a prime: of the
// polynomials by which products can be reduced, the first that leaves no divisors of
// zero is taken. It panics when q is not a power of a prime.
func newField(q int) *field {
	p := primeOf(q)
	f := &field{q: q, plus: table(q), times: table(q), negative: make([]int, q)}
	for a := range q {
		for b := range q {
			f.plus[a][b] = addDigits(p, a, b)
			if f.plus[a][b] == 0 {
				f.negative[a] = b
			}
		}
	}
	for modulus := range q { // x^k plus the polynomial of this number
		if f.multiply(p, f.negative[modulus]); f.withoutZeroDivisors() {
			return f
		}
	}
	panic("topology: no field of that order")
}

func table(q int) [][]int {
	rows := make([][]int, q)
	for a := range rows {
		rows[a] = make([]int, q)
	}
	return rows
}

// primeOf returns the prime of which q is a power.
func primeOf(q int) int {
	p := 2
	for q%p != 0 && p < q {
		p++
	}
	rest := q
	for rest > 1 && rest%p == 0 {
		rest /= p
	}
	if q < 2 || rest != 1 {
		panic("topology: a field has as many elements as a power of a prime")
	}
	return p
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

// multiply fills in the products of a field of p^k elements, given what x^k is equal to.
func (f *field) multiply(p, leading int) {
	top := f.q / p // the weight of x^(k-1)
	for a := range f.q {
		// Horner's scheme over the digits of b: shift, reduce, add.
		for b := range f.q {
			product := 0
			for weight := top; weight > 0; weight /= p {
				product = f.shift(p, top, leading, product)
				for range b / weight % p {
					product = f.plus[product][a]
				}
			}
			f.times[a][b] = product
		}
	}
}

// shift multiplies by x: the coefficient that leaves at the top comes back as so many
// times what x^k is equal to.
func (f *field) shift(p, top, leading, a int) int {
	shifted := a % top * p
	for range a / top {
		shifted = f.plus[shifted][leading]
	}
	return shifted
}

func (f *field) withoutZeroDivisors() bool {
	for a := 1; a < f.q; a++ {
		if slices.Contains(f.times[a][1:], 0) {
			return false
		}
	}
	return true
}

// dot is the sum of products of two vectors.
func (f *field) dot(a, b []int) int {
	sum := 0
	for i, x := range a {
		sum = f.plus[sum][f.times[x][b[i]]]
	}
	return sum
}

// minor is a[i] b[j] - a[j] b[i].
func (f *field) minor(a, b []int, i, j int) int {
	return f.plus[f.times[a[i]][b[j]]][f.negative[f.times[a[j]][b[i]]]]
}
