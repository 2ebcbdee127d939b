// Package tabular prints rows of cells in aligned columns, and wraps text, for a terminal of 80
// columns.
package tabular

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/lightpath-net/lightpath/internal/each"
)

// Table is rows of cells under headings; numbers are aligned to the right.
type Table struct {
	indent   string
	headings []string
	right    []bool
	rows     [][]string
}

// New makes a table from headings; one that starts with > is aligned right.
func New(indent string, headings ...string) *Table {
	t := &Table{indent: indent}
	for _, h := range headings {
		name, right := strings.CutPrefix(h, ">")
		t.headings = append(t.headings, name)
		t.right = append(t.right, right)
	}
	return t
}

// Add adds a row. A single cell has the line for itself.
func (t *Table) Add(cells ...string) { t.rows = append(t.rows, cells) }

// widths returns the runes that every column takes.
func (t *Table) widths() []int {
	width := make([]int, len(t.headings))
	for _, row := range append([][]string{t.headings}, t.rows...) {
		if len(row) == 1 && len(t.headings) > 1 {
			continue // the cell has the line for itself
		}
		for i, cell := range row {
			width[i] = max(width[i], utf8.RuneCountInString(cell))
		}
	}
	return width
}

// Fit moves cells of the first column that make the table wider than a terminal to lines of
// their own, above the rest of their row. It does not repeat equal cells that follow.
func (t *Table) Fit() {
	width := t.widths()
	whole := len(t.indent) - 2 + each.Sum(width, func(w int) int { return w + 2 })
	if whole <= TerminalWidth {
		return
	}
	room := max(width[0]-(whole-TerminalWidth), utf8.RuneCountInString(t.headings[0]))
	var rows [][]string
	above := ""
	for _, row := range t.rows {
		first := row[0]
		if utf8.RuneCountInString(first) <= room {
			rows, above = append(rows, row), ""
			continue
		}
		if first != above {
			rows, above = append(rows, []string{first}), first
		}
		rows = append(rows, append([]string{""}, row[1:]...))
	}
	t.rows = rows
}

// Start returns how far from the left a column begins.
func (t *Table) Start(column int) int {
	at := len(t.indent)
	at += each.Sum(t.widths()[:column], func(w int) int { return w + 2 })
	return at
}

// Write prints the table, eliding rows in the middle if there are more than most;
// what says what a row is and where all of them are.
func (t *Table) Write(w io.Writer, most int, what string) {
	width := t.widths()
	line := func(cells []string) {
		var b strings.Builder
		b.WriteString(t.indent)
		for i, cell := range cells {
			pad := strings.Repeat(" ", max(0, width[i]-utf8.RuneCountInString(cell)))
			if i > 0 {
				b.WriteString("  ")
			}
			if t.right[i] {
				b.WriteString(pad + cell)
			} else {
				b.WriteString(cell + pad)
			}
		}
		fmt.Fprintln(w, strings.TrimRight(b.String(), " "))
	}
	if strings.Join(t.headings, "") != "" {
		line(t.headings)
	}
	head, tail := len(t.rows), 0
	if most > 0 && len(t.rows) > most {
		head, tail = most-most/4, most/4
	}
	for _, row := range t.rows[:head] {
		line(row)
	}
	if head < len(t.rows) {
		fmt.Fprintf(w, "%s.. %d more %s\n", t.indent, len(t.rows)-head-tail, what)
		for _, row := range t.rows[len(t.rows)-tail:] {
			line(row)
		}
	}
}

// List writes names and one-line descriptions, wrapped to the width of a terminal.
func List(w io.Writer, indent string, names, abouts []string) {
	width := each.Max(0, names, utf8.RuneCountInString)
	for i, n := range names {
		lead := indent + n + strings.Repeat(" ", width-utf8.RuneCountInString(n)+2)
		for _, line := range Wrap(abouts[i], TerminalWidth-len(indent)-width-2) {
			fmt.Fprintln(w, lead+line)
			lead = strings.Repeat(" ", len(indent)+width+2)
		}
	}
}

// Text writes indented text, wrapped to the width of a terminal.
func Text(w io.Writer, indent, text string) {
	for _, line := range Wrap(text, TerminalWidth-len(indent)) {
		fmt.Fprintln(w, indent+line)
	}
}

// TerminalWidth is the width that tables and lists fit, in columns.
const TerminalWidth = 80

// Wrap breaks text at blanks into lines of at most width runes.
func Wrap(text string, width int) []string {
	lines := []string{""}
	for word := range strings.FieldsSeq(text) {
		last := &lines[len(lines)-1]
		switch {
		case *last == "":
			*last = word
		case utf8.RuneCountInString(*last)+1+utf8.RuneCountInString(word) <= width:
			*last += " " + word
		default:
			lines = append(lines, word)
		}
	}
	return lines
}
