package units

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// In JSON a quantity is a number whose name includes the unit: size_bytes, bandwidth_bps,
// alpha_ns. Even nanoseconds that a float64 cannot represent exactly survive, because they are
// read and written digit by digit.

// MarshalJSON writes the number of bytes. A negative number, which could not be read back, is
// an error.
func (b Bytes) MarshalJSON() ([]byte, error) {
	return byteUnits.marshal(int64(b), strconv.FormatInt(int64(b), 10))
}

// MarshalJSON writes the bits per second. A negative number, which could not be read back,
// is an error.
func (b Bandwidth) MarshalJSON() ([]byte, error) {
	return bandwidthUnits.marshal(int64(b), strconv.FormatInt(int64(b), 10))
}

// MarshalJSON writes the nanoseconds, with up to three decimals. A negative number, which
// could not be read back, is an error.
func (d Duration) MarshalJSON() ([]byte, error) {
	text := strconv.FormatInt(int64(d/Nanosecond), 10)
	if rest := int64(d % Nanosecond); rest > 0 {
		text += "." + strings.TrimRight(fmt.Sprintf("%03d", rest), "0")
	}
	return durationUnits.marshal(int64(d), text)
}

// UnmarshalJSON reads a number of bytes. On an error b is unchanged.
func (b *Bytes) UnmarshalJSON(data []byte) error {
	n, err := wholeJSON(data, "bytes")
	if err == nil {
		*b = Bytes(n)
	}
	return err
}

// UnmarshalJSON reads a number of bits per second. On an error b is unchanged.
func (b *Bandwidth) UnmarshalJSON(data []byte) error {
	n, err := wholeJSON(data, "bits per second")
	if err == nil {
		*b = Bandwidth(n)
	}
	return err
}

func wholeJSON(data []byte, what string) (int64, error) {
	var n int64
	if err := json.Unmarshal(data, &n); err != nil || string(data) == "null" {
		return 0, fmt.Errorf("%s; want a whole number of %s", excerpt(data), what)
	}
	if n < 0 {
		return 0, fmt.Errorf("%d %s; must not be negative", n, what)
	}
	return n, nil
}

// UnmarshalJSON reads a number of nanoseconds with up to three decimals. On an error d is
// unchanged.
func (d *Duration) UnmarshalJSON(data []byte) error {
	var number json.Number
	if err := json.Unmarshal(data, &number); err != nil || len(data) == 0 || data[0] == '"' || string(data) == "null" {
		return fmt.Errorf("%s; want a number of nanoseconds", excerpt(data))
	}
	text := number.String()
	if strings.ContainsAny(text, "eE") { // for example 1e+09, as some tools write it
		x, err := number.Float64()
		if err != nil {
			return fmt.Errorf("%s; want a number of nanoseconds", excerpt(data))
		}
		text = strconv.FormatFloat(x, 'f', -1, 64)
	}
	parsed, err := ParseDuration(text + "ns")
	if err == nil {
		*d = parsed
	}
	return err
}

// excerpt returns the beginning of JSON text.
func excerpt(data []byte) string {
	const most = 40
	if len(data) > most {
		return string(data[:most]) + ".."
	}
	return string(data)
}
