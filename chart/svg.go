package chart

import (
	"bufio"
	"fmt"
	"html"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/lightpath-net/lightpath/internal/each"
)

// SVG writes the scene as an SVG file. Colours are attributes, which every reader of SVG
// understands; a style sheet replaces those of roles on a dark screen.
func (s *Scene) SVG(w io.Writer) error {
	b := bufio.NewWriter(w)
	s.svg(b, true)
	return b.Flush()
}

// svg writes the element; alone says that it is a file and needs its own style and background.
func (s *Scene) svg(b *bufio.Writer, alone bool) {
	fmt.Fprintf(b, `<svg xmlns="http://www.w3.org/2000/svg" width="%s" height="%s" viewBox="0 0 %s %s" role="img" font-family="%s">`,
		num(s.Width), num(s.Height), num(s.Width), num(s.Height), fontFamily)
	fmt.Fprintf(b, "\n<title>%s</title>\n", escape(s.Title))
	if alone {
		fmt.Fprintf(b, "<style>%s</style>\n", darkRules("svg "))
		(&svgWriter{b}).shape(Rect{W: s.Width, H: s.Height, Fill: Paper})
	}
	out := &svgWriter{b}
	for _, shape := range s.Shapes {
		out.shape(shape)
	}
	b.WriteString("</svg>\n")
}

const fontFamily = "Go, Helvetica Neue, Helvetica, Arial, Liberation Sans, sans-serif"

// darkRules returns the style rules that colour roles on a dark screen.
func darkRules(within string) string {
	var b strings.Builder
	b.WriteString("@media screen and (prefers-color-scheme:dark){")
	for r := inkRole; r < firstSeries+seriesCount; r++ {
		c := theme[r][1]
		fmt.Fprintf(&b, "%s.f-%s{fill:%s}%s.l-%s{stroke:%s}", within, r.class(), c, within, r.class(), c)
	}
	b.WriteString("}")
	return b.String()
}

type svgWriter struct{ b *bufio.Writer }

func (w *svgWriter) shape(s Shape) {
	switch s := s.(type) {
	case Rect:
		fmt.Fprintf(w.b, `<rect x="%s" y="%s" width="%s" height="%s"`, num(s.X), num(s.Y), num(s.W), num(s.H))
		w.paint(s.Fill, s.Stroke, s.Width, nil)
		w.end("rect", s.Tip)
	case Circle:
		fmt.Fprintf(w.b, `<circle cx="%s" cy="%s" r="%s"`, num(s.X), num(s.Y), num(s.R))
		w.paint(s.Fill, s.Stroke, s.Width, nil)
		w.end("circle", s.Tip)
	case Path:
		w.b.WriteString(`<path d="`)
		for i, p := range s.Points {
			w.b.WriteString(string("ML"[min(i, 1)]))
			w.b.WriteString(num(p.X) + " " + num(p.Y))
		}
		if s.Closed {
			w.b.WriteString("Z")
		}
		w.b.WriteString(`"`)
		w.paint(s.Fill, s.Stroke, s.Width, s.Dash)
		w.end("path", s.Tip)
	case Text:
		fmt.Fprintf(w.b, `<text x="%s" y="%s" font-size="%s"`, num(s.X), num(s.Y), num(s.Size))
		if s.Anchor != Start {
			fmt.Fprintf(w.b, ` text-anchor="%s"`, [...]string{"start", "middle", "end"}[s.Anchor])
		}
		if s.Bold {
			w.b.WriteString(` font-weight="bold"`)
		}
		if s.Up {
			fmt.Fprintf(w.b, ` transform="rotate(-90 %s %s)"`, num(s.X), num(s.Y))
		}
		w.paint(s.Fill, none, 0, nil)
		fmt.Fprintf(w.b, ">%s</text>\n", escape(s.Text))
	}
}

// paint writes the colours of a shape.
func (w *svgWriter) paint(fill, stroke Paint, width float64, dash []float64) {
	var classes []string
	if fill.none() {
		w.b.WriteString(` fill="none"`)
	} else {
		fmt.Fprintf(w.b, ` fill="%s"`, fill.in(false))
		if fill.opacity() < 1 {
			fmt.Fprintf(w.b, ` fill-opacity="%s"`, num(fill.opacity()))
		}
		if fill.role() != fixedRole {
			classes = append(classes, "f-"+fill.role().class())
		}
	}
	if !stroke.none() && width > 0 {
		fmt.Fprintf(w.b, ` stroke="%s" stroke-width="%s" stroke-linejoin="round" stroke-linecap="round"`, stroke.in(false), num(width))
		if stroke.opacity() < 1 {
			fmt.Fprintf(w.b, ` stroke-opacity="%s"`, num(stroke.opacity()))
		}
		if stroke.role() != fixedRole {
			classes = append(classes, "l-"+stroke.role().class())
		}
		if len(dash) > 0 {
			parts := each.Of(dash, num)
			fmt.Fprintf(w.b, ` stroke-dasharray="%s"`, strings.Join(parts, " "))
		}
	}
	if len(classes) > 0 {
		fmt.Fprintf(w.b, ` class="%s"`, strings.Join(classes, " "))
	}
}

func (w *svgWriter) end(element, tip string) {
	if tip == "" {
		w.b.WriteString("/>\n")
		return
	}
	fmt.Fprintf(w.b, "><title>%s</title></%s>\n", escape(tip), element)
}

// num writes a coordinate to a hundredth of a pixel, as short as possible.
func num(v float64) string {
	v = math.Round(v*100) / 100
	if v == 0 { // not -0
		return "0"
	}
	return strconv.FormatFloat(v, 'f', -1, 64)
}

// escape makes text safe inside an element, without characters that XML does not allow.
func escape(s string) string {
	s = strings.Map(func(r rune) rune {
		if r < ' ' || r == '\ufffe' || r == '\uffff' {
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, "\ufffd"))
	return html.EscapeString(s)
}
