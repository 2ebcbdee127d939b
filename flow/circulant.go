package flow

import "math/bits"

// CirculantHops returns the smallest number of jumps h >= 1 with h*jump = offset (mod n): the
// distance between nodes that are offset apart on a graph whose circuits all lead jump nodes
// on. For an offset of 0 it is the length of the cycle back to the start. It reports false if
// no number of jumps gets there. It solves the linear congruence with the extended Euclidean
// algorithm in O(log n).
func CirculantHops(n, jump, offset int) (hops int, ok bool) {
	if n < 1 {
		return 0, false
	}
	jump, offset = residue(jump, n), residue(offset, n)
	// Invariant: a = x*jump and b = y*jump (mod n).
	a, b, x, y := n, jump, 0, 1
	for b != 0 {
		q := a / b
		a, b = b, a-q*b
		x, y = y, x-q*y
	}
	if offset%a != 0 {
		return 0, false
	}
	cycle := n / a
	hi, lo := bits.Mul64(uint64(offset/a), uint64(residue(x, cycle)))
	hops = int(bits.Rem64(hi, lo, uint64(cycle)))
	if hops == 0 {
		hops = cycle
	}
	return hops, true
}

// residue returns a mod n in 0..n-1.
func residue(a, n int) int {
	if a %= n; a < 0 {
		a += n
	}
	return a
}
