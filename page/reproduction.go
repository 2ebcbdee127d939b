package page

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/lightpath-net/lightpath"
	"github.com/lightpath-net/lightpath/chart"
	"github.com/lightpath-net/lightpath/reproduce"
)

// Reproduction makes the page of claims: a table for each paper, and the reasons.
func Reproduction(r *lightpath.Reproduction) (*chart.Page, error) {
	page := &chart.Page{Title: "Numbers of the papers, computed again"}
	unexpected := len(r.Unexpected())
	page.Text(fmt.Sprintf("%d claims, of which %d do not have the verdict that is recorded; %d more take long and were left out.", len(r.Rows), unexpected, r.Left))
	for _, p := range reproduce.Papers() {
		var rows [][]string
		var reasons []string
		for i := range r.Rows {
			row := &r.Rows[i]
			if !strings.HasPrefix(row.ID, p.Name+"/") {
				continue
			}
			ours, above := "–", ""
			if row.Ours != nil {
				ours, above = significant(*row.Ours), fmt.Sprintf("%+.2f%%", 100**row.Difference)
				if row.Published == 0 {
					above = significant(*row.Difference)
				}
			}
			rows = append(rows, []string{string(row.Verdict), row.ID, row.Source, significant(row.Published), ours, row.Unit, above})
			if row.Why != "" {
				reasons = append(reasons, fmt.Sprintf("%s, %s (%s): %s", row.ID, row.Verdict, row.Quantity, row.Why))
			}
		}
		if rows == nil {
			continue
		}
		page.Heading(p.Title)
		page.Table([]string{"verdict", "claim", "source", ">published", ">ours", "", ">difference"}, rows)
		for _, reason := range reasons {
			page.Note(reason)
		}
	}
	page.Note(clocks)
	return page, nil
}

func significant(x float64) string { return strconv.FormatFloat(x, 'g', 5, 64) }
