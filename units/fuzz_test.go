package units_test

import (
	"strings"
	"testing"

	"github.com/lightpath-net/lightpath/units"
)

// fuzzParse checks that parse handles any text without a panic, that an accepted value is not
// negative and survives printing and reading, and that an error is one line of bounded length.
func fuzzParse[T interface {
	~int64
	String() string
}](f *testing.F, parse func(string) (T, error), seeds ...string) {
	for _, s := range seeds {
		f.Add(s)
	}
	for _, s := range []string{"", "0", "-1", "+1", ".5", "1.", "1e9", "0x1", "NaN", "1_0", "1,5", "9 \u00b5s", "\xff"} {
		f.Add(s)
	}
	f.Add(strings.Repeat("9", 80))
	f.Fuzz(func(t *testing.T, s string) {
		v, err := parse(s)
		if err != nil {
			if v != 0 {
				t.Errorf("%q: value %d with an error", s, int64(v))
			}
			if m := err.Error(); strings.ContainsAny(m, "\n\r") || len(m) > 1000 {
				t.Errorf("%q: error %q is not one short line", s, m)
			}
			return
		}
		if v < 0 {
			t.Fatalf("%q = %d, which is negative", s, int64(v))
		}
		again, err := parse(v.String())
		if err != nil {
			t.Fatalf("%q printed as %s: %v", s, v, err)
		}
		if again != v {
			t.Fatalf("%q printed as %s, read as %d, want %d", s, v, int64(again), int64(v))
		}
	})
}

func FuzzParseBytes(f *testing.F) {
	fuzzParse(f, units.ParseBytes, "0B", "256B", "1.5KiB", "64MB", "0.3B", "5mb", "8388608TiB")
}

func FuzzParseBandwidth(f *testing.F) {
	fuzzParse(f, units.ParseBandwidth, "0bps", "800Gbps", "1.6Tbps", "100Gb/s", "0.1bps")
}

func FuzzParseDuration(f *testing.F) {
	fuzzParse(f, units.ParseDuration, "0ns", "500ns", "1.7us", "10\u03bcs", "5m", "0.0001ps", "9223372.036854775807s")
}
