package chart

import (
	"bytes"
	"compress/zlib"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"
	"unicode/utf16"

	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"

	"github.com/lightpath-net/lightpath/internal/each"
)

// pointsPerPixel converts CSS pixels (1/96 inch) to points (1/72 inch), the unit of PDF.
const pointsPerPixel = 0.75

// PDF writes the scene as a PDF file with one page, in light mode: vectors, with embedded fonts
// and text that can be searched and copied. (ISO 32000-1; text in composite fonts of glyph
// numbers, 9.7.)
func (s *Scene) PDF(w io.Writer) error {
	p := &pdfPage{scene: s, used: [2]map[sfnt.GlyphIndex]rune{{}, {}}}
	p.draw()
	d := &pdfFile{}
	catalog, pages, page, info := d.reserve(), d.reserve(), d.reserve(), d.reserve()
	var fonts, states strings.Builder
	for i, used := range p.used {
		if len(used) > 0 {
			fmt.Fprintf(&fonts, "/F%d %d 0 R ", i, d.font(i, used))
		}
	}
	for i, opacity := range p.opacities {
		fmt.Fprintf(&states, "/G%d << /ca %s /CA %[2]s >> ", i, short(opacity))
	}
	content := d.stream("", p.body.Bytes())
	d.object(catalog, "<< /Type /Catalog /Pages %d 0 R >>", pages)
	d.object(pages, "<< /Type /Pages /Kids [%d 0 R] /Count 1 >>", page)
	d.object(page, "<< /Type /Page /Parent %d 0 R /MediaBox [0 0 %s %s] /Contents %d 0 R /Resources << /Font << %s>> /ExtGState << %s>> >> >>",
		pages, short(s.Width*pointsPerPixel), short(s.Height*pointsPerPixel), content, &fonts, &states)
	d.object(info, "<< /Title <%s> /Producer (Lightpath) >>", utf16Hex("\ufeff"+s.Title))
	_, err := w.Write(d.finish(catalog, info))
	return err
}

// pdfPage is the content of a page while it is drawn.
type pdfPage struct {
	scene     *Scene
	body      bytes.Buffer
	opacities []float64
	used      [2]map[sfnt.GlyphIndex]rune // glyphs of the regular and the bold font
}

func (p *pdfPage) op(format string, args ...any) { fmt.Fprintf(&p.body, format+"\n", args...) }

// draw writes all shapes. The first matrix sets the unit to a CSS pixel and makes y grow
// downwards.
func (p *pdfPage) draw() {
	p.op("%s 0 0 -%[1]s 0 %s cm 1 j", short(pointsPerPixel), short(p.scene.Height*pointsPerPixel))
	p.shape(Rect{W: p.scene.Width, H: p.scene.Height, Fill: Paper})
	for _, s := range p.scene.Shapes {
		p.shape(s)
	}
}

func (p *pdfPage) shape(s Shape) {
	switch s := s.(type) {
	case Rect:
		p.painted(s.Fill, s.Stroke, s.Width, nil, false, func() {
			p.op("%s %s %s %s re", short(s.X), short(s.Y), short(s.W), short(s.H))
		})
	case Circle:
		p.painted(s.Fill, s.Stroke, s.Width, nil, false, func() { p.circle(s.X, s.Y, s.R) })
	case Path:
		if len(s.Points) == 0 {
			return
		}
		p.painted(s.Fill, s.Stroke, s.Width, s.Dash, !s.Closed, func() {
			for i, q := range s.Points {
				p.op("%s %s %c", short(q.X), short(q.Y), "lm"[btoi(i == 0)])
			}
			if s.Closed {
				p.op("h")
			}
		})
	case Text:
		p.text(s)
	}
}

// painted fills and strokes an outline, each with its own strength.
func (p *pdfPage) painted(fill, stroke Paint, width float64, dash []float64, open bool, outline func()) {
	if !fill.none() {
		p.paint(fill, "rg")
		outline()
		p.op("f")
	}
	if stroke.none() || width <= 0 {
		return
	}
	p.paint(stroke, "RG")
	p.op("%s w %d J [%s] 0 d", short(width), btoi(open && len(dash) == 0), strings.Join(shorts(dash), " "))
	outline()
	p.op("S")
}

// paint sets the colour and the strength for what follows.
func (p *pdfPage) paint(paint Paint, operator string) {
	c, opacity := paint.in(false), paint.opacity()
	i := slices.Index(p.opacities, opacity)
	if i < 0 {
		i = len(p.opacities)
		p.opacities = append(p.opacities, opacity)
	}
	p.op("/G%d gs %s %s %s %s", i, short(float64(c.R)/255), short(float64(c.G)/255), short(float64(c.B)/255), operator)
}

// circle draws four cubic curves, which differ from a circle by less than 0.03% of its radius.
func (p *pdfPage) circle(x, y, r float64) {
	k := r * 4 / 3 * (math.Sqrt2 - 1)
	p.op("%s %s m", short(x+r), short(y))
	for _, q := range [...][6]float64{
		{x + r, y + k, x + k, y + r, x, y + r},
		{x - k, y + r, x - r, y + k, x - r, y},
		{x - r, y - k, x - k, y - r, x, y - r},
		{x + k, y - r, x + r, y - k, x + r, y},
	} {
		p.op("%s c", strings.Join(shorts(q[:]), " "))
	}
	p.op("h")
}

// text shows one line. Its matrix makes y grow upwards again, and rotates the line by a quarter
// if it is read upwards.
func (p *pdfPage) text(t Text) {
	if t.Fill.none() || t.Text == "" {
		return
	}
	runes, next := []rune(t.Text), 0
	var codes strings.Builder
	width := glyphs(t.Text, t.Size, t.Bold, func(_ *sfnt.Font, _ *sfnt.Buffer, g sfnt.GlyphIndex, _ float64) {
		fmt.Fprintf(&codes, "%04x", uint16(g))
		p.used[btoi(t.Bold)][g] = runes[next]
		next++
	})
	start := [...]float64{0, -width / 2, -width}[t.Anchor]
	p.paint(t.Fill, "rg")
	matrix := fmt.Sprintf("1 0 0 -1 %s %s", short(t.X+start), short(t.Y))
	if t.Up {
		matrix = fmt.Sprintf("0 -1 -1 0 %s %s", short(t.X), short(t.Y-start))
	}
	p.op("BT /F%d %s Tf %s Tm <%s> Tj ET", btoi(t.Bold), short(t.Size), matrix, &codes)
}

// pdfFile collects the numbered objects of a file.
type pdfFile struct{ objects [][]byte }

// reserve returns the number for an object that is written later.
func (d *pdfFile) reserve() int {
	d.objects = append(d.objects, nil)
	return len(d.objects)
}

func (d *pdfFile) object(number int, format string, args ...any) {
	d.objects[number-1] = fmt.Appendf(nil, format, args...)
}

// stream adds compressed data, and returns its number.
func (d *pdfFile) stream(entries string, data []byte) int {
	var packed bytes.Buffer
	z := zlib.NewWriter(&packed)
	_, _ = z.Write(data) // a buffer accepts everything
	_ = z.Close()
	n := d.reserve()
	d.object(n, "<< %s/Length %d /Filter /FlateDecode >>\nstream\n%s\nendstream", entries, packed.Len(), packed.Bytes())
	return n
}

// font embeds one of the two fonts completely, and returns its number.
func (d *pdfFile) font(which int, used map[sfnt.GlyphIndex]rune) int {
	data, name, f := [2][]byte{goregular.TTF, gobold.TTF}[which], [2]string{"GoRegular", "GoBold"}[which], fonts()[which]
	list := slices.Collect(maps.Keys(used))
	slices.Sort(list)
	var widths, toUnicode strings.Builder
	var buf sfnt.Buffer
	for _, g := range list {
		if advance, err := f.GlyphAdvance(&buf, g, fixed.I(1000), font.HintingNone); err == nil {
			fmt.Fprintf(&widths, "%d [%s] ", g, short(float64(advance)/64))
		}
		fmt.Fprintf(&toUnicode, "1 beginbfchar\n<%04x> <%s>\nendbfchar\n", uint16(g), utf16Hex(string(used[g])))
	}
	file := d.stream(fmt.Sprintf("/Length1 %d ", len(data)), data)
	descriptor := d.reserve()
	// Bounds, angle and heights matter only to readers that replace the embedded font.
	d.object(descriptor, "<< /Type /FontDescriptor /FontName /%s /Flags 4 /FontBBox [-200 -300 1200 1000] /ItalicAngle 0 /Ascent 950 /Descent -220 /CapHeight 720 /StemV 80 /FontFile2 %d 0 R >>", name, file)
	child := d.reserve()
	d.object(child, "<< /Type /Font /Subtype /CIDFontType2 /BaseFont /%s /CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) /Supplement 0 >> /FontDescriptor %d 0 R /CIDToGIDMap /Identity /W [%s] >>", name, descriptor, &widths)
	meaning := d.stream("", []byte("/CIDInit /ProcSet findresource begin 12 dict begin begincmap\n/CMapName /Adobe-Identity-UCS def /CMapType 2 def\n1 begincodespacerange\n<0000> <ffff>\nendcodespacerange\n"+
		toUnicode.String()+"endcmap CMapName currentdict /CMap defineresource pop end end"))
	n := d.reserve()
	d.object(n, "<< /Type /Font /Subtype /Type0 /BaseFont /%s /Encoding /Identity-H /DescendantFonts [%d 0 R] /ToUnicode %d 0 R >>", name, child, meaning)
	return n
}

// finish writes the objects, the cross-reference table, and the trailer.
func (d *pdfFile) finish(catalog, info int) []byte {
	var b bytes.Buffer
	b.WriteString("%PDF-1.4\n%\xe2\xe3\xcf\xd3\n") // bytes above 127: not a text file
	offsets := make([]int, len(d.objects))
	for i, o := range d.objects {
		offsets[i] = b.Len()
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", i+1, o)
	}
	table := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n", len(offsets)+1)
	for _, at := range offsets {
		fmt.Fprintf(&b, "%010d 00000 n \n", at)
	}
	fmt.Fprintf(&b, "trailer\n<< /Size %d /Root %d 0 R /Info %d 0 R >>\nstartxref\n%d\n%%%%EOF\n", len(offsets)+1, catalog, info, table)
	return b.Bytes()
}

// short writes a number for PDF, to a thousandth of a unit.
func short(x float64) string {
	s := strings.TrimRight(strings.TrimRight(fmt.Sprintf("%.3f", x), "0"), ".")
	if s == "-0" {
		return "0"
	}
	return s
}

func shorts(list []float64) []string { return each.Of(list, short) }

// utf16Hex writes a text as hexadecimal UTF-16, big-endian.
func utf16Hex(text string) string {
	var b strings.Builder
	for _, unit := range utf16.Encode([]rune(text)) {
		fmt.Fprintf(&b, "%04x", unit)
	}
	return b.String()
}
