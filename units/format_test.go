package units_test

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/lightpath-net/lightpath/units"
)

func TestString(t *testing.T) {
	for _, c := range []struct {
		value interface{ String() string }
		want  string
	}{
		{units.Bytes(0), "0B"},
		{units.Bytes(1), "1B"},
		{units.Bytes(1023), "1023B"},
		{units.Bytes(1024), "1KiB"},
		{units.Bytes(1536), "1536B"},
		{units.Bytes(1000), "1KB"},
		{units.Bytes(1500), "1500B"},
		{units.Bytes(1024000), "1000KiB"},
		{64 * units.MiB, "64MiB"},
		{64 * units.MB, "64MB"},
		{10 * units.GB, "10GB"},
		{units.Bytes(9765625 * 1024), "10GB"},
		{3 * units.TiB, "3TiB"},
		{units.Bytes(12_345_000), "12345KB"},
		{units.Bytes(math.MaxInt64), "9223372036854775807B"},
		{units.Bytes(-1024), "-1KiB"},
		{units.Bytes(math.MinInt64), "-8388608TiB"},

		{units.Bandwidth(0), "0bps"},
		{units.Bandwidth(999), "999bps"},
		{units.Bandwidth(1001), "1.001Kbps"},
		{800 * units.Gbps, "800Gbps"},
		{1600 * units.Gbps, "1.6Tbps"},
		{units.Bandwidth(math.MaxInt64), "9223372.036854775807Tbps"},
		{-5 * units.Mbps, "-5Mbps"},

		{units.Duration(0), "0ns"},
		{units.Picosecond, "1ps"},
		{500 * units.Nanosecond, "500ns"},
		{1500 * units.Nanosecond, "1.5us"},
		{units.Microsecond + units.Picosecond, "1.000001us"},
		{25 * units.Millisecond, "25ms"},
		{90 * units.Second, "90s"},
		{units.Duration(math.MaxInt64), "9223372.036854775807s"},
		{units.Duration(math.MinInt64), "-9223372.036854775808s"},
	} {
		if got := c.value.String(); got != c.want {
			t.Errorf("%T: got %s, want %s", c.value, got, c.want)
		}
	}
}

// sample draws values of every magnitude, some of them round.
func sample(r *rand.Rand) int64 {
	v := r.Int64() >> r.IntN(63)
	switch r.IntN(3) {
	case 0:
		for range r.IntN(19) {
			if v > math.MaxInt64/10 {
				break
			}
			v *= 10
		}
	case 1:
		v &^= 1<<r.IntN(63) - 1
	}
	return v
}

func checkRoundTrip[T interface {
	~int64
	String() string
}](t *testing.T, parse func(string) (T, error)) {
	t.Helper()
	r := rand.New(rand.NewPCG(1, 2))
	for range 20_000 {
		v := T(sample(r))
		text := v.String()
		got, err := parse(text)
		if err != nil {
			t.Fatalf("%d printed as %s: %v", int64(v), text, err)
		}
		if got != v {
			t.Fatalf("%d printed as %s, read as %d", int64(v), text, int64(got))
		}
	}
}

func TestRoundTrip(t *testing.T) {
	t.Run("bytes", func(t *testing.T) { checkRoundTrip(t, units.ParseBytes) })
	t.Run("bandwidth", func(t *testing.T) { checkRoundTrip(t, units.ParseBandwidth) })
	t.Run("duration", func(t *testing.T) { checkRoundTrip(t, units.ParseDuration) })
}

func TestText(t *testing.T) {
	type quantity interface {
		MarshalText() ([]byte, error)
		UnmarshalText([]byte) error
	}
	size, rate, delay := 3*units.KiB, 400*units.Gbps, 1700*units.Nanosecond
	for _, c := range []struct {
		in, out quantity
		want    string
	}{
		{&size, new(units.Bytes), "3KiB"}, {&rate, new(units.Bandwidth), "400Gbps"}, {&delay, new(units.Duration), "1.7us"},
	} {
		text, err := c.in.MarshalText()
		if err != nil || string(text) != c.want {
			t.Errorf("got %s, %v, want %s", text, err, c.want)
		}
		if err := c.out.UnmarshalText(text); err != nil || fmt.Sprint(c.out) != fmt.Sprint(c.in) {
			t.Errorf("got %v, %v, want %v", c.out, err, c.in)
		}
		if err := c.out.UnmarshalText([]byte("3")); err == nil {
			t.Errorf("%s: 3 is accepted", c.want)
		}
	}
	less, slow, early := units.Bytes(-1), units.Bandwidth(-1), units.Duration(-1)
	for _, negative := range []quantity{&less, &slow, &early} {
		if text, err := negative.MarshalText(); err == nil {
			t.Errorf("negative value written as %s", text)
		}
		if text, err := json.Marshal(negative); err == nil {
			t.Errorf("negative value written as %s", text)
		}
	}
}

func TestTimeString(t *testing.T) {
	for _, c := range []struct {
		ns   float64
		want string
	}{
		{0, "0ns"},
		{math.Copysign(0, -1), "0ns"},
		{12420, "12.42us"},
		{1.26e6, "1.260ms"},
		{383_200, "383.2us"},
		{100, "100.0ns"},
		{999.94, "999.9ns"},
		{999.96, "1.000us"},
		{0.99996, "1.000ns"},
		{0.5, "500.0ps"},
		{0.0005, "0.5ps"},
		{1e-9, "1e-06ps"},
		{math.SmallestNonzeroFloat64, "4.941e-321ps"},
		{1e9, "1.000s"},
		{1.23456e13, "12350s"},
		{9_999_600e9, "1e+07s"},
		{1e30, "1e+21s"},
		{math.MaxFloat64, "1.798e+299s"},
		{-12420, "-12.42us"},
		{-0.25, "-250.0ps"},
		{math.Inf(1), "+Inf"},
		{math.Inf(-1), "-Inf"},
		{math.NaN(), "NaN"},
	} {
		if got := units.Time(c.ns).String(); got != c.want {
			t.Errorf("%g ns: got %s, want %s", c.ns, got, c.want)
		}
	}
}

func TestFormatBytes(t *testing.T) {
	for _, c := range []struct {
		bytes float64
		want  string
	}{
		{0, "0B"},
		{math.Copysign(0, -1), "0B"},
		{256, "256B"},
		{1000, "1000B"},
		{1023.4, "1023B"},
		{1023.96, "1KiB"},
		{1536, "1.5KiB"},
		{1 << 17 / 3.0, "42.67KiB"},
		{64 << 20, "64MiB"},
		{1 << 40, "1TiB"},
		{5e16, "45470TiB"},
		{1e30, "9.095e+17TiB"},
		{math.MaxFloat64, "1.635e+296TiB"},
		{1.0 / 3, "0.3333B"},
		{1e-9, "1e-09B"},
		{-1536, "-1.5KiB"},
		{math.Inf(1), "+Inf"},
		{math.Inf(-1), "-Inf"},
		{math.NaN(), "NaN"},
	} {
		if got := units.FormatBytes(c.bytes); got != c.want {
			t.Errorf("%g: got %s, want %s", c.bytes, got, c.want)
		}
	}
}

func TestTransmit(t *testing.T) {
	for _, c := range []struct {
		rate  units.Bandwidth
		bytes float64
		want  float64
	}{
		{800 * units.Gbps, 100, 1},
		{units.Gbps, 1, 8},
		{600 * units.Gbps, 1, 8.0 / 600},
		{100 * units.Gbps, 0.5, 0.04},
		{100 * units.Gbps, 0, 0},
		{0, 0, 0},
		{0, 1, math.Inf(1)},
		{-1, 1, math.Inf(1)},
	} {
		got := float64(c.rate.Transmit(c.bytes))
		if got != c.want && math.Abs(got-c.want) > 1e-12*c.want {
			t.Errorf("%g bytes at %s: got %g ns, want %g ns", c.bytes, c.rate, got, c.want)
		}
	}
	if got := (1700 * units.Nanosecond).Time(); got != 1700 {
		t.Errorf("1.7us = %g ns, want 1700", float64(got))
	}
	if got := units.Picosecond.Time(); got != 0.001 {
		t.Errorf("1ps = %g ns, want 0.001", float64(got))
	}
}

// Shares and ratios of times never divide by zero.
func TestSharesAndRatios(t *testing.T) {
	for _, c := range []struct {
		a, b        units.Time
		share, over float64
	}{
		{1, 4, 0.25, 0.25},
		{3, 2, 1.5, 1.5},
		{0, 2, 0, 0},
		{0, 0, 0, 1},
		{2, 0, 0, math.MaxFloat64},
	} {
		if share, over := c.a.Share(c.b), c.a.Over(c.b); share != c.share || over != c.over {
			t.Errorf("%v and %v: share %g, ratio %g; want %g and %g", c.a, c.b, share, over, c.share, c.over)
		}
	}
}
