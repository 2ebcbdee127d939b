package chart

import (
	"math"
	"testing"
)

// blindness are the projections of linear sRGB that Machado, Oliveira and Fernandes
// (2009) give for the full forms of three colour blindnesses.
var blindness = map[string][3][3]float64{
	"normal": {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
	"protan": {{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216}, {-0.003882, -0.048116, 1.051998}},
	"deutan": {{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881}},
	"tritan": {{1.255528, -0.076749, -0.178779}, {-0.078411, 0.930809, 0.147602}, {0.004733, 0.691367, 0.303900}},
}

func seen(c Color, m [3][3]float64) [3]float64 {
	v := linear(c)
	var out [3]float64
	for i := range out {
		for j := range v {
			out[i] += m[i][j] * v[j]
		}
	}
	return toLab(fromLinear(out))
}

func distance(a, b [3]float64) float64 {
	return math.Sqrt((a[0]-b[0])*(a[0]-b[0]) + (a[1]-b[1])*(a[1]-b[1]) + (a[2]-b[2])*(a[2]-b[2]))
}

// leastDistance in OKLab below which two colours are hard to tell apart; a just noticeable
// difference is about 0.02.
const leastDistance = 0.1

func TestSeriesStayApartUnderColourBlindness(t *testing.T) {
	for name, m := range blindness {
		for _, dark := range []bool{false, true} {
			for i := range seriesCount {
				for j := range i {
					a, b := Series(i).in(dark), Series(j).in(dark)
					if d := distance(seen(a, m), seen(b, m)); d < leastDistance {
						t.Errorf("%s, dark %v: series %d %v and %d %v are %.3f apart", name, dark, j, b, i, a, d)
					}
				}
			}
		}
	}
}

// Lines and fills stand out from the page (WCAG 2.1 asks 3 for graphics, 4.5 for text),
// in light and dark. The two palest series are for fills.
func TestContrast(t *testing.T) {
	contrast := func(a, b Color) float64 {
		x, y := luminance(a)+0.05, luminance(b)+0.05
		return max(x/y, y/x)
	}
	for _, dark := range []bool{false, true} {
		for _, text := range []Paint{Ink, Muted} {
			if c := contrast(text.in(dark), Paper.in(dark)); c < 4.5 {
				t.Errorf("dark %v: text %v has contrast %.1f", dark, text.in(dark), c)
			}
		}
		for i := range seriesCount {
			if c := contrast(Series(i).in(dark), Paper.in(dark)); c < 2.6 {
				t.Errorf("dark %v: series %d has contrast %.1f", dark, i, c)
			}
		}
	}
	for _, r := range []Ramp{Sequential, Diverging} {
		for k := 0; k <= 100; k++ {
			c := r.At(float64(k) / 100)
			if got := contrast(onTop(c).in(false), c); got < 4.2 {
				t.Errorf("text on %v has contrast %.1f", c, got)
			}
		}
	}
}

// The order of values is that of lightness, for every kind of sight.
func TestRampsAreMonotone(t *testing.T) {
	for name, m := range blindness {
		for k := 1; k <= 100; k++ {
			a, b := float64(k-1)/100, float64(k)/100
			if seen(Sequential.At(a), m)[0] <= seen(Sequential.At(b), m)[0] {
				t.Errorf("%s: the sequential ramp is not darker at %v", name, b)
			}
			brighter := seen(Diverging.At(a), m)[0] < seen(Diverging.At(b), m)[0]
			if brighter != (k <= 50) {
				t.Errorf("%s: the diverging ramp turns at %v", name, b)
			}
		}
	}
}

func TestOKLabRoundTrip(t *testing.T) {
	for r := 0; r < 256; r += 15 {
		for g := 0; g < 256; g += 15 {
			for b := 0; b < 256; b += 15 {
				c := Color{uint8(r), uint8(g), uint8(b)}
				if got := fromLab(toLab(c)); got != c {
					t.Fatalf("%v became %v", c, got)
				}
			}
		}
	}
}
