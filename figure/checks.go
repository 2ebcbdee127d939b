package figure

import (
	"fmt"

	"github.com/lightpath-net/lightpath/chart"
	"github.com/lightpath-net/lightpath/command/compiling"
	"github.com/lightpath-net/lightpath/field"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/plan/verify"
)

// Checks draws the outcome of every check.
func Checks(r *verify.Report, title string) (*chart.Scene, error) {
	bad, open := 0, 0
	c := &chart.Checklist{}
	for _, one := range r.Checks {
		mark := chart.Passed
		switch {
		case one.Unchecked:
			mark = chart.Open
			open++
		case !one.OK:
			mark = chart.Failed
			bad++
		}
		c.Names, c.Marks, c.Details = append(c.Names, one.Name), append(c.Marks, mark), append(c.Details, field.Plain(one.Detail))
	}
	switch {
	case bad > 0:
		title += fmt.Sprintf(": %d of %d checks failed", bad, len(r.Checks))
	case open > 0:
		title += fmt.Sprintf(": %d checks passed, %d could not be made", len(r.Checks)-open, open)
	default:
		title += fmt.Sprintf(": all %d checks passed", len(r.Checks))
	}
	c.Caption = chart.Caption{Title: title, Source: "Tick: it holds. Cross: it does not. Ring: it cannot be checked."}
	return c.Scene()
}

// Verified draws the checks of a plan, and a timeline of the plan.
func Verified(p *plan.Plan, r *verify.Report) (*chart.Scene, error) {
	checks, err := Checks(r, "The plan")
	if err != nil || !r.OK { // the times of a wrong plan mean nothing
		return checks, err
	}
	if err := p.Price(); err != nil {
		return nil, err
	}
	when, err := Timeline(p)
	if err != nil {
		return nil, err
	}
	return chart.Panels("", 1, checks, when), nil
}

// Checked draws the checks of a program, and the plan that it was lifted to.
func Checked(c *compiling.Checked) (*chart.Scene, error) {
	title := "The program"
	if c.Format != "" { // the format of an unreadable file is unknown
		title += " (" + c.Format + ")"
	}
	checks, err := Checks(&c.Report.Report, title)
	if err != nil || c.Lifted == nil {
		return checks, err
	}
	when, err := Timeline(c.Lifted)
	if err != nil {
		return nil, err
	}
	return chart.Panels("", 1, checks, when), nil
}

// Compiled draws a plan, and below it the plan as the runtime carries it out, if that has other
// steps or another time.
func Compiled(p *plan.Plan, c *compiling.Compilation) (*chart.Scene, error) {
	if err := p.Price(); err != nil {
		return nil, err
	}
	as, err := Timeline(p)
	if err != nil || c.LoweredPlan == nil || c.Lowered == c.Plan && c.LoweredPlan.CountSteps() == p.CountSteps() {
		return as, err
	}
	lowered, err := Timeline(c.LoweredPlan)
	if err != nil {
		return nil, err
	}
	return chart.Panels(fmt.Sprintf("As planned, and as %s executes it", c.Format), 1, as, lowered), nil
}
