package chart

import (
	"sync"

	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
)

// The Go fonts (Bigelow and Holmes) are part of the program, so that a picture looks the same
// on every machine and its texts can be measured before they are placed.
var fonts = sync.OnceValue(func() [2]*sfnt.Font {
	var both [2]*sfnt.Font
	for i, data := range [2][]byte{goregular.TTF, gobold.TTF} {
		parsed, err := sfnt.Parse(data)
		if err != nil {
			panic("chart: the built-in font does not parse: " + err.Error())
		}
		both[i] = parsed
	}
	return both
})

// emUnits is the size at which glyphs are loaded: large enough to hide rounding to the grid of
// 1/64.
const emUnits = 1024

// glyphs calls visit with every character of a text, scaled to a size, and with its position;
// it returns the width of the text.
func glyphs(text string, size float64, bold bool, visit func(f *sfnt.Font, buf *sfnt.Buffer, g sfnt.GlyphIndex, x float64)) float64 {
	f := fonts()[btoi(bold)]
	var buf sfnt.Buffer
	x, scale := 0.0, size/emUnits/64
	for _, r := range text {
		g, err := f.GlyphIndex(&buf, r)
		if err != nil || g == 0 {
			g, _ = f.GlyphIndex(&buf, '?')
		}
		if visit != nil {
			visit(f, &buf, g, x)
		}
		if advance, err := f.GlyphAdvance(&buf, g, fixed.I(emUnits), font.HintingNone); err == nil {
			x += float64(advance) * scale
		}
	}
	return x
}

// textWidth returns the width of a text.
func textWidth(text string, size float64, bold bool) float64 { return glyphs(text, size, bold, nil) }
