package chart

import (
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/lightpath-net/lightpath/internal/each"
)

// Terminal draws the heat map with coloured blocks, for a terminal with 24-bit colours. Without
// colours it writes a value into every cell.
func (h *HeatMap) Terminal(w io.Writer, colors bool) {
	room := each.Max(0, h.Y, func(y float64) int { return len([]rune(h.YUnit.Format(y))) })
	cell := 5
	switch {
	case h.Unit == Seconds && h.Categories == nil:
		cell = 6 // 999us and a gap
	case len(h.X) > 14:
		cell = 4
	}
	fmt.Fprintf(w, "%s\n", h.Title)
	least, most := h.span()
	for i := len(h.Y) - 1; i >= 0; i-- {
		fmt.Fprintf(w, "%*s ", room, h.YUnit.Format(h.Y[i]))
		for _, v := range h.Values[i] {
			text := cellText(v, h.Unit)
			color := h.Ramp.At(h.shade(v, least, most))
			if h.Categories != nil && !math.IsNaN(v) {
				k := int(v)
				text, color = categoryMark(k), Series(k).in(false)
			}
			if math.IsNaN(v) {
				fmt.Fprintf(w, "%*s", cell, "-")
				continue
			}
			if !colors {
				fmt.Fprintf(w, "%*s", cell, text)
				continue
			}
			ink := onTop(color).in(false)
			fmt.Fprintf(w, "\x1b[48;2;%d;%d;%dm\x1b[38;2;%d;%d;%dm%*s \x1b[0m", color.R, color.G, color.B, ink.R, ink.G, ink.B, cell-1, text)
		}
		fmt.Fprintln(w)
	}
	// Write the labels of columns, left-aligned, as many as fit without touching.
	row, free := strings.Repeat(" ", room+1), 0
	for j, x := range h.X {
		at := room + 1 + j*cell
		text := strings.ReplaceAll(h.XUnit.Format(x), " ", "")
		if at < free {
			continue
		}
		row += strings.Repeat(" ", max(0, at-len([]rune(row)))) + text
		free = at + len([]rune(text)) + 2
	}
	fmt.Fprintf(w, "%s\n", strings.TrimRight(row, " "))
	fmt.Fprintf(w, "%s  across: %s; up: %s", strings.Repeat(" ", room), h.XLabel, h.YLabel)
	if h.Categories == nil {
		fmt.Fprintf(w, "; cells: %s\n", h.Value)
		return
	}
	for k, name := range h.Categories {
		fmt.Fprintf(w, "; %s %s", categoryMark(k), name)
	}
	fmt.Fprintln(w)
}

// categoryMark returns a letter for a category.
func categoryMark(k int) string { return string(rune('A' + k%26)) }

// Terminal draws the bars with blocks of eighths, the longest as wide as given.
func (b *Bars) Terminal(w io.Writer, width int) {
	most, room := 0.0, 0
	totals := make([]float64, len(b.Values))
	for i, row := range b.Values {
		for _, v := range row {
			totals[i] += v
		}
		most = max(most, totals[i])
		room = max(room, len([]rune(b.Names[i])))
	}
	for i, name := range b.Names {
		fmt.Fprintf(w, "%-*s %s %s\n", room, name, blocks(totals[i]/max(most, math.SmallestNonzeroFloat64), width), b.Unit.Format(totals[i]))
	}
}

// blocks returns a bar for a fraction of the width.
func blocks(part float64, width int) string {
	eighths := int(math.Round(min(max(part, 0), 1) * float64(width) * 8))
	bar := strings.Repeat("█", eighths/8)
	if rest := eighths % 8; rest > 0 {
		bar += string([]rune(" ▏▎▍▌▋▊▉")[rest])
	}
	return bar
}
