package units

import (
	"math"
	"time"
)

// Bytes is a size in bytes.
type Bytes int64

// Other sizes can be built from these.
const (
	Byte Bytes = 1

	KiB Bytes = 1 << 10
	MiB Bytes = 1 << 20
	GiB Bytes = 1 << 30
	TiB Bytes = 1 << 40

	KB Bytes = 1e3
	MB Bytes = 1e6
	GB Bytes = 1e9
	TB Bytes = 1e12
)

// Bandwidth is a rate in bits per second.
type Bandwidth int64

// Other rates can be built from these.
const (
	BitPerSecond Bandwidth = 1

	Kbps Bandwidth = 1e3
	Mbps Bandwidth = 1e6
	Gbps Bandwidth = 1e9
	Tbps Bandwidth = 1e12
)

// Duration is a length of time in picoseconds that is an input to the planner: a latency or a
// reconfiguration delay. The largest is a little over 106 days.
//
// A time that the planner computes is a [Time].
type Duration int64

// Other durations can be built from these.
const (
	Picosecond  Duration = 1
	Nanosecond  Duration = 1e3
	Microsecond Duration = 1e6
	Millisecond Duration = 1e9
	Second      Duration = 1e12
)

// Time is a modelled length of time in nanoseconds.
//
// It is a separate type from [Duration] because the two have different origins. A Duration is
// an input that someone wrote down, and it is kept exactly as written. A Time is the result of
// a formula such as bytes divided by bandwidth, and that is seldom an integer number of
// picoseconds: one byte at 600Gbps takes 13.33ps. Rounding each such term would add up over the
// steps of a collective, so a Time keeps the fraction.
type Time float64

// ParseBytes reads a size such as 256B, 1.5KiB or 64MB. It is an error if the
// size is not a whole number of bytes.
func ParseBytes(s string) (Bytes, error) {
	n, err := byteUnits.parse(s)
	return Bytes(n), err
}

// ParseBandwidth reads a rate such as 800Gbps or 1.6Tbps. It is an error if the
// rate is not a whole number of bits per second.
func ParseBandwidth(s string) (Bandwidth, error) {
	n, err := bandwidthUnits.parse(s)
	return Bandwidth(n), err
}

// ParseDuration reads a duration such as 500ns or 1.7us. It is an error if the
// duration is not a whole number of picoseconds.
func ParseDuration(s string) (Duration, error) {
	n, err := durationUnits.parse(s)
	return Duration(n), err
}

// String prints b exactly, as an integer in the unit that gives the smallest number: 4KiB, 3MB
// or 1537B.
func (b Bytes) String() string { return byteUnits.formatWhole(int64(b)) }

// String prints b exactly, in the largest unit that b reaches: 800Gbps or
// 1.6Tbps.
func (b Bandwidth) String() string { return bandwidthUnits.formatFraction(int64(b)) }

// String prints d exactly, in the largest unit that d reaches: 500ns or 1.7us.
func (d Duration) String() string { return durationUnits.formatFraction(int64(d)) }

// MarshalText returns the text of [Bytes.String]. A negative size, which could not be read
// back, is an error.
func (b Bytes) MarshalText() ([]byte, error) { return byteUnits.marshal(int64(b), b.String()) }

// MarshalText returns the text of [Bandwidth.String]. A negative rate, which could not be read
// back, is an error.
func (b Bandwidth) MarshalText() ([]byte, error) {
	return bandwidthUnits.marshal(int64(b), b.String())
}

// MarshalText returns the text of [Duration.String]. A negative duration, which could not be
// read back, is an error.
func (d Duration) MarshalText() ([]byte, error) {
	return durationUnits.marshal(int64(d), d.String())
}

// UnmarshalText reads text like [ParseBytes]. On an error b is unchanged.
func (b *Bytes) UnmarshalText(text []byte) error { return b.Set(string(text)) }

// UnmarshalText reads text like [ParseBandwidth]. On an error b is unchanged.
func (b *Bandwidth) UnmarshalText(text []byte) error { return b.Set(string(text)) }

// UnmarshalText reads text like [ParseDuration]. On an error d is unchanged.
func (d *Duration) UnmarshalText(text []byte) error { return d.Set(string(text)) }

// Read sets a value to what a text says. On an error the value is unchanged.
func Read[T any](into *T, parse func(text string) (T, error), text string) error {
	v, err := parse(text)
	if err == nil {
		*into = v
	}
	return err
}

// Set reads s like [ParseBytes]. On an error b is unchanged.
func (b *Bytes) Set(s string) error { return Read(b, ParseBytes, s) }

// Set reads s like [ParseBandwidth]. On an error b is unchanged.
func (b *Bandwidth) Set(s string) error { return Read(b, ParseBandwidth, s) }

// Set reads s like [ParseDuration]. On an error d is unchanged.
func (d *Duration) Set(s string) error { return Read(d, ParseDuration, s) }

// Type returns the word that stands for the value in the help of a command: "size".
func (b *Bytes) Type() string { return byteUnits.quantity }

// Type returns the word that stands for the value in the help of a command: "rate".
func (b *Bandwidth) Type() string { return bandwidthUnits.quantity }

// Type returns the word that stands for the value in the help of a command: "duration".
func (d *Duration) Type() string { return durationUnits.quantity }

// Transmit returns the time to put bytes on a link of rate b. The argument is a float64 because
// a schedule divides a message into parts that need not be whole bytes. No bytes take no time;
// on a link without bandwidth any others take forever.
func (b Bandwidth) Transmit(bytes float64) Time {
	switch {
	case bytes == 0:
		return 0
	case b <= 0:
		return Time(math.Inf(1))
	}
	return Time(bytes * 8e9 / float64(b))
}

// Time returns d as a modelled time, to be added to other modelled times.
func (d Duration) Time() Time { return Time(float64(d) / float64(Nanosecond)) }

// Std returns the duration as a standard library duration, in whole nanoseconds.
func (d Duration) Std() time.Duration { return time.Duration(d / Nanosecond) }

// Share returns t as a fraction of a whole: 0 if the whole takes no time.
func (t Time) Share(whole Time) float64 {
	if whole == 0 {
		return 0
	}
	return float64(t / whole)
}

// Over returns how many times as long as other t is: 1 if they are equal, even if both are 0,
// and the largest number if only other is 0.
func (t Time) Over(other Time) float64 {
	if t == other {
		return 1
	}
	return min(float64(t/other), math.MaxFloat64)
}
