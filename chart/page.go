package chart

import (
	"bufio"
	"fmt"
	"io"
	"strings"
)

// Page is a self-contained HTML page: it needs neither a network nor other files.
type Page struct {
	Title string
	parts []func(b *bufio.Writer)
}

// Heading adds a heading.
func (p *Page) Heading(text string) {
	p.parts = append(p.parts, func(b *bufio.Writer) { fmt.Fprintf(b, "<h2>%s</h2>\n", escape(text)) })
}

// Text adds a paragraph.
func (p *Page) Text(text string) {
	p.parts = append(p.parts, func(b *bufio.Writer) { fmt.Fprintf(b, "<p>%s</p>\n", escape(text)) })
}

// Note adds a paragraph in small print.
func (p *Page) Note(text string) {
	p.parts = append(p.parts, func(b *bufio.Writer) { fmt.Fprintf(b, "<p class=\"note\">%s</p>\n", escape(text)) })
}

// narrowest is the fraction of its width to which a picture may shrink to fit next to another.
const narrowest = 0.86

// Picture adds scenes, side by side if the window is wide enough.
func (p *Page) Picture(scenes ...*Scene) {
	p.parts = append(p.parts, func(b *bufio.Writer) {
		b.WriteString("<div class=\"row\">\n")
		for _, s := range scenes {
			// Two pictures shrink a little to share a window that is not quite wide enough for both.
			fmt.Fprintf(b, "<figure style=\"flex:1 1 %.0fpx;max-width:%.0fpx\">", narrowest*s.Width, s.Width)
			s.svg(b, false)
			b.WriteString("</figure>\n")
		}
		b.WriteString("</div>\n")
	})
}

// Table adds a table. Columns whose heading begins with > are right-aligned.
func (p *Page) Table(head []string, rows [][]string) {
	p.parts = append(p.parts, func(b *bufio.Writer) {
		b.WriteString("<div class=\"wide\"><table>\n<thead><tr>")
		class := make([]string, len(head))
		for i, h := range head {
			if strings.HasPrefix(h, ">") {
				class[i] = " class=\"r\""
			}
			fmt.Fprintf(b, "<th%s>%s</th>", class[i], escape(strings.TrimPrefix(h, ">")))
		}
		b.WriteString("</tr></thead>\n<tbody>\n")
		for _, row := range rows {
			b.WriteString("<tr>")
			for i, cell := range row {
				if i < len(class) {
					fmt.Fprintf(b, "<td%s>%s</td>", class[i], escape(cell))
				}
			}
			b.WriteString("</tr>\n")
		}
		b.WriteString("</tbody></table></div>\n")
	})
}

// Write writes the page.
func (p *Page) Write(w io.Writer) error {
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"+
		"<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"+
		"<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:\">\n"+
		"<title>%s</title>\n<style>\n%s%s\n</style>\n</head>\n<body>\n<h1>%s</h1>\n", escape(p.Title), pageStyle(), darkRules(""), escape(p.Title))
	for _, part := range p.parts {
		part(b)
	}
	b.WriteString("</body>\n</html>\n")
	return b.Flush()
}

// pageStyle returns the style sheet: light, dark on a dark screen, and light on paper.
func pageStyle() string {
	variables := func(dark bool) string {
		return fmt.Sprintf("--ink:%s;--muted:%s;--grid:%s;--paper:%s", Ink.in(dark), Muted.in(dark), Grid.in(dark), Paper.in(dark))
	}
	return fmt.Sprintf(`:root{color-scheme:light dark;%s}
@media screen and (prefers-color-scheme:dark){:root{%s}}
@media print{:root{color-scheme:light}figure,tr{break-inside:avoid}h2{break-after:avoid}.controls{display:none}}
@page{margin:15mm}
body{margin:0 auto;max-width:1480px;padding:24px;background:var(--paper);color:var(--ink);font:16px/1.5 %s}
h1{font-size:1.5em;line-height:1.25}h2{font-size:1.15em;margin-top:2em;border-bottom:1px solid var(--grid)}
p{max-width:68rem}.note{color:var(--muted);font-size:.85em}
.row{display:flex;flex-wrap:wrap;gap:16px}figure{margin:0}svg{max-width:100%%;height:auto}
.wide{overflow-x:auto}table{border-collapse:collapse;font-size:.88em;font-variant-numeric:tabular-nums}
th,td{padding:4px 10px;text-align:left;border-bottom:1px solid var(--grid);white-space:nowrap}th{color:var(--muted);font-weight:600}.r{text-align:right}
.controls{display:flex;gap:12px;align-items:center;flex-wrap:wrap}.controls input{flex:1;min-width:160px}
button{font:inherit;padding:4px 14px;border:1px solid var(--muted);border-radius:6px;background:none;color:inherit;cursor:pointer}
`, variables(false), variables(true), fontFamily)
}
