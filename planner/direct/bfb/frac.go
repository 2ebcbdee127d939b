package bfb

import (
	"math/big"
	"math/bits"
	"strconv"

	"github.com/lightpath-net/lightpath/internal/arithmetic"
)

// Frac is an exact fraction Num/Den >= 0 in lowest terms, with Den >= 1, so that equal
// fractions are equal values. Loads and positions in a shard fit 64 bits, which Solve checks
// beforehand; sums over steps may not fit and are big.Rat.
type Frac struct {
	Num, Den int64
}

// reduced returns num/den in lowest terms, for num >= 0 and den >= 1.
func reduced(num, den int64) Frac {
	switch num {
	case 0:
		return Frac{0, 1}
	case den:
		return Frac{1, 1}
	}
	g := arithmetic.GCD(num, den)
	return Frac{num / g, den / g}
}

// Less reports whether f < g. The products are compared in 128 bits.
func (f Frac) Less(g Frac) bool {
	leftHigh, leftLow := bits.Mul64(uint64(f.Num), uint64(g.Den))
	rightHigh, rightLow := bits.Mul64(uint64(g.Num), uint64(f.Den))
	return leftHigh < rightHigh || leftHigh == rightHigh && leftLow < rightLow
}

// Rat returns the fraction as a new big.Rat.
func (f Frac) Rat() *big.Rat { return big.NewRat(f.Num, f.Den) }

// String prints p/q, also when q is 1, as big.Rat does.
func (f Frac) String() string {
	return strconv.FormatInt(f.Num, 10) + "/" + strconv.FormatInt(f.Den, 10)
}
