package figure

import (
	"fmt"

	"github.com/lightpath-net/lightpath/chart"
	"github.com/lightpath-net/lightpath/explain"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/units"
)

// Explain draws the parts of every step of a plan and, for each change of circuits that the
// plan could do without, what it saves and costs.
func Explain(p *plan.Plan, e *explain.Explanation) (*chart.Scene, error) {
	steps, err := Steps(p)
	if err != nil {
		return nil, err
	}
	b := &chart.Bars{
		Caption: chart.Caption{Title: "What every reconfiguration saves, and what it costs", Subtitle: planTitle(p),
			Source: ofModel + ". Compared with the best plan without the reconfiguration. Not a measurement."},
		Label: "time", Unit: chart.Seconds, Parts: []string{"saved in communication"}, MarkName: "paid for the change",
	}
	needed := 0
	for _, c := range e.Changes {
		if c.Needed { // what it saves is unknown
			needed++
			continue
		}
		if len(b.Names) == maxBars {
			b.Source += fmt.Sprintf(" The first %d of %d changes.", maxBars, len(e.Changes))
			break
		}
		name := fmt.Sprintf("before step %d: %s to %s", c.Steps[0], c.From, c.To)
		b.Names, b.Values, b.Marks = append(b.Names, name), append(b.Values, []float64{float64(c.SavedNs)}), append(b.Marks, float64(c.PaidNs))
	}
	if len(b.Names) == 0 {
		return steps, nil
	}
	if needed > 0 {
		b.Source += fmt.Sprintf(" Another %s: needed to connect every pair.", units.Count(needed, "change"))
	}
	changes, err := b.Scene()
	if err != nil {
		return nil, err
	}
	return chart.Panels("", 2, steps, changes), nil
}
