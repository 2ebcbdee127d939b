package chart

import (
	"math"
	"strconv"
	"strings"
)

// Unit says what the numbers of an axis are. It determines how they are written and which of
// them are round.
type Unit int

// The units.
const (
	Number  Unit = iota
	Seconds      // in ns, written in a suitable unit
	Bytes        // in binary units: KiB, MiB
	Decimal      // bytes in decimal units: KB, MB
	Bits         // bits per second
	Times        // a ratio: 2x
	Percent      // of 1
	Count        // integers
)

// Format writes a value with about three digits.
func (u Unit) Format(v float64) string {
	if math.IsNaN(v) {
		return "–"
	}
	if math.IsInf(v, 0) {
		return strings.Replace(strconv.FormatFloat(v, 'f', -1, 64), "+Inf", "∞", 1)
	}
	if v == 0 && u != Percent && u != Times {
		return "0"
	}
	switch u {
	case Seconds:
		return scaled(v, 1000, []string{"ns", "us", "ms", "s"}, "ps")
	case Bytes:
		return scaled(v, 1024, []string{"B", "KiB", "MiB", "GiB", "TiB"}, "")
	case Decimal:
		return scaled(v, 1000, []string{"B", "KB", "MB", "GB", "TB"}, "")
	case Bits:
		return scaled(v, 1000, []string{"bps", "Kbps", "Mbps", "Gbps", "Tbps"}, "")
	case Times:
		return digits(v) + "×"
	case Percent:
		return digits(100*v) + "%"
	}
	return digits(v)
}

// scaled writes v in the largest unit that it reaches; below is a unit a thousand times smaller
// than the first, or "".
func scaled(v, step float64, names []string, below string) string {
	if below != "" && v != 0 && math.Abs(v) < 1 {
		return digits(v*1000) + " " + below
	}
	k := 0
	for k < len(names)-1 && math.Abs(v) >= step*(1-5e-4) {
		v /= step
		k++
	}
	return digits(v) + " " + names[k]
}

// prefixes are the SI prefixes for numbers that are too large or too small to be written out.
var prefixes = []struct {
	name string
	of   float64
}{{"E", 1e18}, {"P", 1e15}, {"T", 1e12}, {"G", 1e9}, {"M", 1e6}, {"m", 1e-3}, {"u", 1e-6}, {"n", 1e-9}, {"p", 1e-12}, {"f", 1e-15}}

// digits writes a number with three significant digits and no unnecessary zeros, but with all
// digits before the point. From ten million on, and below a thousandth, it uses a prefix.
func digits(v float64) string {
	m := math.Abs(v)
	switch {
	case v == 0:
		return "0"
	case m >= 1e7 || m < 1e-3*(1-5e-4):
		for _, p := range prefixes {
			if m >= p.of*(1-5e-4) && m < 1e6*p.of {
				return digits(v/p.of) + " " + p.name
			}
		}
		return strconv.FormatFloat(v, 'g', 3, 64)
	case m >= 100:
		return strconv.FormatFloat(v, 'f', 0, 64)
	}
	decimals := 2
	for limit := 10.0; m < limit/10 && decimals < 6; limit /= 10 {
		decimals++
	}
	if m >= 10 {
		decimals = 1
	}
	text := strconv.FormatFloat(v, 'f', decimals, 64)
	if strings.Contains(text, ".") {
		text = strings.TrimRight(strings.TrimRight(text, "0"), ".")
	}
	return text
}

// Axis is one of the two axes of a chart.
type Axis struct {
	Label string // what it shows; the numbers have the unit
	Unit  Unit
	Log   bool // the label mentions it
	// Least and Most, if they differ, are the ends; otherwise those of the data are, rounded.
	Least, Most float64
}

// label returns the text at the axis, which says whether it is logarithmic.
func (a Axis) label() string {
	switch {
	case !a.Log:
		return a.Label
	case a.Label == "":
		return "log scale"
	}
	return a.Label + " (log scale)"
}

// scale is an axis with its ends, mapped to from..to on the canvas.
type scale struct {
	axis        Axis
	least, most float64
	from, to    float64
	ticks       []float64
}

// sameValue is the relative distance of the ends up to which they are one value: quotients that
// should be equal differ by rounding, and so do ticks.
const sameValue = 1e-8

// newScale fits an axis to data.
func newScale(a Axis, values []float64, wanted int) scale {
	s := scale{axis: a, least: math.Inf(1), most: math.Inf(-1)}
	for _, v := range values {
		if math.IsNaN(v) || math.IsInf(v, 0) || a.Log && v <= 0 {
			continue
		}
		s.least, s.most = min(s.least, v), max(s.most, v)
	}
	if a.Least != a.Most {
		s.least, s.most = a.Least, a.Most
	}
	if s.least > s.most { // no data
		s.least, s.most = 1, 10
	}
	if s.most-s.least <= sameValue*math.Max(math.Abs(s.least), math.Abs(s.most)) {
		s.most = s.least
	}
	if a.Log {
		s.fitLog(wanted, a.Least != a.Most)
	} else {
		s.fitLinear(wanted, a.Least != a.Most)
	}
	return s
}

// fitLinear chooses ticks at multiples of 1, 2 or 5 times a power of ten and, unless the ends
// are fixed, lets the axis end at ticks. 0 becomes an end if it is near.
func (s *scale) fitLinear(wanted int, fixed bool) {
	if !fixed && s.least > 0 && s.least < s.most/3 {
		s.least = 0
	}
	if s.least == s.most {
		s.most = s.least + math.Max(1, math.Abs(s.least))
	}
	base := 10.0
	if s.axis.Unit == Bytes && s.most >= 2048 {
		base = 2
	}
	step := niceStep((s.most-s.least)/float64(wanted), base)
	if s.axis.Unit == Count {
		step = math.Max(step, 1)
	}
	if !fixed {
		s.least, s.most = math.Floor(s.least/step+1e-9)*step, math.Ceil(s.most/step-1e-9)*step
	}
	for k := math.Ceil(s.least/step - 1e-9); k*step <= s.most+step*1e-9; k++ {
		s.ticks = append(s.ticks, k*step)
	}
}

func niceStep(rough, base float64) float64 {
	if base == 2 {
		return math.Exp2(math.Ceil(math.Log2(rough)))
	}
	power := math.Pow(10, math.Floor(math.Log10(rough)))
	for _, m := range [...]float64{1, 2, 5} {
		if m*power >= rough*(1-1e-9) {
			return m * power
		}
	}
	return 10 * power
}

// fitLog chooses ticks at powers of 10, or of 2 for bytes; if there are few decades, 2 and 5
// times those are ticks, too.
func (s *scale) fitLog(wanted int, fixed bool) {
	base := 10.0
	if s.axis.Unit == Bytes {
		base = 2
	}
	log := func(v float64) float64 { return math.Log(v) / math.Log(base) }
	if s.least == s.most {
		s.least, s.most = s.least/base, s.most*base
	}
	decades := log(s.most / s.least)
	if base == 10 && decades < fewDecades && s.most > s.least*nearlyFlat {
		s.fitPartOfDecade(wanted, fixed)
		return
	}
	var factors []float64
	every := 1
	switch {
	case base == 10 && decades <= float64(wanted)/3:
		factors = []float64{1, 2, 5}
	default:
		factors = []float64{1}
		for decades/float64(every) > float64(wanted) {
			switch { // for bytes 1, 2, 5, 10, 20 powers: KiB to MiB is ten of them
			case base == 10:
				every++
			case every == 2:
				every = 5
			default:
				every *= 2
			}
		}
	}
	if !fixed && base == 10 {
		s.least, s.most = roundLog(s.least, factors, math.Floor), roundLog(s.most, factors, math.Ceil)
	}
	for k := math.Floor(log(s.least)/float64(every)-1e-9) * float64(every); k <= log(s.most)+1e-9; k += float64(every) {
		for _, f := range factors {
			if t := f * math.Pow(base, k); t >= s.least*(1-1e-9) && t <= s.most*(1+1e-9) {
				s.ticks = append(s.ticks, t)
			}
		}
	}
}

// fewDecades is the length of a logarithmic axis below which 1, 2 and 5 give too few ticks.
const fewDecades = 0.6

// nearlyFlat is the ratio of the ends up to which equal steps would be less than 0.01, in
// digits that are not written.
const nearlyFlat = 1.036

// fitPartOfDecade chooses ticks in equal steps, as on a linear axis.
func (s *scale) fitPartOfDecade(wanted int, fixed bool) {
	step := niceStep((s.most-s.least)/float64(wanted), 10)
	if !fixed {
		if least := math.Floor(s.least/step+1e-9) * step; least > 0 {
			s.least = least
		}
		s.most = math.Ceil(s.most/step-1e-9) * step
	}
	for k := math.Ceil(s.least/step - 1e-9); k*step <= s.most+step*1e-9; k++ {
		s.ticks = append(s.ticks, k*step)
	}
}

// roundLog returns the next round number; round says whether up or down.
func roundLog(v float64, factors []float64, round func(float64) float64) float64 {
	down := round(0.5) == 0
	best := math.Pow(10, round(math.Log10(v)-math.Copysign(1e-9, 0.5-btof(down))))
	for _, f := range factors {
		for k := -1.0; k <= 1; k++ {
			t := f * math.Pow(10, math.Floor(math.Log10(v))+k)
			if down && t <= v*(1+1e-9) && t > best || !down && t >= v*(1-1e-9) && t < best {
				best = t
			}
		}
	}
	return best
}

func btof(b bool) float64 { return float64(btoi(b)) }

// at returns the position of a value.
func (s *scale) at(v float64) float64 {
	t := (v - s.least) / (s.most - s.least)
	if s.axis.Log {
		t = math.Log(v/s.least) / math.Log(s.most/s.least)
	}
	return s.from + t*(s.to-s.from)
}
