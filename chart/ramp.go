package chart

import "math"

// Ramp maps a number from 0 to 1 to a colour. Lightness is monotonic along each half, so that
// the order survives print without colour and any colour blindness.
type Ramp int

// The ramps.
const (
	Sequential Ramp = iota // from nearly white to dark blue
	Diverging              // from dark orange through white, in the middle, to dark blue
)

// rampColors are the colours between which ramps are interpolated, in OKLab.
var rampColors = [...][5]Color{
	Sequential: {{0xf6, 0xf8, 0xfb}, {0xb7, 0xd3, 0xea}, {0x5f, 0x9f, 0xcd}, {0x1f, 0x66, 0xa0}, {0x0b, 0x2c, 0x55}},
	Diverging:  {{0x7f, 0x32, 0x00}, {0xd9, 0x82, 0x36}, {0xfa, 0xf8, 0xf5}, {0x4f, 0x92, 0xc6}, {0x0b, 0x2c, 0x55}},
}

// At returns the colour at t, clamped to the range; NaN counts as 0.
func (r Ramp) At(t float64) Color {
	colors := &rampColors[r]
	if math.IsNaN(t) {
		t = 0
	}
	t = min(max(t, 0), 1) * float64(len(colors)-1)
	i := min(int(t), len(colors)-2)
	a, b := toLab(colors[i]), toLab(colors[i+1])
	t -= float64(i)
	return fromLab([3]float64{a[0] + t*(b[0]-a[0]), a[1] + t*(b[1]-a[1]), a[2] + t*(b[2]-a[2])})
}

// onTop returns the paint for text that is easier to read on a colour: the one with the larger
// contrast (WCAG 2.1).
func onTop(c Color) Paint {
	if l := luminance(c); 1.05/(l+0.05) > (l+0.05)/0.06 {
		return RGB(Color{0xff, 0xff, 0xff})
	}
	return RGB(Color{0x14, 0x16, 0x1a})
}

// luminance returns the relative luminance of an sRGB colour.
func luminance(c Color) float64 {
	l := linear(c)
	return 0.2126*l[0] + 0.7152*l[1] + 0.0722*l[2]
}

func linear(c Color) [3]float64 {
	var l [3]float64
	for i, v := range [3]uint8{c.R, c.G, c.B} {
		if x := float64(v) / 255; x <= 0.04045 {
			l[i] = x / 12.92
		} else {
			l[i] = math.Pow((x+0.055)/1.055, 2.4)
		}
	}
	return l
}

func fromLinear(l [3]float64) Color {
	var out [3]uint8
	for i, x := range l {
		x = min(max(x, 0), 1)
		if x <= 0.0031308 {
			x *= 12.92
		} else {
			x = 1.055*math.Pow(x, 1/2.4) - 0.055
		}
		out[i] = uint8(math.Round(255 * x))
	}
	return Color{out[0], out[1], out[2]}
}

// toLab and fromLab convert to and from OKLab (Ottosson 2020), in which equal steps look equal.
func toLab(c Color) [3]float64 {
	v := linear(c)
	l := math.Cbrt(0.4122214708*v[0] + 0.5363325363*v[1] + 0.0514459929*v[2])
	m := math.Cbrt(0.2119034982*v[0] + 0.6806995451*v[1] + 0.1073969566*v[2])
	s := math.Cbrt(0.0883024619*v[0] + 0.2817188376*v[1] + 0.6299787005*v[2])
	return [3]float64{
		0.2104542553*l + 0.7936177850*m - 0.0040720468*s,
		1.9779984951*l - 2.4285922050*m + 0.4505937099*s,
		0.0259040371*l + 0.7827717662*m - 0.8086757660*s,
	}
}

func fromLab(v [3]float64) Color {
	l := v[0] + 0.3963377774*v[1] + 0.2158037573*v[2]
	m := v[0] - 0.1055613458*v[1] - 0.0638541728*v[2]
	s := v[0] - 0.0894841775*v[1] - 1.2914855480*v[2]
	l, m, s = l*l*l, m*m*m, s*s*s
	return fromLinear([3]float64{
		4.0767416621*l - 3.3077115913*m + 0.2309699292*s,
		-1.2684380046*l + 2.6097574011*m - 0.3413193965*s,
		-0.0041960863*l - 0.7034186147*m + 1.7076147010*s,
	})
}
