package page

import (
	"cmp"
	"context"
	"fmt"
	"strconv"

	"github.com/lightpath-net/lightpath/chart"
	"github.com/lightpath-net/lightpath/figure"
	"github.com/lightpath-net/lightpath/iteration"
	"github.com/lightpath-net/lightpath/units"
)

// Iteration makes the page of an iteration's plan.
func Iteration(d *iteration.Document) (*chart.Page, error) {
	page := &chart.Page{Title: fmt.Sprintf("An iteration of %s on %d GPUs", cmp.Or(d.Name, "the workload"), d.Ranks)}
	page.Table([]string{"", ">"}, [][]string{
		{"iteration", d.Iteration.String()}, {"policy", d.Policy}, {"longest chain of computation", d.Compute.String()}, {"exposed communication", d.Exposed.String()},
		{"bound", fmt.Sprintf("%v, gap %.1f%%", d.Bound, 100*d.Gap)}, {"reconfigurations", fmt.Sprintf("%d, %d hidden", d.Reconfigurations, d.Hidden)},
	})
	scene, err := figure.Iteration(d)
	if err != nil {
		return nil, err
	}
	page.Picture(scene)
	if d.Workload != nil { // a summary has no classes of ranks
		x, err := d.Explain(context.Background())
		if err != nil {
			return nil, err
		}
		page.Heading("Where the time goes")
		budgets(page, x)
	}
	page.Heading("Other policies")
	var rows [][]string
	for _, policy := range iteration.Policies() {
		if time, ok := d.Baselines[policy]; ok {
			rows = append(rows, []string{policy, time.String(), fmt.Sprintf("%.3f", time.Over(d.Iteration))})
		}
	}
	page.Table([]string{"policy", ">iteration", ">ratio"}, rows)
	page.Note(clocks)
	return page, nil
}

// budgets adds a table of what the time is spent on.
func budgets(page *chart.Page, x *iteration.Explanation) {
	row := func(name string, b *iteration.Budget, hidden units.Time) []string {
		exposed := units.Time(0)
		for _, kind := range iteration.Kinds(b.Communication) {
			exposed += b.Communication[kind]
		}
		return []string{name, b.Compute.String(), exposed.String(), b.Rewiring.String(), b.Waits.String(), hidden.String()}
	}
	rows := [][]string{row("critical path", &x.Path, 0)}
	for i := range x.Classes {
		if i == maxRows {
			rows = append(rows, []string{"..", strconv.Itoa(len(x.Classes)) + " classes in all"})
			break
		}
		c := &x.Classes[i]
		rows = append(rows, row(cmp.Or(c.Name, "ranks "+c.Ranks), &c.Budget, c.HiddenRewiring))
	}
	page.Table([]string{"", ">compute", ">exposed communication", ">exposed reconfiguring", ">waits", ">hidden reconfiguring"}, rows)
}
