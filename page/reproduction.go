package page

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/lightpath-net/lightpath/chart"
	"github.com/lightpath-net/lightpath/command/reproducing"
	"github.com/lightpath-net/lightpath/internal/each"
	"github.com/lightpath-net/lightpath/reproduce"
)

// Reproduction makes the page of claims: a table for each paper, the reasons, and the figures
// that were drawn.
func Reproduction(r *reproducing.Reproduction) (*chart.Page, error) {
	page := &chart.Page{Title: "Numbers of the papers, computed again"}
	unexpected := len(r.Unexpected())
	page.Text(fmt.Sprintf("%d claims; %d differ from their recorded verdict; %d more take long and were left out.", len(r.Rows), unexpected, r.Left))
	var counts [][]string
	for _, c := range []struct {
		name string
		reproduce.Tally
	}{{"as stated", r.Counts.Stated}, {"by the convention of the paper", r.Counts.Convention}, {"best reading", r.Counts.Best}, {"as stated or by the convention", r.Counts.Verdict}} {
		counts = append(counts, []string{c.name, strconv.Itoa(c.Matched), strconv.Itoa(c.Better), strconv.Itoa(c.Differs), strconv.Itoa(c.NotCheckable)})
	}
	page.Table([]string{"", ">matched", ">better", ">differ", ">not checkable"}, counts)
	for _, p := range reproduce.Papers() {
		var rows [][]string
		var reasons []string
		for i := range r.Rows {
			row := &r.Rows[i]
			if !strings.HasPrefix(row.ID, p.Name+"/") {
				continue
			}
			rows = append(rows, []string{string(row.Verdict), row.ID, row.Source, strings.TrimSpace(row.Bound + " " + significant(row.Published)), row.Margin(),
				columnText(row.Stated), columnText(row.Convention), columnText(row.Best), row.Unit, differenceText(row)})
			if row.Why != "" {
				reason := fmt.Sprintf("%s, %s (%s): %s", row.ID, row.Verdict, row.Quantity, row.Why)
				if row.Verdict == reproduce.Differs {
					reason += ". To see why: " + row.Rerun
				}
				reasons = append(reasons, reason)
			}
		}
		pictures := picturesOf(r, &p, false)
		if rows == nil && pictures == nil {
			continue
		}
		page.Heading(p.Title)
		if rows != nil {
			if p.Convention != "" {
				page.Text("Convention: " + p.Convention)
			}
			page.Table([]string{"verdict", "claim", "source", ">published", ">tolerance", ">as stated", ">by the convention", ">best reading", "", ">difference"}, rows)
		}
		for _, reason := range reasons {
			page.Note(reason)
		}
		draw(page, pictures)
		if picturesOf(r, &p, true) != nil {
			page.Note("The same axes with our best plan and the bound: " + BetterName(&p) + ", beside this page.")
		}
	}
	if r.FiguresLeft > 0 {
		page.Note(fmt.Sprintf("%d more figures take long and were left out.", r.FiguresLeft))
	}
	page.Note(clocks)
	return page, nil
}

// BetterName returns the file name of the page that Better makes.
func BetterName(p *reproduce.Paper) string { return "better-" + p.Name + ".html" }

// Better makes the page of what goes beyond a paper: its axes with our best plan and the
// bound. It is nil where no such figure was drawn.
func Better(r *reproducing.Reproduction, p *reproduce.Paper) *chart.Page {
	pictures := picturesOf(r, p, true)
	if pictures == nil {
		return nil
	}
	page := &chart.Page{Title: p.Title + ": and better"}
	draw(page, pictures)
	page.Note(clocks)
	return page
}

// picturesOf returns the drawn pictures of a paper: those that go beyond it if better is set, or
// the others.
func picturesOf(r *reproducing.Reproduction, p *reproduce.Paper, better bool) []reproduce.Picture {
	return each.Where(r.Figures, func(f reproduce.Picture) bool {
		return f.Scene != nil && f.Better == better && strings.HasPrefix(f.ID, p.Name+"/")
	})
}

// draw adds pictures. Pictures of one figure stand below its source and its text, side by side
// where there is room, so that a model can be compared with its simulation.
func draw(page *chart.Page, pictures []reproduce.Picture) {
	var row []*chart.Scene
	for i := range pictures {
		f := &pictures[i]
		if i == 0 || pictures[i-1].Source != f.Source || pictures[i-1].About != f.About {
			page.Heading(f.Source)
			if f.About != "" {
				page.Text(f.About)
			}
		}
		row = append(row, f.Scene)
		if i+1 == len(pictures) || pictures[i+1].Source != f.Source || pictures[i+1].About != f.About {
			page.Picture(row...)
			row = nil
		}
	}
}

// columnText is the value of a column.
func columnText(c reproduce.Column) string {
	if c.Ours == nil {
		return "–"
	}
	return significant(*c.Ours)
}

// differenceText says how far the deciding value is from the published one.
func differenceText(row *reproduce.Row) string {
	switch where := row.Beyond(); {
	case row.Ours == nil:
		return ""
	case where != "":
		return where
	case row.Published == 0:
		return significant(*row.Difference)
	}
	return fmt.Sprintf("%+.2f%%", 100**row.Difference)
}

func significant(x float64) string { return strconv.FormatFloat(x, 'g', 5, 64) }
