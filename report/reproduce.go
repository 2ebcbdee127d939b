package report

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/lightpath-net/lightpath/command/reproducing"
	"github.com/lightpath-net/lightpath/internal/each"
	"github.com/lightpath-net/lightpath/report/tabular"
	"github.com/lightpath-net/lightpath/reproduce"
	"github.com/lightpath-net/lightpath/units"
)

// indent is the indentation of the text about a claim.
const indent = "               "

// Reproduction writes published claims beside our computed values.
func Reproduction(w io.Writer, r *reproducing.Reproduction) {
	wrapped := func(text string) { tabular.Text(w, indent, text) }
	for i := range r.Rows {
		row := &r.Rows[i]
		fmt.Fprintf(w, "%-13s  %s\n", row.Verdict, row.ID)
		wrapped(row.Source + ": " + row.Quantity)
		columnsOfRow(w, row)
		if !row.AsRecorded() {
			fmt.Fprintf(w, "%srecorded is %s\n", indent, recorded(row))
		}
		if row.Why != "" {
			wrapped(row.Why)
		}
		if len(row.Parts) > 0 {
			partsOfRow(w, row.Parts)
		} else if !r.Listed && row.Verdict == reproduce.Differs && row.Rerun != "" {
			wrapped("to see why: " + row.Rerun)
		}
	}
	for _, c := range r.Conventions {
		fmt.Fprintf(w, "\nConvention of %s:\n", c.Paper)
		tabular.Text(w, "  ", c.Text)
	}
	if len(r.Rows) > 0 || len(r.Figures) == 0 {
		text := tally(r)
		if r.Left > 0 {
			text += " (`full`)"
		}
		fmt.Fprintf(w, "\n%s\n", text)
	}
	if len(r.Rows) > 1 {
		fmt.Fprintf(w, "\n%-22s %8s %8s %8s %14s\n", "", "matched", "better", "differ", "not checkable")
		for _, c := range perColumn(r) {
			fmt.Fprintf(w, "%-22s %8d %8d %8d %14d\n", c.name, c.Matched, c.Better, c.Differs, c.NotCheckable)
		}
	}
	if r.Listed && len(r.Figures) > 0 {
		fmt.Fprintf(w, "%s, which `html` draws:\n", units.Count(len(r.Figures), "figure"))
		for i := range r.Figures {
			fmt.Fprintf(w, "  %s\n", r.Figures[i].ID)
		}
	} else if len(r.Figures) > 0 {
		text := units.Count(len(r.Figures), "picture") + " drawn"
		if r.FiguresLeft > 0 {
			text += fmt.Sprintf("; %s left out, which take long (`full`)", units.Count(r.FiguresLeft, "figure"))
		}
		fmt.Fprintln(w, text)
	}
}

// partsOfRow writes the numbers behind a value, one below the other.
func partsOfRow(w io.Writer, parts []reproduce.Part) {
	fmt.Fprintf(w, "%sthe numbers behind it:\n", indent)
	values, width := make([]string, len(parts)), 0
	for i, p := range parts {
		values[i] = claimed(p.Value, p.Unit)
		width = max(width, len(values[i]))
	}
	for i, p := range parts {
		for k, line := range tabular.Wrap(p.Name, tabular.TerminalWidth-len(indent)-width-4) {
			if k > 0 {
				values[i] = ""
			}
			fmt.Fprintf(w, "%s  %*s  %s\n", indent, width, values[i], line)
		}
	}
}

// columnsOfRow writes the published and the computed values: on one line if all readings have
// the same value, otherwise on one line each.
func columnsOfRow(w io.Writer, row *reproduce.Row) {
	if row.Convention.Reading == "" && row.Best.Reading == "" {
		fmt.Fprintf(w, "%spublished %s", indent, published(row))
		if row.Ours != nil {
			fmt.Fprintf(w, ", ours %s (%s)", claimed(*row.Ours, row.Unit), away(row))
		}
		fmt.Fprintln(w)
		return
	}
	fmt.Fprintf(w, "%spublished %s\n", indent, published(row))
	for _, c := range readings(row) {
		text := fmt.Sprintf("%s: %s", c.name, c.Verdict)
		if one := row.With(c.Column); one.Ours != nil {
			text += fmt.Sprintf(", ours %s (%s)", claimed(*one.Ours, row.Unit), away(one))
		}
		if c.Reading != "" {
			text += "; " + c.Reading
		}
		for i, line := range tabular.Wrap(text, tabular.TerminalWidth-len(indent)-2) {
			if i > 0 {
				line = "  " + line
			}
			fmt.Fprintf(w, "%s%s\n", indent, line)
		}
	}
}

// oneReading is a column with its name in texts.
type oneReading struct {
	name string
	reproduce.Column
}

// readings returns the columns of a row that differ from others.
func readings(row *reproduce.Row) []oneReading {
	list := []oneReading{{asStated, row.Stated}}
	if row.Convention.Reading != "" {
		list = append(list, oneReading{byConvention, row.Convention})
	}
	if row.Best.Reading != "" && row.Best.Reading != row.Convention.Reading {
		list = append(list, oneReading{byBest, row.Best})
	}
	if statedIsBest(row) {
		best := row.Best
		best.Reading = asStated
		list = append(list, oneReading{byBest, best})
	}
	return list
}

// statedIsBest reports whether the value as stated is closer than that by the convention.
func statedIsBest(row *reproduce.Row) bool {
	return row.Convention.Reading != "" && row.Best.Reading == "" && row.Best.Ours != nil
}

// The names of the columns.
const (
	asStated     = "as stated"
	byConvention = "by the convention"
	byBest       = "best reading"
)

// recorded says which verdicts a row should have.
func recorded(row *reproduce.Row) string {
	if row.Stated.Recorded == row.Convention.Recorded && row.Stated.Recorded == row.Best.Recorded {
		return string(row.Recorded)
	}
	return fmt.Sprintf("%s %s, %s %s, %s %s", row.Stated.Recorded, asStated, row.Convention.Recorded, byConvention, row.Best.Recorded, byBest)
}

// columnCount counts the rows with each verdict, by one reading.
type columnCount struct {
	name string
	reproduce.Tally
}

func perColumn(r *reproducing.Reproduction) []columnCount {
	return []columnCount{{asStated, r.Counts.Stated}, {byConvention, r.Counts.Convention}, {byBest, r.Counts.Best}, {"stated or convention", r.Counts.Verdict}}
}

// tally counts verdicts.
func tally(r *reproducing.Reproduction) string {
	c := r.Counts.Verdict
	text := fmt.Sprintf("%s: %d matched, %d better, %d differ%s, %d not checkable", units.Count(len(r.Rows), "claim"),
		c.Matched, c.Better, c.Differs, map[bool]string{true: "s"}[c.Differs == 1], c.NotCheckable)
	if r.Listed {
		text += " (as recorded; nothing was computed)"
	}
	if r.Left > 0 {
		text += fmt.Sprintf("; %d take long", r.Left)
	}
	return text
}

// digits is the number of significant digits of a value in text: enough to judge tolerances, and
// few enough for the same text on every machine.
const digits = 5

func claimed(value float64, unit string) string {
	text := strconv.FormatFloat(value, 'g', digits, 64)
	if math.Abs(value) >= 1e4 && math.Abs(value) < 1e15 {
		text = strconv.FormatFloat(value, 'f', 0, 64)
	}
	if unit == "" {
		return text
	}
	return text + " " + unit
}

// published returns what a paper says, with "at least" or "at most" if it is a bound.
func published(row *reproduce.Row) string {
	text := claimed(row.Published, "")
	if margin := row.Margin(); margin != "" {
		text += " ± " + margin
	}
	if row.Unit != "" {
		text += " " + row.Unit
	}
	if row.Bound != "" {
		return row.Bound + " " + text
	}
	return text
}

// away says how far our value is above the published one or, for a bound, on which side of it.
func away(row *reproduce.Row) string {
	if where := row.Beyond(); where != "" {
		return where
	}
	switch d := *row.Difference; {
	case math.Abs(d) < 5e-5:
		return "no difference"
	case row.Published == 0:
		return fmt.Sprintf("%+.3g", d)
	default:
		return fmt.Sprintf("%+.2f%%", 100*d)
	}
}

// ReproductionMarkdown writes claims as a document with one table per paper and the reasons
// below it.
func ReproductionMarkdown(w io.Writer, r *reproducing.Reproduction) error {
	var b strings.Builder
	b.WriteString("# Numbers of the papers, computed again\n\n")
	b.WriteString("`lightpath reproduce all` writes this page among its pages, and a test compares it with what is computed.\n" +
		"Times are those of the model unless they are marked as packets. The list has the claims that we\n" +
		"recorded, not all that the papers make. The pictures are in the pages that the command writes\n" +
		"beside it. [papers.md](papers.md) says what we take from each paper.\n\n")
	b.WriteString("Every claim has three verdicts: as the paper states it, under one convention that is the same for all\n" +
		"claims of a paper, and by the best reading. The best reading is the nearest to the published value of\n" +
		"these two and of one that was found only for this claim. A claim counts as matched if it matches as\n" +
		"stated or under the convention. An empty column has the value of the column before it. A published\n" +
		"value has its tolerance, after ±.\n\n")
	b.WriteString(tally(r) + ".\n\n")
	b.WriteString("| | matched | better | differ | not checkable |\n|---|---:|---:|---:|---:|\n")
	for _, c := range perColumn(r) {
		fmt.Fprintf(&b, "| %s | %d | %d | %d | %d |\n", c.name, c.Matched, c.Better, c.Differs, c.NotCheckable)
	}
	for _, p := range reproduce.Papers() {
		rows := rowsOfPaper(r, p.Name)
		if len(rows) == 0 {
			continue
		}
		fmt.Fprintf(&b, "\n## %s\n\n", p.Title)
		if p.Convention != "" {
			fmt.Fprintf(&b, "Convention: %s\n\n", p.Convention)
		}
		b.WriteString("| claim | quantity | published | as stated | by the convention | best reading | verdict |\n|---|---|---:|---:|---:|---:|---|\n")
		for _, row := range rows {
			fmt.Fprintf(&b, "| `%s` (%s) | %s | %s | %s | %s | %s | %s |\n", row.ID, cellText(row.Source), cellText(row.Quantity), published(row),
				valueCell(row, row.Stated), ownCell(row, row.Convention), ownCell(row, bestOf(row)), row.Verdict)
		}
		b.WriteString("\n")
		for _, row := range rows {
			if text := notes(row); text != "" {
				fmt.Fprintf(&b, "- `%s`, %s: %s\n", row.ID, row.Verdict, text)
			}
		}
	}
	if r.Left > 0 {
		left(&b, r)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// notes returns the readings of a row, its reason, and what reproduces a difference.
func notes(row *reproduce.Row) string {
	parts := each.Of(readings(row)[1:], func(c oneReading) string { return c.name + ": " + c.Reading })
	if row.Why != "" {
		parts = append(parts, row.Why)
	}
	if row.Verdict == reproduce.Differs && row.Rerun != "" {
		parts = append(parts, "to see why: `"+row.Rerun+"`")
	}
	return strings.Join(parts, "; ")
}

// valueCell returns a value with its difference and verdict.
func valueCell(row *reproduce.Row, c reproduce.Column) string {
	if c.Ours == nil {
		return "–"
	}
	one := row.With(c)
	return fmt.Sprintf("%s (%s)", claimed(*c.Ours, row.Unit), away(one))
}

// ownCell is valueCell, but empty for a column without a reading of its own.
func ownCell(row *reproduce.Row, c reproduce.Column) string {
	if c.Reading == "" {
		return ""
	}
	return valueCell(row, c)
}

// bestOf returns the best column, without its reading if that is the convention's.
func bestOf(row *reproduce.Row) reproduce.Column {
	if statedIsBest(row) {
		best := row.Best
		best.Reading = asStated
		return best
	}
	if row.Best.Reading == row.Convention.Reading {
		return reproduce.Column{}
	}
	return row.Best
}

// left lists the claims that were not computed, with their recorded verdicts.
func left(b *strings.Builder, r *reproducing.Reproduction) {
	computed := map[string]bool{}
	for i := range r.Rows {
		computed[r.Rows[i].ID] = true
	}
	b.WriteString("\n## What takes long\n\nNot computed for this document. A full reproduction computes them too, and fails if a verdict is not the recorded one.\n\n")
	b.WriteString("| claim | quantity | published | recorded |\n|---|---|---:|---|\n")
	var reasons []string
	for _, p := range reproduce.Papers() {
		for i := range p.Entries {
			e := &p.Entries[i]
			if computed[e.ID] || !e.Full {
				continue
			}
			row := e.Listed()
			fmt.Fprintf(b, "| `%s` (%s) | %s | %s | %s |\n", e.ID, cellText(e.Source), cellText(e.Quantity), published(&row), row.Recorded)
			if text := notes(&row); text != "" {
				reasons = append(reasons, fmt.Sprintf("- `%s`, %s: %s\n", e.ID, row.Recorded, text))
			}
		}
	}
	b.WriteString("\n" + strings.Join(reasons, ""))
}

// cellText escapes text so that it does not end a cell.
func cellText(text string) string { return strings.ReplaceAll(text, "|", "\\|") }

func rowsOfPaper(r *reproducing.Reproduction, name string) []*reproduce.Row {
	var rows []*reproduce.Row
	for i := range r.Rows {
		if strings.HasPrefix(r.Rows[i].ID, name+"/") {
			rows = append(rows, &r.Rows[i])
		}
	}
	return rows
}

// ReproductionRow is a row of a reproduction without nested columns, for CSV.
type ReproductionRow struct {
	ID                string            `json:"id"`
	Source            string            `json:"source"`
	Quantity          string            `json:"quantity"`
	Unit              string            `json:"unit"`
	Published         float64           `json:"published"`
	Bound             string            `json:"bound"`
	Ours              *float64          `json:"ours"`
	Difference        *float64          `json:"difference"`
	Tolerance         string            `json:"tolerance"`
	Verdict           reproduce.Verdict `json:"verdict"`
	Recorded          reproduce.Verdict `json:"recorded"`
	Full              bool              `json:"full"`
	Why               string            `json:"why"`
	Stated            *float64          `json:"stated"`
	StatedVerdict     reproduce.Verdict `json:"stated_verdict"`
	Convention        *float64          `json:"convention"`
	ConventionVerdict reproduce.Verdict `json:"convention_verdict"`
	ConventionReading string            `json:"convention_reading"`
	Best              *float64          `json:"best"`
	BestVerdict       reproduce.Verdict `json:"best_verdict"`
	BestReading       string            `json:"best_reading"`
	Rerun             string            `json:"rerun"`
}

// ReproductionRows returns the rows of a reproduction for CSV.
func ReproductionRows(r *reproducing.Reproduction) []ReproductionRow {
	list := make([]ReproductionRow, len(r.Rows))
	for i := range r.Rows {
		row := &r.Rows[i]
		list[i] = ReproductionRow{
			ID: row.ID, Source: row.Source, Quantity: row.Quantity, Unit: row.Unit, Published: row.Published, Bound: row.Bound, Ours: row.Ours,
			Difference: row.Difference, Tolerance: row.Tolerance, Verdict: row.Verdict, Recorded: row.Recorded, Full: row.Full, Why: row.Why,
			Stated: row.Stated.Ours, StatedVerdict: row.Stated.Verdict,
			Convention: row.Convention.Ours, ConventionVerdict: row.Convention.Verdict, ConventionReading: row.Convention.Reading,
			Best: row.Best.Ours, BestVerdict: row.Best.Verdict, BestReading: row.Best.Reading, Rerun: row.Rerun,
		}
	}
	return list
}
