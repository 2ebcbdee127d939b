package evaluation

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"io"
	"math"
)

// Size of a plot and its margins, in pixels.
const (
	plotWidth, plotHeight = 640, 400
	marginLeft            = 64
	marginRight           = 24
	marginTop             = 44
	marginBottom          = 56
)

// colors are those of lines, in order; they differ also for people who see no red or green.
var colors = []string{"#d55e00", "#0072b2", "#009e73", "#cc79a7"}

// plot is a plot of lines over ticks that are evenly spaced. The vertical axis begins at 0.
type plot struct {
	title, xLabel, yLabel string
	ticks                 []string
	lines                 []line
}

// line is one of the lines: a value for every tick.
type line struct {
	name   string
	values []float64
}

// write writes the plot as SVG.
func (p *plot) write(w io.Writer) error {
	var b bytes.Buffer
	fmt.Fprintf(&b, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %[1]d %[2]d\" font-family=\"sans-serif\" font-size=\"12\">\n",
		plotWidth, plotHeight)
	fmt.Fprintf(&b, "<rect width=\"%d\" height=\"%d\" fill=\"white\"/>\n", plotWidth, plotHeight)
	text(&b, plotWidth/2, 24, "middle", ` font-size="14"`, p.title)
	p.writeAxes(&b)
	for i, l := range p.lines {
		p.writeLine(&b, l, i)
	}
	b.WriteString("</svg>\n")
	_, err := w.Write(b.Bytes())
	return err
}

// writeAxes draws grid, ticks and labels.
func (p *plot) writeAxes(b *bytes.Buffer) {
	right, bottom := plotWidth-marginRight, plotHeight-marginBottom
	step, top := p.scale()
	for i := 0; ; i++ {
		v := float64(i) * step
		if v > top+step/2 {
			break
		}
		y := p.y(v)
		fmt.Fprintf(b, "<line x1=\"%d\" y1=\"%.1f\" x2=\"%d\" y2=\"%.1f\" stroke=\"#dddddd\"/>\n", marginLeft, y, right, y)
		text(b, marginLeft-8, y+4, "end", "", fmt.Sprintf("%.3g", v))
	}
	for i, tick := range p.ticks {
		x := p.x(i)
		fmt.Fprintf(b, "<line x1=\"%.1f\" y1=\"%d\" x2=\"%.1f\" y2=\"%d\" stroke=\"black\"/>\n", x, bottom, x, bottom+5)
		text(b, x, float64(bottom+19), "middle", "", tick)
	}
	fmt.Fprintf(b, "<path d=\"M%d %dV%dH%d\" fill=\"none\" stroke=\"black\"/>\n", marginLeft, marginTop, bottom, right)
	text(b, float64(marginLeft+right)/2, plotHeight-14, "middle", "", p.xLabel)
	middle := float64(marginTop+bottom) / 2
	text(b, 18, middle, "middle", fmt.Sprintf(" transform=\"rotate(-90 18 %.1f)\"", middle), p.yLabel)
}

// writeLine draws line number i and its entry of the legend.
func (p *plot) writeLine(b *bytes.Buffer, l line, i int) {
	color := colors[i%len(colors)]
	fmt.Fprintf(b, "<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"2\" points=\"", color)
	for j, v := range l.values {
		fmt.Fprintf(b, "%.1f,%.1f ", p.x(j), p.y(v))
	}
	b.WriteString("\"/>\n")
	for j, v := range l.values {
		fmt.Fprintf(b, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\" fill=\"%s\"/>\n", p.x(j), p.y(v), color)
	}
	y := marginTop + 12 + 18*i
	fmt.Fprintf(b, "<line x1=\"%d\" y1=\"%d\" x2=\"%d\" y2=\"%d\" stroke=\"%s\" stroke-width=\"2\"/>\n", marginLeft+16, y, marginLeft+40, y, color)
	text(b, marginLeft+46, float64(y+4), "start", "", l.name)
}

// scale returns the distance of the ticks of the vertical axis and its end: a multiple of
// 1, 2 or 5 times a power of ten, so that there are 4 to 10 of them.
func (p *plot) scale() (step, top float64) {
	largest := 0.0
	for _, l := range p.lines {
		for _, v := range l.values {
			largest = max(largest, v)
		}
	}
	if largest == 0 {
		return 1, 1
	}
	step = math.Pow(10, math.Floor(math.Log10(largest)))
	for _, part := range []float64{1, 0.5, 0.2, 0.1} {
		if largest/(step*part) >= 4 {
			step *= part
			break
		}
	}
	return step, step * math.Ceil(largest/step)
}

// x returns where tick number i is.
func (p *plot) x(i int) float64 {
	const inset = 16
	width := float64(plotWidth - marginLeft - marginRight - 2*inset)
	return marginLeft + inset + width*float64(i)/float64(max(1, len(p.ticks)-1))
}

// y returns where a value is.
func (p *plot) y(v float64) float64 {
	_, top := p.scale()
	return plotHeight - marginBottom - (plotHeight-marginTop-marginBottom)*v/top
}

// text writes a text; more holds further attributes, each after a blank.
func text(b *bytes.Buffer, x, y float64, anchor, more, s string) {
	fmt.Fprintf(b, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\"%s>", x, y, anchor, more)
	_ = xml.EscapeText(b, []byte(s)) // a buffer does not fail
	b.WriteString("</text>\n")
}
