package expand

import (
	"math/big"

	"github.com/lightpath-net/lightpath/internal/arithmetic"
	"github.com/lightpath-net/lightpath/planner/direct/bfb"
)

// finest bounds the grain of an allgather: the largest common denominator of the two ends of a
// transfer. The product of two grains then fits 64 bits.
const finest = 1 << 31

var (
	zero = bfb.Frac{Num: 0, Den: 1}
	one  = bfb.Frac{Num: 1, Den: 1}
)

// ratio returns num/den in lowest terms, for num >= 0 and den >= 1.
func ratio(num, den int64) bfb.Frac {
	g := arithmetic.GCD(num, den)
	return bfb.Frac{Num: num / g, Den: den / g}
}

// together returns the ends of an interval as multiples of 1/den.
func together(from, to bfb.Frac) (a, b, den int64) {
	den = arithmetic.LCM(from.Den, to.Den)
	return from.Num * (den / from.Den), to.Num * (den / to.Den), den
}

// slice returns the i-th of several equal slices of an interval.
func slice(from, to bfb.Frac, i, slices int64) (bfb.Frac, bfb.Frac) {
	if slices == 1 {
		return from, to
	}
	a, b, den := together(from, to)
	start := a*slices + (b-a)*i
	return ratio(start, den*slices), ratio(start+b-a, den*slices)
}

// inPart returns where f lies if the shard becomes the i-th of several equal parts of a
// shard.
func inPart(f bfb.Frac, i, parts int64) bfb.Frac { return ratio(i*f.Den+f.Num, f.Den*parts) }

// total adds up fractions exactly, in 64 bits as long as these suffice. The zero value
// is 0.
type total struct {
	num, den int64 // num < 2^62; den is 0 while nothing was added, else at most finest
	wide     *big.Rat
}

// add adds num/den, for 0 <= num < 2^62 and den >= 1.
func (t *total) add(num, den int64) {
	if t.wide != nil || !t.addNarrow(num, den) {
		sum := t.rat()
		t.wide = sum.Add(sum, big.NewRat(num, den))
	}
}

// addNarrow adds within 64 bits, or reports that it cannot.
func (t *total) addNarrow(num, den int64) bool {
	const most = 1 << 62
	if t.den == 0 && den <= finest {
		t.num, t.den = num, den
		return true
	}
	if t.den != den {
		if den > finest || t.den == 0 {
			return false
		}
		common := arithmetic.LCM(t.den, den)
		if common > finest || t.num >= most/(common/t.den) || num >= most/(common/den) {
			return false
		}
		t.num, num, t.den = t.num*(common/t.den), num*(common/den), common
	}
	if t.num >= most-num {
		return false
	}
	t.num += num
	return true
}

// rat returns the sum as a new big.Rat.
func (t *total) rat() *big.Rat {
	switch {
	case t.wide != nil:
		return new(big.Rat).Set(t.wide)
	case t.den == 0:
		return new(big.Rat)
	}
	return big.NewRat(t.num, t.den)
}

// isZero reports whether the sum is 0.
func (t *total) isZero() bool { return t.wide == nil && t.num == 0 }

// less reports whether the sum is less than another.
func (t *total) less(other *total) bool {
	if t.wide == nil && other.wide == nil {
		return bfb.Frac{Num: t.num, Den: max(1, t.den)}.Less(bfb.Frac{Num: other.num, Den: max(1, other.den)})
	}
	return t.rat().Cmp(other.rat()) < 0
}

// minus returns the sum minus another that is not larger.
func (t *total) minus(other *total) total {
	if other.isZero() {
		return *t
	}
	difference := t.rat()
	return total{wide: difference.Sub(difference, other.rat())}
}
