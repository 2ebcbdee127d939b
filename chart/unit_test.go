package chart

import (
	"math"
	"math/rand/v2"
	"testing"
)

func TestFormat(t *testing.T) {
	for _, c := range []struct {
		unit Unit
		v    float64
		want string
	}{
		{Seconds, 0.5, "500 ps"}, {Seconds, 999.9, "1 us"}, {Seconds, 1500, "1.5 us"}, {Seconds, 2e9, "2 s"}, {Seconds, 0, "0"},
		{Bytes, 1024, "1 KiB"}, {Bytes, 1 << 30, "1 GiB"}, {Bytes, 100, "100 B"}, {Bits, 8e11, "800 Gbps"}, {Times, 1.234, "1.23×"},
		{Percent, 0.5, "50%"}, {Number, 123456, "123456"}, {Number, 1e9, "1 G"}, {Number, 1e8, "100 M"}, {Number, -2.5e7, "-25 M"}, {Number, 1e-4, "100 u"},
		{Number, 2.5e-11, "25 p"}, {Number, 1e-3, "0.001"}, {Number, 1e30, "1e+30"}, {Number, 0.0125, "0.0125"}, {Number, math.NaN(), "–"}, {Seconds, math.Inf(1), "∞"},
	} {
		if got := c.unit.Format(c.v); got != c.want {
			t.Errorf("%v is %q, want %q", c.v, got, c.want)
		}
	}
}

// On random data every scale has its data inside, ticks that grow inside it, not too many
// of them, and maps its ends to its ends.
func TestScalesFitTheirData(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 3000 {
		a := Axis{Unit: Unit(rng.IntN(7)), Log: rng.IntN(2) == 0}
		values := make([]float64, 1+rng.IntN(5))
		for i := range values {
			values[i] = math.Pow(10, rng.Float64()*14-3)
		}
		const wanted = 8
		s := newScale(a, values, wanted)
		s.from, s.to = 0, 100
		for _, v := range values {
			if at := s.at(v); at < -1e-6 || at > 100+1e-6 {
				t.Fatalf("%v of %v, log %v, is at %v in %v..%v", v, values, a.Log, at, s.least, s.most)
			}
		}
		if len(s.ticks) > 2*wanted || len(s.ticks) < 1 {
			t.Fatalf("%d ticks %v for %v, unit %d, log %v", len(s.ticks), s.ticks, values, a.Unit, a.Log)
		}
		for i, tick := range s.ticks {
			if at := s.at(tick); at < -1e-6 || at > 100+1e-6 || i > 0 && tick <= s.ticks[i-1] {
				t.Fatalf("ticks %v in %v..%v", s.ticks, s.least, s.most)
			}
		}
	}
}

// Values that differ by their rounding only are one value: every place is a number.
func TestValuesThatDifferByRoundingHavePlaces(t *testing.T) {
	for _, near := range []float64{2.3e-16, 1e-12, 1e-9, 3e-9, 1e-8, 1e-7, 1e-5} {
		for _, v := range []float64{1, 1.7, 5e6} {
			for _, log := range []bool{true, false} {
				s := newScale(Axis{Unit: Times, Log: log}, []float64{v, v * (1 + near)}, 7)
				s.from, s.to = 0, 100
				for _, w := range append([]float64{v, v * (1 + near)}, s.ticks...) {
					if at := s.at(w); !(at >= -1e-6 && at <= 100+1e-6) || len(s.ticks) == 0 || len(s.ticks) > 14 {
						t.Fatalf("%v beside %v, log %v: at %v, ticks %v", w, near, log, at, s.ticks)
					}
				}
			}
		}
	}
}

// A logarithmic axis over less than a decade has several ticks, written differently.
func TestPartOfADecadeHasTicks(t *testing.T) {
	for _, most := range []float64{1.1, 1.3, 1.9, 2.4, 3.5} {
		s := newScale(Axis{Unit: Times, Log: true}, []float64{1, most}, 7)
		written := map[string]bool{}
		for _, v := range s.ticks {
			written[s.axis.Unit.Format(v)] = true
		}
		if len(s.ticks) < 3 || len(written) != len(s.ticks) || s.least != 1 || s.most < most {
			t.Errorf("1..%v: ticks %v in %v..%v", most, s.ticks, s.least, s.most)
		}
	}
}

func TestWrapAndCutKeepToTheWidth(t *testing.T) {
	const text = "some words of different lengths that have to be put on several lines"
	for _, l := range wrapText(text, 12, false, 100) {
		if textWidth(l, 12, false) > 100 {
			t.Errorf("%q is too wide", l)
		}
	}
	if got := cut(text, 12, 100); textWidth(got, 12, false) > 100 {
		t.Errorf("%q is too wide", got)
	}
}

// A dashed line has the length of its drawn parts.
func TestDashes(t *testing.T) {
	length := 0.0
	for _, part := range dashes([]Point{{0, 0}, {10, 0}, {10, 10}}, []float64{3, 1}) {
		for i := 1; i < len(part); i++ {
			length += math.Hypot(part[i].X-part[i-1].X, part[i].Y-part[i-1].Y)
		}
	}
	if math.Abs(length-15) > 1e-9 {
		t.Errorf("%v drawn of 20, want 15", length)
	}
}

// Drawn by forces, a ring keeps its nodes apart and its neighbours nearer than others.
func TestForceLayoutOfARing(t *testing.T) {
	const n = 12
	var links []Link
	for i := range n {
		links = append(links, Link{From: i, To: (i + 5) % n})
	}
	places := forcePlaces(n, links)
	mean := func(jump int) float64 {
		sum := 0.0
		for i := range n {
			a, b := places[i], places[(i+jump)%n]
			sum += math.Hypot(a.X-b.X, a.Y-b.Y)
		}
		return sum / n
	}
	for jump := 1; jump < n; jump++ {
		if jump != 5 && jump != 7 && mean(jump) <= mean(5) {
			t.Errorf("nodes %d apart are %.0f px apart, linked ones %.0f", jump, mean(jump), mean(5))
		}
	}
}

// The cells of a map are written in the unit of its key: percent as percent, counts whole, times
// with theirs.
func TestCellsAreInTheUnitOfTheKey(t *testing.T) {
	for _, c := range []struct {
		v    float64
		unit Unit
		want string
	}{
		{6.91, Percent, "691%"}, {0.034, Percent, "3%"}, {0, Percent, "0%"},
		{6, Count, "6"}, {0, Count, "0"}, {6, Times, "6.0"}, {123.4, Times, "123"}, {23456, Count, "23k"},
		{9_408_000, Seconds, "9.4ms"}, {999.6, Seconds, "1.0us"}, {999.4, Seconds, "999ns"}, {68_910, Seconds, "69us"}, {2e12, Seconds, "2000s"}, {0.01, Seconds, "10ps"}, {0, Seconds, "0"},
	} {
		if got := cellText(c.v, c.unit); got != c.want {
			t.Errorf("%v: %q, want %q", c.v, got, c.want)
		}
	}
}
