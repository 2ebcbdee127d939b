package calibrate

import (
	"errors"
	"fmt"
	"strings"

	"github.com/lightpath-net/lightpath/units"
)

// Method says which line counts as the best one. The zero value is Relative.
type Method struct {
	plateau units.Bytes // 0: relative
}

// Relative is Fit: the least sum of squared relative errors. Every size counts the same.
var Relative = Method{}

// defaultPlateau is the plateau of HARVEST's fit (Rahman et al. 2026, Fig. 7).
const defaultPlateau = 8 * units.KiB

// Plateau is FitPlateau with a plateau up to the given size; 0: 8 KiB.
func Plateau(upTo units.Bytes) Method {
	if upTo <= 0 {
		upTo = defaultPlateau
	}
	return Method{upTo}
}

// ParseMethod reads "relative" (or nothing), "plateau" or "plateau:SIZE".
func ParseMethod(text string) (Method, error) {
	name, size, sized := strings.Cut(text, ":")
	switch {
	case text == "" || text == "relative":
		return Relative, nil
	case name != "plateau":
		return Method{}, fmt.Errorf("unknown fit %q; use relative, plateau or plateau:SIZE such as plateau:8KiB", text)
	case !sized:
		return Plateau(0), nil
	}
	upTo, err := units.ParsePositiveBytes(size)
	if err != nil {
		return Method{}, fmt.Errorf("plateau: %w", err)
	}
	return Plateau(upTo), nil
}

// String returns the form that ParseMethod reads.
func (m Method) String() string {
	if m.plateau == 0 {
		return "relative"
	}
	return "plateau:" + m.plateau.String()
}

// Fit fits a line by this method.
func (m Method) Fit(samples []Sample) (*Line, error) {
	if m.plateau == 0 {
		return Fit(samples)
	}
	return FitPlateau(samples, m.plateau)
}

// FitPlateau fits as the authors of HARVEST do (Fig. 7). alpha is the mean time of the sizes up
// to upTo, where start-up dominates. The time per byte is the least-squares fit of the larger
// sizes, by absolute errors, on a line through alpha. So almost only the largest samples
// determine the bandwidth.
func FitPlateau(samples []Sample, upTo units.Bytes) (*Line, error) {
	l := &Line{Samples: len(samples)}
	small := 0
	for i, s := range samples {
		switch {
		case !(s.Time > 0):
			return nil, fmt.Errorf("sample %d: a time of %v; want more than 0", i+1, s.Time)
		case s.Steps != samples[0].Steps || s.Hops != samples[0].Hops:
			return nil, errors.New("a plateau needs samples of equal steps and hops; use the relative fit")
		case s.Bytes <= float64(upTo):
			l.Alpha += s.Time
			small++
		}
	}
	if small == 0 || small == len(samples) {
		return nil, fmt.Errorf("%d of %d samples are on the plateau up to %v: %w", small, len(samples), upTo, ErrAlike)
	}
	l.Alpha /= units.Time(small)
	var above, squares float64
	for _, s := range samples {
		if s.Bytes > float64(upTo) {
			bytes := s.Bytes * s.factor()
			above += bytes * float64(s.Time-l.Alpha)
			squares += bytes * bytes
		}
	}
	if above <= 0 {
		return nil, fmt.Errorf("times do not grow with sizes: %w", ErrAlike)
	}
	l.PerByte = units.Time(above / squares)
	l.measure(samples)
	return l, nil
}
