package figure

import (
	"fmt"
	"strconv"

	"github.com/lightpath-net/lightpath/chart"
	"github.com/lightpath-net/lightpath/plan"
)

// planesTimeline draws what every plane does in a plan whose planes reconfigure independently:
// when it is dark, and which step it serves over which circuits.
func planesTimeline(p *plan.Plan) (*chart.Scene, error) {
	const sends, dark = 0, 1
	g := &chart.Gantt{
		Caption: chart.Caption{Title: planTitle(p), Subtitle: machine(&p.Fabric), Source: planSource(p)},
		Label:   "time", Kinds: []string{"serves a step", "dark: the plane changes"},
	}
	for plane := range p.Fabric.Ports {
		g.Rows = append(g.Rows, "plane "+strconv.Itoa(plane+1))
	}
	times, err := p.LaneTimes()
	if err != nil {
		return nil, err
	}
	for _, t := range times {
		stage := &p.Stages[t.Stage]
		lane, step := stage.Lanes[t.Plane-1], &stage.Steps[0]
		if t.Over > t.At {
			g.Spans = append(g.Spans, chart.Span{Row: t.Plane - 1, From: float64(t.At), To: float64(t.Over), Kind: dark, Text: "dark",
				Tip: fmt.Sprintf("plane %d changes to %s: %v", t.Plane, lane.Circuits.Name(), t.Over-t.At)})
		}
		g.Spans = append(g.Spans, chart.Span{Row: t.Plane - 1, From: float64(t.Begin), To: float64(t.End), Kind: sends, Text: strconv.Itoa(step.Index),
			Tip: fmt.Sprintf("step %d over %s: %.3g%% of its bytes, %v", step.Index, lane.Circuits.Name(), 100*lane.Share, t.End-t.Begin)})
	}
	return g.Scene()
}
