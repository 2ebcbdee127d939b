// Package page makes reports: one self-contained HTML page about a plan, a sweep or a
// simulation, with text, tables and pictures. A page needs no network, follows the screen's
// dark or light mode, and can be printed.
package page

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/lightpath-net/lightpath/chart"
	"github.com/lightpath-net/lightpath/command/simulating"
	"github.com/lightpath-net/lightpath/field"
	"github.com/lightpath-net/lightpath/figure"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/sweep"
	"github.com/lightpath-net/lightpath/units"
)

const clocks = "Times are the model's unless they are said to be packets or measured: the model, packets and an emulation are three different clocks."

// maxRows is the number of rows of a table.
const maxRows = 200

// simulated says how the simulated packet time of a plan differs from the model's.
func simulated(p *plan.Plan) string {
	if p.Simulated > 0 {
		return fmt.Sprintf("%+.2f%%", 100*(float64(p.Simulated/p.Cost.Total())-1))
	}
	return field.Plain(p.Unsimulated)
}

// Plan makes the page of a plan.
func Plan(p *plan.Plan) (*chart.Page, error) {
	for i := range p.Stages {
		if len(p.Stages[i].Steps) == 0 {
			return nil, fmt.Errorf("stage %d has no step", i+1)
		}
	}
	page := &chart.Page{Title: fmt.Sprintf("%s of %v on %d GPUs takes %v", p.Collective.Op, p.Collective.Size, p.Fabric.Nodes, p.Cost.Total())}
	page.Text(fmt.Sprintf("Algorithm %s in %d steps, planner %s, %d reconfigurations.", p.Collective.Algorithm, p.CountSteps(), p.Planner, p.Reconfigurations))
	any := p.OperationBound().Total()
	rows := [][]string{
		{"start-up", p.Cost.Startup.String(), share(p.Cost.Startup, p)},
		{"propagation", p.Cost.Propagation.String(), share(p.Cost.Propagation, p)},
		{"transmission", p.Cost.Transmission.String(), share(p.Cost.Transmission, p)},
		{"reconfiguration", p.Cost.Reconfiguration.String(), share(p.Cost.Reconfiguration, p)},
		{"total", p.Cost.Total().String(), ""},
		{"packet by packet", orDash(p.Simulated), simulated(p)},
		{"best static plan", orDash(p.Baselines.Static), times(p.Baselines.Static, p)},
		{"best every-step plan of any algorithm", orDash(p.Baselines.EveryStep), times(p.Baselines.EveryStep, p)},
		{"static, same algorithm", orDash(p.SameAlgorithm.Static), times(p.SameAlgorithm.Static, p)},
		{"every-step, same algorithm", orDash(p.SameAlgorithm.EveryStep), times(p.SameAlgorithm.EveryStep, p)},
		{"bound of the algorithm", orDash(p.Bound), fmt.Sprintf("gap %.1f%%", 100*p.Gap())},
		{"bound of any algorithm", any.String(), fmt.Sprintf("gap %.1f%%", 100*max(0, float64(p.Cost.Total()/any)-1))},
	}
	if p.Cost.Reduction > 0 {
		rows = slices.Insert(rows, 3, []string{"reduction", p.Cost.Reduction.String(), share(p.Cost.Reduction, p)})
	}
	page.Table([]string{"", ">time", ">"}, rows)
	for _, draw := range []func(*plan.Plan) (*chart.Scene, error){figure.Timeline, figure.Steps, figure.Against} {
		s, err := draw(p)
		if err != nil {
			return nil, err
		}
		page.Picture(s)
	}
	page.Heading("Stages")
	page.Table([]string{">stage", "circuits", ">steps", ">reconfig", ">hidden", ">send"}, stages(p))
	if err := drawings(page, p); err != nil {
		return nil, err
	}
	page.Heading("Fabric")
	page.Table([]string{"setting", "value"}, settings(p))
	page.Note(clocks)
	return page, nil
}

// drawings adds pictures of the circuits if these are few enough.
func drawings(page *chart.Page, p *plan.Plan) error {
	if p.Fabric.Nodes > 256 {
		page.Note("Circuits of more than 256 GPUs are not drawn.")
		return nil
	}
	loads, err := figure.LinkLoads(p)
	if err != nil {
		return err
	}
	page.Picture(loads)
	frames, err := figure.Animation(p)
	if err != nil {
		return err
	}
	page.Heading("Step by step")
	page.Animation(frames)
	return nil
}

func share(t units.Time, p *plan.Plan) string {
	return fmt.Sprintf("%.1f%%", 100*float64(t/p.Cost.Total()))
}

func times(t units.Time, p *plan.Plan) string {
	if t == 0 {
		return "not possible"
	}
	return fmt.Sprintf("this plan is %.2f times as fast", float64(t/p.Cost.Total()))
}

func orDash(t units.Time) string {
	if t == 0 {
		return "–"
	}
	return t.String()
}

func stages(p *plan.Plan) [][]string {
	var rows [][]string
	for i := range p.Stages {
		s := &p.Stages[i]
		if i == maxRows {
			return append(rows, []string{"..", fmt.Sprintf("%d stages in all", len(p.Stages))})
		}
		var sending units.Time
		for j := range s.Steps {
			sending += s.Steps[j].Cost.Total()
		}
		steps := strconv.Itoa(s.Steps[0].Index)
		if last := s.Steps[len(s.Steps)-1].Index; last > s.Steps[0].Index {
			steps += "–" + strconv.Itoa(last)
		}
		rows = append(rows, []string{strconv.Itoa(i + 1), s.Topology.Name(), steps, orDash(s.Reconfiguration), orDash(s.Hidden), sending.String()})
	}
	return rows
}

// Sweep makes the page of a sweep: the findings in words, and a map of every metric that has
// values.
func Sweep(t *sweep.Table) (*chart.Page, error) {
	page := &chart.Page{Title: "Sweep: " + sweepTitle(t)}
	page.Text(fmt.Sprintf("%d cells, %d not looked at.", len(t.Cells), t.Missing))
	for _, f := range t.Findings() {
		page.Text(strings.ToUpper(f.Sentence()[:1]) + f.Sentence()[1:] + ".")
	}
	if ports := t.PortsSentence(); ports != "" {
		page.Text(strings.ToUpper(ports[:1]) + ports[1:] + ".")
	}
	for _, m := range sweep.Metrics() {
		if !hasValues(t, m) {
			continue
		}
		s, err := figure.Sweep(t, m)
		if err != nil {
			page.Note(fmt.Sprintf("%s: %v", m.Name, err))
			continue
		}
		page.Heading(strings.ToUpper(m.About[:1]) + m.About[1:])
		page.Picture(s)
	}
	page.Note(clocks)
	return page, nil
}

func hasValues(t *sweep.Table, m sweep.Metric) bool {
	for i := range t.Cells {
		c := &t.Cells[i]
		if !c.Known {
			continue
		}
		if m.Value != nil {
			if _, ok := m.Value(c); ok {
				return true
			}
		} else if _, ok := m.Words(c); ok {
			return true
		}
	}
	return false
}

func sweepTitle(t *sweep.Table) string {
	var parts []string
	for _, a := range t.Spec.Axes {
		switch {
		case a.Name == sweep.AxisOp:
			parts = append(parts, strings.Join(a.Values, ", "))
		case len(a.Values) > 4:
			parts = append(parts, fmt.Sprintf("%s %s..%s", a.Name, a.Values[0], a.Values[len(a.Values)-1]))
		case len(a.Values) > 1:
			parts = append(parts, a.Name+" "+strings.Join(a.Values, ", "))
		}
	}
	return strings.Join(parts, "; ")
}

// Simulation makes the page of a simulation.
func Simulation(s *simulating.Simulation) (*chart.Page, error) {
	page := &chart.Page{Title: fmt.Sprintf("Simulation: everything had arrived after %v", s.CompletionNs)}
	if s.Iteration != nil {
		page.Title = fmt.Sprintf("Simulation: an iteration on %d GPUs takes %v", s.Iteration.Ranks, s.CompletionNs)
	}
	text := fmt.Sprintf("Level %s, %d packets, %d hops of packets.", s.Level, s.Packets, s.PacketHops)
	if s.PredictedNs > 0 {
		text += fmt.Sprintf(" The model says %v; the simulation takes %.3f times as long.", s.PredictedNs, float64(s.CompletionNs/s.PredictedNs))
	}
	page.Text(text)
	if len(s.Links) > 0 || s.Iteration != nil {
		scene, err := figure.Simulation(s)
		if err != nil {
			return nil, err
		}
		page.Picture(scene)
	}
	if len(s.Steps) > 0 {
		page.Heading("Steps")
		var rows [][]string
		for i, step := range s.Steps {
			if i == maxRows {
				rows = append(rows, []string{"..", fmt.Sprintf("%d steps in all", len(s.Steps))})
				break
			}
			rows = append(rows, []string{strconv.Itoa(step.Index), step.StartNs.String(), step.TotalNs.String(), step.PredictedNs.String()})
		}
		page.Table([]string{">step", ">start", ">simulated", ">model"}, rows)
	}
	page.Note(clocks)
	return page, nil
}
