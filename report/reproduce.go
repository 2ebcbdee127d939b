package report

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/lightpath-net/lightpath/command/reproducing"
	"github.com/lightpath-net/lightpath/report/tabular"
	"github.com/lightpath-net/lightpath/reproduce"
	"github.com/lightpath-net/lightpath/units"
)

// Reproduction writes claims beside what was computed.
func Reproduction(w io.Writer, r *reproducing.Reproduction) {
	const indent = "               "
	for i := range r.Rows {
		row := &r.Rows[i]
		fmt.Fprintf(w, "%-13s  %s\n", row.Verdict, row.ID)
		for _, line := range tabular.Wrap(row.Source+": "+row.Quantity, tabular.TerminalWidth-len(indent)) {
			fmt.Fprintf(w, "%s%s\n", indent, line)
		}
		fmt.Fprintf(w, "%spublished %s", indent, published(row))
		if row.Ours != nil {
			fmt.Fprintf(w, ", ours %s (%s)", claimed(*row.Ours, row.Unit), away(row))
		}
		fmt.Fprintln(w)
		if row.Verdict != row.Recorded {
			fmt.Fprintf(w, "%srecorded is %s\n", indent, row.Recorded)
		}
		if row.Why != "" {
			for _, line := range tabular.Wrap(row.Why, tabular.TerminalWidth-len(indent)) {
				fmt.Fprintf(w, "%s%s\n", indent, line)
			}
		}
	}
	if len(r.Rows) > 0 || len(r.Figures) == 0 {
		fmt.Fprintf(w, "\n%s\n", tally(r))
	}
	if r.Listed && len(r.Figures) > 0 {
		fmt.Fprintf(w, "%s, which --html draws:\n", units.Count(len(r.Figures), "figure"))
		for i := range r.Figures {
			fmt.Fprintf(w, "  %s\n", r.Figures[i].ID)
		}
	} else if len(r.Figures) > 0 {
		text := units.Count(len(r.Figures), "picture") + " drawn"
		if r.FiguresLeft > 0 {
			text += fmt.Sprintf("; %s left out, which take long (--full)", units.Count(r.FiguresLeft, "figure"))
		}
		fmt.Fprintln(w, text)
	}
}

// tally counts verdicts.
func tally(r *reproducing.Reproduction) string {
	counts := map[reproduce.Verdict]int{}
	for i := range r.Rows {
		counts[r.Rows[i].Verdict]++
	}
	text := fmt.Sprintf("%s: %d matched, %d better, %d differ, %d not checkable", units.Count(len(r.Rows), "claim"),
		counts[reproduce.Matched], counts[reproduce.Better], counts[reproduce.Differs], counts[reproduce.NotCheckable])
	if r.Listed {
		text += " (as recorded; nothing was computed)"
	}
	if r.Left > 0 {
		text += fmt.Sprintf("; %d take long (--full)", r.Left)
	}
	return text
}

// digits is the number of significant digits of a value in text: enough to see what
// tolerances are about, and few enough for the same text on every machine.
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

// published is what a paper says, with "at least" or "at most" where it is a bound.
func published(row *reproduce.Row) string {
	text := claimed(row.Published, row.Unit)
	if row.Bound != "" {
		return row.Bound + " " + text
	}
	return text
}

// away is what ours is above the published value, or where it is of a bound.
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

// ReproductionMarkdown writes claims as a document of one table for each paper, and the
// reasons below it.
func ReproductionMarkdown(w io.Writer, r *reproducing.Reproduction) error {
	var b strings.Builder
	b.WriteString("# Numbers of the papers, computed again\n\n")
	b.WriteString("Written by `lightpath reproduce all --html DIR`; a test compares it with what is computed.\n")
	b.WriteString("Times are the model's unless they are said to be packets. The list has the claims that were\nentered, not all that the papers make; the pictures are in the pages that the command writes\nbeside it. [papers.md](papers.md) says what we take from each paper.\n\n")
	b.WriteString(tally(r) + ".\n")
	for _, p := range reproduce.Papers() {
		rows := rowsOfPaper(r, p.Name)
		if len(rows) == 0 {
			continue
		}
		fmt.Fprintf(&b, "\n## %s\n\n", p.Title)
		b.WriteString("| claim | quantity | published | ours | difference | verdict |\n|---|---|---:|---:|---:|---|\n")
		for _, row := range rows {
			ours, above := "–", ""
			if row.Ours != nil {
				ours, above = claimed(*row.Ours, row.Unit), away(row)
			}
			fmt.Fprintf(&b, "| `%s` (%s) | %s | %s | %s | %s | %s |\n", row.ID, cellText(row.Source), cellText(row.Quantity), published(row), ours, above, row.Verdict)
		}
		b.WriteString("\n")
		for _, row := range rows {
			if row.Why != "" {
				fmt.Fprintf(&b, "- `%s`, %s: %s\n", row.ID, row.Verdict, row.Why)
			}
		}
	}
	if r.Left > 0 {
		left(&b, r)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// left lists the claims that were not computed, with the verdicts that are recorded.
func left(b *strings.Builder, r *reproducing.Reproduction) {
	computed := map[string]bool{}
	for i := range r.Rows {
		computed[r.Rows[i].ID] = true
	}
	b.WriteString("\n## What takes long\n\nNot computed for this document; `--full` does, and fails if a verdict is not the recorded one.\n\n")
	b.WriteString("| claim | quantity | published | recorded |\n|---|---|---:|---|\n")
	var reasons []string
	for _, p := range reproduce.Papers() {
		for i := range p.Entries {
			e := &p.Entries[i]
			if computed[e.ID] || !e.Full {
				continue
			}
			row := e.Listed()
			fmt.Fprintf(b, "| `%s` (%s) | %s | %s | %s |\n", e.ID, cellText(e.Source), cellText(e.Quantity), published(&row), e.Recorded)
			if e.Why != "" {
				reasons = append(reasons, fmt.Sprintf("- `%s`, %s: %s\n", e.ID, e.Recorded, e.Why))
			}
		}
	}
	b.WriteString("\n" + strings.Join(reasons, ""))
}

// cellText is text that does not end a cell.
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
