package units

import (
	"errors"
	"fmt"
	"math/big"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxText limits the text that is parsed, in bytes. The longest text that String prints has 24.
const maxText = 64

// scale describes how one quantity is written.
type scale struct {
	quantity string // name of the quantity in errors and in help texts
	base     string // values must be integers in this unit
	example  string // unit to suggest if there is none
	zero     string // unit in which zero is printed
	units    []unit // in the order in which errors list them
	aliases  map[string]string
	hints    map[string]string // what a unit that is not accepted may have meant
}

// unit is an accepted unit, in multiples of the base unit.
type unit struct {
	name   string
	factor int64
}

var byteUnits = scale{
	quantity: "size",
	base:     "bytes",
	example:  "B",
	zero:     "B",
	units: []unit{
		{"B", int64(Byte)},
		{"KiB", int64(KiB)}, {"MiB", int64(MiB)}, {"GiB", int64(GiB)}, {"TiB", int64(TiB)},
		{"KB", int64(KB)}, {"MB", int64(MB)}, {"GB", int64(GB)}, {"TB", int64(TB)},
	},
	hints: map[string]string{
		"k": "KiB or KB", "m": "MiB or MB", "g": "GiB or GB", "t": "TiB or TB",
		"ki": "KiB", "mi": "MiB", "gi": "GiB", "ti": "TiB",
		"byte": "B", "bytes": "B",
	},
}

var bandwidthUnits = scale{
	quantity: "rate",
	base:     "bits per second",
	example:  "Gbps",
	zero:     "bps",
	units: []unit{
		{"bps", int64(BitPerSecond)},
		{"Kbps", int64(Kbps)}, {"Mbps", int64(Mbps)}, {"Gbps", int64(Gbps)}, {"Tbps", int64(Tbps)},
	},
	hints: map[string]string{
		"k": "Kbps", "m": "Mbps", "g": "Gbps", "t": "Tbps",
		"kb/s": "Kbps", "mb/s": "Mbps", "gb/s": "Gbps", "tb/s": "Tbps",
		"kbit/s": "Kbps", "mbit/s": "Mbps", "gbit/s": "Gbps", "tbit/s": "Tbps",
	},
}

var durationUnits = scale{
	quantity: "duration",
	base:     "picoseconds",
	example:  "ns",
	zero:     "ns",
	units: []unit{
		{"ps", int64(Picosecond)}, {"ns", int64(Nanosecond)}, {"us", int64(Microsecond)},
		{"ms", int64(Millisecond)}, {"s", int64(Second)},
	},
	// The micro sign and the Greek letter look the same.
	aliases: map[string]string{"\u00b5s": "us", "\u03bcs": "us"},
	hints:   map[string]string{"sec": "s", "msec": "ms", "usec": "us", "nsec": "ns"},
}

// parse reads a number and a unit and returns the value in the base unit.
func (sc *scale) parse(s string) (int64, error) {
	if len(s) > maxText {
		return 0, fmt.Errorf("%q...: too long for a %s (%d bytes, at most %d)", s[:16], sc.quantity, len(s), maxText)
	}
	whole := digits(s)
	if whole == "" {
		return 0, sc.notANumber(s)
	}
	rest := s[len(whole):]
	fraction := ""
	if strings.HasPrefix(rest, ".") {
		fraction = digits(rest[1:])
		if fraction == "" {
			return 0, fmt.Errorf("%q: no digit after the decimal point", s)
		}
		rest = rest[1+len(fraction):]
	}
	number := s[:len(s)-len(rest)]
	factor, err := sc.factor(s, number, strings.TrimLeft(rest, " \t"))
	if err != nil {
		return 0, err
	}

	// The digits are few enough (see maxText) for big integers to be cheap.
	value, ok := new(big.Int).SetString(whole+fraction, 10)
	if !ok {
		return 0, fmt.Errorf("%q: not a decimal number", s)
	}
	value.Mul(value, big.NewInt(factor))
	divisor := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(len(fraction))), nil)
	remainder := new(big.Int)
	value.QuoRem(value, divisor, remainder)
	if !value.IsInt64() {
		return 0, fmt.Errorf("%q: too large for a %s", s, sc.quantity)
	}
	if remainder.Sign() != 0 {
		return 0, fmt.Errorf("%q: not a whole number of %s", s, sc.base)
	}
	return value.Int64(), nil
}

// factor looks up the unit in the text s; number is for its errors.
func (sc *scale) factor(s, number, name string) (int64, error) {
	if name == "" {
		if strings.Trim(number, "0.") == "" && sc != &durationUnits {
			number = "100" // only a duration may be zero
		}
		return 0, fmt.Errorf("%q has no unit; write e.g. %s%s (%s)", s, number, sc.example, sc.list(", "))
	}
	lookup := name
	if alias, ok := sc.aliases[name]; ok {
		lookup = alias
	}
	for _, u := range sc.units {
		if u.name == lookup {
			return u.factor, nil
		}
	}

	first, size := utf8.DecodeRuneInString(name)
	switch {
	case (first == 'e' || first == 'E') && size < len(name) && strings.ContainsRune("+-0123456789", rune(name[size])):
		return 0, fmt.Errorf("%q: write the number without an exponent", s)
	case first == '_' || first == ',':
		return 0, fmt.Errorf("%q: write the number without %q, with a point before the fraction", s, first)
	case !unicode.IsLetter(first):
		return 0, fmt.Errorf("%q: not a decimal number and a unit such as %s%s", s, number, sc.example)
	}
	if meant := sc.meant(name); meant != "" {
		return 0, fmt.Errorf("%q: unknown unit %q; did you mean %s? (%s)", s, name, meant, sc.list(", "))
	}
	return 0, fmt.Errorf("%q: unknown unit %q; use %s", s, name, sc.list(" or "))
}

// notANumber is the error for a text that does not begin with a digit.
func (sc *scale) notANumber(s string) error {
	such := fmt.Sprintf("write e.g. 100%s (%s)", sc.example, sc.list(", "))
	if s == "" {
		return errors.New("empty " + sc.quantity + "; " + such)
	}
	for _, minus := range []string{"-", "\u2212"} {
		if rest, ok := strings.CutPrefix(s, minus); ok && digits(strings.TrimPrefix(rest, ".")) != "" {
			return fmt.Errorf("%q: must not be negative", s)
		}
	}
	switch {
	case s[0] == '+':
		return fmt.Errorf("%q: write it without a sign", s)
	case s[0] == '.' && digits(s[1:]) != "":
		return fmt.Errorf("%q: write a digit before the decimal point", s)
	}
	return fmt.Errorf("%q does not begin with a digit; %s", s, such)
}

// meant guesses which accepted unit was meant by name, or returns "".
func (sc *scale) meant(name string) string {
	for _, u := range sc.units {
		if strings.EqualFold(u.name, name) {
			return u.name
		}
	}
	return sc.hints[strings.ToLower(name)]
}

// list names the accepted units, with a special separator before the last.
func (sc *scale) list(last string) string {
	var b strings.Builder
	for i, u := range sc.units {
		switch {
		case i == 0:
		case i == len(sc.units)-1:
			b.WriteString(last)
		default:
			b.WriteString(", ")
		}
		b.WriteString(u.name)
	}
	return b.String()
}

// digits returns the part of s before the first byte that is not a decimal digit.
func digits(s string) string {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return s[:i]
		}
	}
	return s
}

// errZero says that a quantity must be positive.
func errZero(zero string) error { return errors.New("must be above " + zero) }

// ParsePositiveBytes reads a size above 0B.
func ParsePositiveBytes(s string) (Bytes, error) {
	b, err := ParseBytes(s)
	if err == nil && b == 0 {
		err = errZero("0B")
	}
	return b, err
}

// ParsePositiveBandwidth reads a rate above 0.
func ParsePositiveBandwidth(s string) (Bandwidth, error) {
	b, err := ParseBandwidth(s)
	if err == nil && b == 0 {
		err = errZero("0")
	}
	return b, err
}

// ParsePositiveDuration reads a duration above 0s.
func ParsePositiveDuration(s string) (Duration, error) {
	d, err := ParseDuration(s)
	if err == nil && d == 0 {
		err = errZero("0s")
	}
	return d, err
}
