package units_test

import (
	"fmt"

	"github.com/lightpath-net/lightpath/units"
)

func ExampleParseBytes() {
	size, err := units.ParseBytes("1.5KiB")
	fmt.Println(int64(size), err)

	_, err = units.ParseBytes("0.3B")
	fmt.Println(err)
	// Output:
	// 1536 <nil>
	// "0.3B": not a whole number of bytes
}

func ExampleParseBandwidth() {
	rate, err := units.ParseBandwidth("1600Gbps")
	fmt.Println(rate, err)
	// Output: 1.6Tbps <nil>
}

func ExampleParseDuration() {
	delay, err := units.ParseDuration("1.7us")
	fmt.Println(int64(delay), delay, err)

	_, err = units.ParseDuration("100")
	fmt.Println(err)
	// Output:
	// 1700000 1.7us <nil>
	// "100" has no unit; write e.g. 100ns (ps, ns, us, ms, s)
}

func ExampleBandwidth_Transmit() {
	// A step of a collective: latency, then a third of a mebibyte.
	latency := 500 * units.Nanosecond
	rate := 800 * units.Gbps
	fmt.Println(latency.Time() + rate.Transmit(float64(units.MiB)/3))
	// Output: 3.995us
}

func ExampleFormatBytes() {
	fmt.Println(units.FormatBytes(float64(128*units.KiB) / 3))
	// Output: 42.67KiB
}
