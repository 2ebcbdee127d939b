package figure

import (
	"fmt"
	"strconv"

	"github.com/lightpath-net/lightpath/chart"
	"github.com/lightpath-net/lightpath/compile/timetable"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/units"
)

// These are the kinds of spans of a timeline.
const (
	startup = iota
	propagation
	transmission
	dark
	up
	reduction
)

// Timeline draws a plan over time: the parts of every step, and below them the switch, or a row
// for each of several switches: which circuits are up, and when they change, hidden or not.
func Timeline(p *plan.Plan) (*chart.Scene, error) {
	if p.Staggered() {
		return planesTimeline(p)
	}
	g := &chart.Gantt{
		Caption: chart.Caption{Title: planTitle(p), Subtitle: machine(&p.Fabric), Source: planSource(p)},
		Label:   "time", Rows: []string{"steps"},
		Kinds: []string{"start-up", "propagation", "transmission", "dark: circuits change", "circuits up"},
	}
	if p.Cost.Reduction > 0 {
		g.Kinds = append(g.Kinds, "reduction")
	}
	end := 0.0
	for _, step := range p.Steps() {
		at := float64(step.Start)
		for kind, part := range [...]units.Time{startup: step.Cost.Startup, propagation: step.Cost.Propagation, transmission: step.Cost.Transmission, reduction: step.Cost.Reduction} {
			if kind > transmission && part == 0 {
				continue // reducing is free
			}
			text := ""
			if kind == transmission {
				text = strconv.Itoa(step.Index)
			}
			g.Spans = append(g.Spans, chart.Span{Row: 0, From: at, To: at + float64(part), Kind: kind, Text: text,
				Tip: fmt.Sprintf("step %d, %s: %v (%d hops, congestion %.3g)", step.Index, g.Kinds[kind], part, step.Cost.Hops, step.Cost.Congestion)})
			at += float64(part)
		}
		end = max(end, at)
	}
	commands, err := p.Commands()
	if err != nil {
		return nil, err
	}
	switches, touched, err := touchedBy(p)
	if err != nil {
		return nil, err
	}
	for k := range switches {
		name := "circuits"
		if switches > 1 {
			name = fmt.Sprintf("switch %d", k)
		}
		g.Rows = append(g.Rows, name)
		g.Spans = append(g.Spans, switchRow(p, commands, len(g.Rows)-1, k, touched, end)...)
	}
	if switches > 1 {
		g.Source += " Switches as a compiled timetable sets them."
	}
	return g.Scene()
}

// touchedBy returns the number of switches and, if there are several, the set of switches that
// the change before each stage affects.
func touchedBy(p *plan.Plan) (int, []map[int]bool, error) {
	table, err := timetable.Of(p)
	if err != nil {
		return 0, nil, err
	}
	if table.Switches == 1 {
		return 1, nil, nil
	}
	touched := make([]map[int]bool, len(table.Stages))
	for i, s := range table.Stages {
		touched[i] = map[int]bool{}
		for _, c := range s.Changes {
			touched[i][c.Switch] = true
		}
	}
	return table.Switches, touched, nil
}

// switchRow returns what switch k does: its circuits are up between the commands that affect
// it.
func switchRow(p *plan.Plan, commands []plan.Command, row, k int, touched []map[int]bool, end float64) []chart.Span {
	var spans []chart.Span
	from, name, part := 0.0, "", ""
	if touched != nil {
		part = "part of " // the circuits of a topology are spread over all switches
	}
	if len(p.Stages) > 0 && (len(commands) == 0 || commands[0].Stage > 0) {
		name = part + p.Stages[0].Topology.Name() // the first configuration is free
	} else if len(commands) > 0 && p.Fabric.Initial != "" {
		name = part + p.Fabric.Initial // until the first command
	}
	lit := func(to float64) {
		if to > from {
			spans = append(spans, chart.Span{Row: row, From: from, To: to, Kind: up, Text: name, Tip: name})
		}
	}
	for _, c := range commands {
		at, over := max(0, float64(c.At)), max(0, float64(c.Over)) // computation hides what is before 0
		lit(at)
		next := part + p.Stages[c.Stage].Topology.Name()
		if touched != nil && !touched[c.Stage][k] { // its circuits stay
			from, name = at, next
			continue
		}
		if over > at {
			spans = append(spans, chart.Span{Row: row, From: at, To: over, Kind: dark, Text: "dark",
				Tip: fmt.Sprintf("change to %s: %v", next, c.Over-c.At)})
		}
		from, name = over, next
	}
	lit(end)
	return spans
}
