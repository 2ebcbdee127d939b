package units

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// significant is the number of significant digits in a rounded form.
const significant = 4

// sign splits v into the sign to print and its magnitude. The magnitude of the
// smallest int64 fits only a uint64.
func sign(v int64) (string, uint64) {
	if v < 0 {
		return "-", -uint64(v)
	}
	return "", uint64(v)
}

// formatWhole prints v as an integer in the unit that gives the smallest number: 10GB and not
// 9765625KiB, 1000KiB and not 1024KB.
func (sc *scale) formatWhole(v int64) string {
	minus, m := sign(v)
	best := sc.units[0]
	if m != 0 {
		for _, u := range sc.units[1:] {
			if m%uint64(u.factor) == 0 && u.factor > best.factor {
				best = u
			}
		}
	}
	return minus + strconv.FormatUint(m/uint64(best.factor), 10) + best.name
}

// formatFraction prints v as an exact decimal fraction of the largest unit that
// it reaches.
func (sc *scale) formatFraction(v int64) string {
	if v == 0 {
		return "0" + sc.zero
	}
	minus, m := sign(v)
	best := sc.units[0]
	for _, u := range sc.units[1:] {
		if m >= uint64(u.factor) {
			best = u
		}
	}
	factor := uint64(best.factor)
	text := minus + strconv.FormatUint(m/factor, 10)
	if rest := m % factor; rest != 0 {
		// Every factor is a power of ten, so the sum is a 1, the zeros before the fraction, and the
		// fraction.
		padded := strconv.FormatUint(factor+rest, 10)
		text += "." + strings.TrimRight(padded[1:], "0")
	}
	return text + best.name
}

// marshal returns text, the printed form of v, unless it could not be read back.
func (sc *scale) marshal(v int64, text string) ([]byte, error) {
	if v < 0 {
		return nil, fmt.Errorf("%q: a %s must not be negative", text, sc.quantity)
	}
	return []byte(text), nil
}

// String prints t for people, with four significant digits and a suitable unit:
// 383.2us or 1.260ms. Zero is 0ns. Non-finite values print as NaN, +Inf or -Inf,
// and values far outside the range of the units have an exponent.
func (t Time) String() string {
	v := float64(t)
	switch {
	case math.IsNaN(v) || math.IsInf(v, 0):
		return strconv.FormatFloat(v, 'f', -1, 64)
	case v == 0:
		return "0ns"
	case math.Abs(round(v)) < 1:
		v, name := v*1e3, "ps"
		if math.Abs(round(v)) < 1 {
			return strconv.FormatFloat(v, 'g', significant, 64) + name
		}
		return formatFixed(v) + name
	}
	names := [...]string{"ns", "us", "ms", "s"}
	step := 0
	for step < len(names)-1 && math.Abs(round(v)) >= 1e3 {
		v /= 1e3
		step++
	}
	return formatFixed(v) + names[step]
}

// FormatBytes prints a size that need not be an integer, such as the part of a message that one
// step moves, for people: in binary units and rounded to four significant digits, as 256B,
// 1.5KiB or 42.67KiB. Use a [Bytes] for a size that is an integer and must stay exact.
func FormatBytes(b float64) string {
	if math.IsNaN(b) || math.IsInf(b, 0) {
		return strconv.FormatFloat(b, 'f', -1, 64)
	}
	names := [...]string{"B", "KiB", "MiB", "GiB", "TiB"}
	step := 0
	for step < len(names)-1 && math.Abs(round(b)) >= 1024 {
		b /= 1024
		step++
	}
	b = round(b)
	switch m := math.Abs(b); {
	case m == 0:
		return "0B"
	case m < 1e-4 || m >= plain:
		return strconv.FormatFloat(b, 'g', significant, 64) + names[step]
	}
	return strconv.FormatFloat(b, 'f', -1, 64) + names[step]
}

// plain is the number, in the largest unit, from which on an exponent is printed.
const plain = 1e7

// round rounds v to the significant digits. Choosing the unit by the rounded number makes
// 999.96ns print as 1.000us and not as 1000ns.
func round(v float64) float64 {
	r, err := strconv.ParseFloat(strconv.FormatFloat(v, 'e', significant-1, 64), 64)
	if err != nil {
		return v // rounded up beyond the largest float64
	}
	return r
}

// formatFixed prints v, which is at least 1 in magnitude, with the significant digits, and
// keeps trailing zeros so that columns of times line up.
func formatFixed(v float64) string {
	v = round(v)
	m := math.Abs(v)
	if m >= plain {
		return strconv.FormatFloat(v, 'g', significant, 64)
	}
	decimals := significant - 1
	for limit := 10.0; decimals > 0 && m >= limit; limit *= 10 {
		decimals--
	}
	return strconv.FormatFloat(v, 'f', decimals, 64)
}
