package units_test

import (
	"encoding"
	"math"
	"strings"
	"testing"

	"github.com/lightpath-net/lightpath/units"
)

// flagValue is the interface that command-line flag packages require of a value.
type flagValue interface {
	String() string
	Set(string) error
	Type() string
}

var (
	_ flagValue = (*units.Bytes)(nil)
	_ flagValue = (*units.Bandwidth)(nil)
	_ flagValue = (*units.Duration)(nil)

	_ encoding.TextMarshaler   = units.Bytes(0)
	_ encoding.TextMarshaler   = units.Bandwidth(0)
	_ encoding.TextMarshaler   = units.Duration(0)
	_ encoding.TextUnmarshaler = (*units.Bytes)(nil)
	_ encoding.TextUnmarshaler = (*units.Bandwidth)(nil)
	_ encoding.TextUnmarshaler = (*units.Duration)(nil)
)

// accepted is a text that parses, and its value in the base unit.
type accepted struct {
	text string
	want int64
}

// refused is a text that does not parse, and the full error.
type refused struct {
	text, want string
}

func checkAccepted[T ~int64](t *testing.T, parse func(string) (T, error), cases []accepted) {
	t.Helper()
	for _, c := range cases {
		got, err := parse(c.text)
		if err != nil {
			t.Errorf("%q: %v", c.text, err)
		} else if int64(got) != c.want {
			t.Errorf("%q = %d, want %d", c.text, int64(got), c.want)
		}
	}
}

func checkRefused[T ~int64](t *testing.T, parse func(string) (T, error), cases []refused) {
	t.Helper()
	for _, c := range cases {
		got, err := parse(c.text)
		switch {
		case err == nil:
			t.Errorf("%q = %d, want an error", c.text, int64(got))
		case err.Error() != c.want:
			t.Errorf("%q:\n got %s\nwant %s", c.text, err, c.want)
		case got != 0:
			t.Errorf("%q: value %d with an error", c.text, int64(got))
		case strings.ContainsAny(err.Error(), "\n\r"):
			t.Errorf("%q: error of more than one line", c.text)
		}
	}
}

func TestParseBytes(t *testing.T) {
	checkAccepted(t, units.ParseBytes, []accepted{
		{"0B", 0},
		{"1B", 1},
		{"256B", 256},
		{"007B", 7},
		{"1.0B", 1},
		{"1.5KiB", 1536},
		{"1.5KB", 1500},
		{"0.5MiB", 1 << 19},
		{"64 MB", 64e6},
		{"2\t GiB", 2 << 30},
		{"3TiB", 3 << 40},
		{"3TB", 3e12},
		{"4GB", 4e9},
		{"0.0009765625KiB", 1},
		{"9223372036854775807B", math.MaxInt64},
		{"8388607TiB", 8388607 << 40},
		{"1.500000000000000000000000000000000000KiB", 1536},
	})
	const list = "B, KiB, MiB, GiB, TiB, KB, MB, GB, TB"
	checkRefused(t, units.ParseBytes, []refused{
		{"0.3B", `"0.3B": not a whole number of bytes`},
		{"0.0001KB", `"0.0001KB": not a whole number of bytes`},
		{"9223372036854775808B", `"9223372036854775808B": too large for a size`},
		{"8388608TiB", `"8388608TiB": too large for a size`},
		{"5mb", `"5mb": unknown unit "mb"; did you mean MB? (` + list + `)`},
		{"5mib", `"5mib": unknown unit "mib"; did you mean MiB? (` + list + `)`},
		{"5b", `"5b": unknown unit "b"; did you mean B? (` + list + `)`},
		{"5M", `"5M": unknown unit "M"; did you mean MiB or MB? (` + list + `)`},
		{"5Gbps", `"5Gbps": unknown unit "Gbps"; use B, KiB, MiB, GiB, TiB, KB, MB, GB or TB`},
		{"5 MB ", `"5 MB ": unknown unit "MB "; use B, KiB, MiB, GiB, TiB, KB, MB, GB or TB`},
		{"5", `"5" has no unit; write e.g. 5B (` + list + `)`},
		{"0", `"0" has no unit; write e.g. 100B (` + list + `)`},
		{"", `empty size; write e.g. 100B (` + list + `)`},
		{"1_000B", `"1_000B": write the number without '_', with a point before the fraction`},
		{"1,5KB", `"1,5KB": write the number without ',', with a point before the fraction`},
		{strings.Repeat("9", 60) + "B", `"` + strings.Repeat("9", 60) + `B": too large for a size`},
		{strings.Repeat("1", 99) + "B", `"1111111111111111"...: too long for a size (100 bytes, at most 64)`},
	})
}

func TestParseBandwidth(t *testing.T) {
	checkAccepted(t, units.ParseBandwidth, []accepted{
		{"0bps", 0},
		{"1bps", 1},
		{"9.6Kbps", 9600},
		{"100Mbps", 1e8},
		{"800Gbps", 8e11},
		{"1.6 Tbps", 16e11},
		{"85.11Gbps", 85_110_000_000},
		{"0.000000000001Tbps", 1},
	})
	const list = "bps, Kbps, Mbps, Gbps, Tbps"
	checkRefused(t, units.ParseBandwidth, []refused{
		{"100", `"100" has no unit; write e.g. 100Gbps (` + list + `)`},
		{"100gbps", `"100gbps": unknown unit "gbps"; did you mean Gbps? (` + list + `)`},
		{"100GBps", `"100GBps": unknown unit "GBps"; did you mean Gbps? (` + list + `)`},
		{"100Gb/s", `"100Gb/s": unknown unit "Gb/s"; did you mean Gbps? (` + list + `)`},
		{"100G", `"100G": unknown unit "G"; did you mean Gbps? (` + list + `)`},
		{"100GB", `"100GB": unknown unit "GB"; use bps, Kbps, Mbps, Gbps or Tbps`},
		{"0.5bps", `"0.5bps": not a whole number of bits per second`},
		{"9223373Tbps", `"9223373Tbps": too large for a rate`},
	})
}

func TestParseDuration(t *testing.T) {
	checkAccepted(t, units.ParseDuration, []accepted{
		{"0ns", 0},
		{"0.0s", 0},
		{"1ps", 1},
		{"0.001ns", 1},
		{"500ns", 500e3},
		{"1.7us", 1_700_000},
		{"30.32us", 30_320_000},
		{"10\u00b5s", 10e6},
		{"10 \u03bcs", 10e6},
		{"25ms", 25e9},
		{"2s", 2e12},
	})
	const list = "ps, ns, us, ms, s"
	const such = "write e.g. 100ns (" + list + ")"
	checkRefused(t, units.ParseDuration, []refused{
		{"100", `"100" has no unit; write e.g. 100ns (` + list + `)`},
		{"100 ", `"100 " has no unit; write e.g. 100ns (` + list + `)`},
		{"0", `"0" has no unit; write e.g. 0ns (` + list + `)`},
		{"5m", `"5m": unknown unit "m"; use ps, ns, us, ms or s`},
		{"5min", `"5min": unknown unit "min"; use ps, ns, us, ms or s`},
		{"5MS", `"5MS": unknown unit "MS"; did you mean ms? (` + list + `)`},
		{"5sec", `"5sec": unknown unit "sec"; did you mean s? (` + list + `)`},
		{"-5ns", `"-5ns": must not be negative`},
		{"\u22125ns", "\"\u22125ns\": must not be negative"},
		{"-.5ns", `"-.5ns": must not be negative`},
		{"-0ns", `"-0ns": must not be negative`},
		{"+5ns", `"+5ns": write it without a sign`},
		{"--x", `"--x" does not begin with a digit; ` + such},
		{" 5ns", `" 5ns" does not begin with a digit; ` + such},
		{"ns", `"ns" does not begin with a digit; ` + such},
		{"NaN", `"NaN" does not begin with a digit; ` + such},
		{"Infs", `"Infs" does not begin with a digit; ` + such},
		{".5ns", `".5ns": write a digit before the decimal point`},
		{"5.ns", `"5.ns": no digit after the decimal point`},
		{"5..5ns", `"5..5ns": no digit after the decimal point`},
		{"1.2.3ns", `"1.2.3ns": not a decimal number and a unit such as 1.2ns`},
		{"1e3ns", `"1e3ns": write the number without an exponent`},
		{"1E-3s", `"1E-3s": write the number without an exponent`},
		{"0x10ns", `"0x10ns": unknown unit "x10ns"; use ps, ns, us, ms or s`},
		{"5\nns", `"5\nns": not a decimal number and a unit such as 5ns`},
		{"5\xff", `"5\xff": not a decimal number and a unit such as 5ns`},
		{"5n\ns", `"5n\ns": unknown unit "n\ns"; use ps, ns, us, ms or s`},
		{"\u0665ns", "\"\u0665ns\" does not begin with a digit; " + such},
		{"0.0001ps", `"0.0001ps": not a whole number of picoseconds`},
		{"9223373s", `"9223373s": too large for a duration`},
		{"9223372036854775807.5ps", `"9223372036854775807.5ps": not a whole number of picoseconds`},
	})
}

func TestFlagValue(t *testing.T) {
	var (
		size  units.Bytes
		rate  units.Bandwidth
		delay units.Duration
	)
	for _, c := range []struct {
		value     flagValue
		typ, text string
	}{
		{&size, "size", "64MiB"},
		{&rate, "rate", "800Gbps"},
		{&delay, "duration", "1.5us"},
	} {
		if got := c.value.Type(); got != c.typ {
			t.Errorf("Type of %T = %q, want %q", c.value, got, c.typ)
		}
		if err := c.value.Set(c.text); err != nil {
			t.Errorf("%T: %v", c.value, err)
		}
		if err := c.value.Set("5 apples"); err == nil {
			t.Errorf("%T: Set took an unknown unit", c.value)
		}
		if got := c.value.String(); got != c.text {
			t.Errorf("%T after an error = %s, want %s", c.value, got, c.text)
		}
	}
}
