package parts

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/lightpath-net/lightpath/internal/each"
	"github.com/lightpath-net/lightpath/units"
)

// Range is an uncertain number: Low <= Likely <= High. All three are equal if it is certain.
type Range struct {
	Low    float64 `json:"low"`
	Likely float64 `json:"likely"`
	High   float64 `json:"high"`
}

// Exactly returns the range of a certain number.
func Exactly(x float64) Range { return Range{x, x, x} }

// Plus adds two ranges, end by end.
func (r Range) Plus(other Range) Range {
	return Range{r.Low + other.Low, r.Likely + other.Likely, r.High + other.High}
}

// Times multiplies a range by a number of things.
func (r Range) Times(count int) Range {
	c := float64(count)
	return Range{r.Low * c, r.Likely * c, r.High * c}
}

// String writes the range as files do.
func (r Range) String() string {
	number := func(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }
	if r.Low == r.Likely && r.Likely == r.High {
		return number(r.Likely)
	}
	return number(r.Low) + between + number(r.Likely) + between + number(r.High)
}

// String writes the stages as ranges are written.
func (s Stages) String() string {
	return Range{float64(s.Low), float64(s.Likely), float64(s.High)}.String()
}

// between separates the three numbers of a range.
const between = ".."

// Unit is the unit of a quantity.
type Unit string

// These are the units of quantities. Those per port are multiplied by the ports of a switch.
const (
	Dollars        Unit = "USD"
	DollarsPerPort Unit = "USD/port"
	Watts          Unit = "W"
	WattsPerPort   Unit = "W/port"
	Decibels       Unit = "dB"
	PerYear        Unit = "/year"
	FIT            Unit = "FIT" // failures in 10^9 hours
	Hours          Unit = "h"
)

// HoursPerYear converts failures per year into failures per hour.
const HoursPerYear = 8766

// Quantity is a range with its unit. The zero value is an unknown quantity.
type Quantity struct {
	Range
	Unit Unit
}

// IsZero reports whether the quantity is unknown.
func (q Quantity) IsZero() bool { return q.Unit == "" }

// String writes the quantity as ParseQuantity reads it.
func (q Quantity) String() string {
	if q.IsZero() {
		return ""
	}
	return q.Range.String() + " " + string(q.Unit)
}

// MarshalText writes the quantity.
func (q Quantity) MarshalText() ([]byte, error) { return []byte(q.String()), nil }

// UnmarshalText reads the quantity.
func (q *Quantity) UnmarshalText(text []byte) error {
	return units.Read(q, ParseQuantity, string(text))
}

// mostNumber limits a number in a file, so that no sum overflows.
const mostNumber = 1e12

// ParseQuantity reads a number or a range low..likely..high, and its unit: "520 USD/port",
// "0.5..1.5..2 dB".
func ParseQuantity(text string) (Quantity, error) {
	body := strings.TrimLeft(text, "0123456789.-")
	numbers, unit := strings.TrimSpace(text[:len(text)-len(body)]), Unit(strings.TrimSpace(body))
	all := []Unit{Dollars, DollarsPerPort, Watts, WattsPerPort, Decibels, PerYear, FIT, Hours}
	switch {
	case numbers == "":
		return Quantity{}, fmt.Errorf("%s: want a number and a unit, such as 520 USD/port", quoted(text))
	case unit == "":
		return Quantity{}, fmt.Errorf("%s: no unit; use %s", quoted(text), list(all))
	case !slices.Contains(all, unit) && strings.ContainsAny(body[:1], "eE,_+") && strings.ContainsAny(body, "0123456789"):
		return Quantity{}, fmt.Errorf("%s: write numbers with digits and a point only, such as 1200000 or 0.5", quoted(text))
	case !slices.Contains(all, unit):
		return Quantity{}, fmt.Errorf("%s: unknown unit %s; use %s", quoted(text), quoted(string(unit)), list(all))
	}
	q := Quantity{Unit: unit}
	texts := strings.Split(numbers, between)
	if len(texts) != 1 && len(texts) != 3 {
		return Quantity{}, fmt.Errorf("%s: want one number, or three: low..likely..high", quoted(text))
	}
	var read []float64
	for _, t := range texts {
		x, err := strconv.ParseFloat(t, 64)
		switch {
		case err != nil || strings.HasPrefix(t, ".") || strings.HasSuffix(t, "."):
			return Quantity{}, fmt.Errorf("%s: %s is not a number", quoted(text), quoted(t))
		case strings.HasPrefix(t, "-"):
			return Quantity{}, fmt.Errorf("%s: must not be below 0", quoted(text))
		case x > mostNumber:
			return Quantity{}, fmt.Errorf("%s: larger than %g", quoted(text), mostNumber)
		}
		read = append(read, x)
	}
	q.Range = Range{read[0], read[len(read)/2], read[len(read)-1]}
	if !slices.IsSorted(read) {
		return Quantity{}, fmt.Errorf("%s: want low <= likely <= high", quoted(text))
	}
	return q, nil
}

// list joins units for a message.
func list(all []Unit) string {
	texts := each.Of(all, func(u Unit) string { return string(u) })
	return strings.Join(texts, ", ")
}

// quoted returns a text for a message: on one line, and short.
func quoted(text string) string {
	const longest = 40
	if len(text) > longest {
		text = text[:longest] + "..."
	}
	return strconv.Quote(text)
}
